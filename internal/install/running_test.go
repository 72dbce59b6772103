package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/deploy"
)

// TestADaemonIsEndedByWhatHasStartedIt: a service's manager starts it again after a kill.
func TestADaemonIsEndedByWhatHasStartedIt(t *testing.T) {
	const own, link = "home/dev/.config/systemd/user/reaperd.service", "home/dev/.config/systemd/user/default.target.wants/reaperd.service"
	const inUnit, inTerminal = "0::/user.slice/user@1000.service/app.slice/reaperd.service\n", "0::/user.slice/session-3.scope\n"
	byUnit := Running{"reaperd uninstall stops it and removes its service", "REAPERD_MODE=enforce in HOME/.config/reaperd/environment, then systemctl --user restart reaperd.service,"}
	for _, row := range []struct {
		world string
		os    string
		uid   int
		file  string
		text  string
		group string // the process's, in /proc
		want  Running
	}{
		{"a person, and no service is there", "linux", 1000, "", "", inTerminal, byHand(659)},
		{"a person, beside a service that is down", "linux", 1000, own, deploy.Written, inTerminal, byHand(659)},
		{"the user's service", "linux", 1000, own, deploy.Written, inUnit, byUnit},
		{"a package's unit, enabled", "linux", 1000, link, "", inUnit, Running{"systemctl --user disable --now reaperd.service stops it", byUnit.Enforce}},
		{"the host's service", "linux", 0, "etc/systemd/system/reaperd.service", deploy.Written, inUnit,
			Running{byUnit.End, "REAPERD_MODE=enforce in ROOT/etc/default/reaperd, then systemctl restart reaperd.service,"}},
		{"an agent of launchd's, which has no file of flags", "darwin", 501, "home/dev/Library/LaunchAgents/" + deploy.Label + ".plist", deploy.Written, "", Running{byUnit.End, ""}},
	} {
		m := newMachine(t, row.os, row.uid)
		put := func(file, text string) {
			path := filepath.Join(m.place.root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			putFile(t, path, text)
		}
		if row.file != "" {
			put(row.file, row.text+"\n")
		}
		if row.group != "" {
			put("proc/659/cgroup", row.group)
		}
		want := row.want
		want.Enforce = strings.NewReplacer("HOME", m.place.home, "ROOT", m.place.root).Replace(want.Enforce)
		if got := m.place.runs(659); got != want {
			t.Errorf("%s: got %+v, want %+v", row.world, got, want)
		}
	}
}
