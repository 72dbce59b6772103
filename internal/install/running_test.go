package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/reaperd/reaperd/deploy"
)

// TestADaemonIsEndedByWhatHasStartedIt: a service's manager starts it again after a kill.
func TestADaemonIsEndedByWhatHasStartedIt(t *testing.T) {
	const own, link = "home/dev/.config/systemd/user/reaperd.service", "home/dev/.config/systemd/user/default.target.wants/reaperd.service"
	const inUnit, inTerminal = "0::/user.slice/user@1000.service/app.slice/reaperd.service\n", "0::/user.slice/session-3.scope\n"
	const byUnit, byHand = "reaperd uninstall stops it and removes its service", "kill 659 ends it"
	for _, row := range []struct {
		world string
		os    string
		uid   int
		file  string
		text  string
		group string // the process's, in /proc
		want  string
	}{
		{"a person, and no service is there", "linux", 1000, "", "", inTerminal, byHand},
		{"a person, beside a service that is down", "linux", 1000, own, deploy.Written, inTerminal, byHand},
		{"the user's service", "linux", 1000, own, deploy.Written, inUnit, byUnit},
		{"a package's unit, enabled", "linux", 1000, link, "", inUnit, "systemctl --user disable --now reaperd.service stops it"},
		{"the host's service", "linux", 0, "etc/systemd/system/reaperd.service", deploy.Written, inUnit, byUnit},
		{"an agent of launchd's", "darwin", 501, "home/dev/Library/LaunchAgents/" + deploy.Label + ".plist", deploy.Written, "", byUnit},
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
		if got := m.place.ends(659); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
