package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/reaperd/reaperd/deploy"
)

// TestHowADaemonStarts: no command is named that would refuse on this machine.
func TestHowADaemonStarts(t *testing.T) {
	const systemd, packaged, unit = "run/systemd/system/x", "usr/lib/systemd/system/reaperd.service", "etc/systemd/system/reaperd.service"
	for _, row := range []struct {
		world         string
		os            string
		uid           int
		files         []string
		lasting, does string
	}{
		{"systemd", "linux", 0, []string{systemd}, "reaperd install", "reaperd install"},
		{"a container, or another init", "linux", 0, nil, "", "reaperd run"},
		{"a unit left where systemd does not run", "linux", 0, []string{unit}, "", "reaperd run"},
		{"a unit that is down", "linux", 0, []string{systemd, unit}, "reaperd install", "systemctl start reaperd"},
		{"a package's unit that is not enabled", "linux", 0, []string{systemd, packaged}, "systemctl enable --now reaperd", "systemctl enable --now reaperd"},
		{"the same for a user", "linux", 1000, []string{systemd, packaged}, "systemctl --user enable --now reaperd", "systemctl --user enable --now reaperd"},
		{"a Mac", "darwin", 501, nil, "reaperd install", "reaperd install"},
		{"another system", "freebsd", 0, nil, "", "reaperd run"},
	} {
		t.Run(row.world, func(t *testing.T) {
			m := newMachine(t, row.os, row.uid)
			if err := os.RemoveAll(filepath.Join(m.place.root, "run", "systemd")); err != nil {
				t.Fatal(err)
			}
			for _, file := range row.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(m.place.root, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				text := deploy.Written + "\n"
				if file == packaged {
					text = "[Unit]\n"
				}
				putFile(t, filepath.Join(m.place.root, file), text)
			}
			got := m.place.starting()
			if got.Lasting != row.lasting || got.Command() != row.does {
				t.Errorf("got %q and %q, want %q and %q", got.Lasting, got.Command(), row.lasting, row.does)
			}
		})
	}
}
