package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/deploy"
)

// TestTheServiceThatIsToRunIsFound: one's own before that of the whole host, and a package's once it is
// enabled.
func TestTheServiceThatIsToRunIsFound(t *testing.T) {
	const unit, link = "etc/systemd/system/reaperd.service", "etc/systemd/system/multi-user.target.wants/reaperd.service"
	const own = "home/dev/.config/systemd/user/reaperd.service"
	for _, row := range []struct {
		world string
		os    string
		uid   int
		files []string
		want  Installed // its file below the root
	}{
		{"none", "linux", 0, nil, Installed{}},
		{"the host's, for root", "linux", 0, []string{unit}, Installed{unit, "systemctl status reaperd", "systemctl start reaperd"}},
		{"the host's, for a user", "linux", 1000, []string{unit}, Installed{unit, "systemctl status reaperd", "sudo systemctl start reaperd"}},
		{"a user's own beside it", "linux", 1000, []string{unit, own}, Installed{own, "systemctl --user status reaperd", "systemctl --user start reaperd"}},
		{"a user's is not root's", "linux", 0, []string{own}, Installed{}},
		{"a package's, enabled", "linux", 0, []string{"usr/lib/systemd/system/reaperd.service", link}, Installed{link, "systemctl status reaperd", "systemctl start reaperd"}},
		{"a package's, not enabled", "linux", 0, []string{"usr/lib/systemd/system/reaperd.service"}, Installed{}},
		{"an agent of launchd's", "darwin", 501, []string{"home/dev/Library/LaunchAgents/" + deploy.Label + ".plist"},
			Installed{"home/dev/Library/LaunchAgents/" + deploy.Label + ".plist", "launchctl print gui/501/" + deploy.Label, "launchctl bootstrap gui/501 ROOT/home/dev/Library/LaunchAgents/" + deploy.Label + ".plist"}},
	} {
		t.Run(row.world, func(t *testing.T) {
			m := newMachine(t, row.os, row.uid)
			for _, file := range row.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(m.place.root, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				putFile(t, filepath.Join(m.place.root, file), deploy.Written+"\n")
			}
			want := row.want
			if want.File != "" {
				want.File = filepath.Join(m.place.root, want.File)
				want.Start = strings.ReplaceAll(want.Start, "ROOT", m.place.root)
			}
			got, found := m.place.installed()
			if got != want || found != (want.File != "") {
				t.Errorf("got %+v (%v), want %+v", got, found, want)
			}
		})
	}
}
