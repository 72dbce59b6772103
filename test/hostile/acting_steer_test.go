//go:build linux

package hostile_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

// actingSteer is a file in the place of the policy that root's daemon must not follow.
type actingSteer struct {
	name string
	make func(file string) error
	says string
}

func actingSteers(text string) []actingSteer {
	write := func(file string) error { return os.WriteFile(file, []byte(text), 0o644) }
	return []actingSteer{
		{"writable by others", func(f string) error { return errors.Join(write(f), os.Chmod(f, 0o666)) }, "chmod go-w "},
		{"writable by a group", func(f string) error { return errors.Join(write(f), os.Chmod(f, 0o664)) }, "chmod go-w "},
		{"another user's", func(f string) error { return errors.Join(write(f), os.Chown(f, actingCrowd, actingCrowd)) }, "chown it to root"},
		{"in a folder that anybody can write", func(f string) error { return errors.Join(write(f), os.Chmod(filepath.Dir(f), 0o777)) }, "chmod go-w "},
		{"in another user's folder", func(f string) error {
			return errors.Join(write(f), os.Chown(filepath.Dir(f), actingCrowd, actingCrowd))
		}, "move the file"},
		{"a FIFO", func(f string) error { return unix.Mkfifo(f, 0o600) }, "name a regular file"},
		{"a device without end", func(f string) error { return os.Symlink("/dev/zero", f) }, "name a regular file"},
		{"larger than a MiB", func(f string) error { return errors.Join(write(f), os.Truncate(f, 1<<30)) }, "larger than 1024 KiB"},
	}
}

// actingFaults are what the daemon says is wrong with its policy's file.
func actingFaults(t *testing.T, d *daemon.Daemon) []string {
	t.Helper()
	told, _ := d.Status(t)
	return told.Decider.Daemon.PolicyFaults
}

// Commands and the daemon refuse a policy at once, with a remedy, if another user could
// have written it or if it would block its reader. The daemon stays up, acts on nothing,
// ends when it is told to, and takes the file once it is mended.
func TestAPolicyThatIsNotRootsAloneIsRefused(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		orphans := actingOrphans(t, live, actingCrowdOf{"orphan", actingCrowd, 1, "/bin/sleep", actingSleeps})
		for i, row := range actingSteers(actingPolicy("1s")) {
			folder := live.Folder.Path("home", "policy-"+string(rune('a'+i)))
			file := filepath.Join(folder, "policies.yaml")
			if err := errors.Join(os.Mkdir(folder, 0o755), row.make(file)); err != nil {
				t.Fatal(err)
			}
			d := daemon.Launch(t, live, daemon.Options{Args: []string{"--policies", file}})
			began := time.Now()
			code, _, talk := d.Run(t, "policy", "check", file)
			if code != 2 || !strings.Contains(talk, row.says) {
				t.Errorf("%s: policy check: exit %d\n%s", row.name, code, talk)
			}
			farm.Eventually(t, row.name+": the daemon is up and not ready", func() bool {
				code, _ := d.Get(t, "/readyz")
				return code == http.StatusServiceUnavailable
			})
			if faults := actingFaults(t, d); len(faults) == 0 || !strings.Contains(strings.Join(faults, "\n"), row.says) {
				t.Errorf("%s: faults: %q", row.name, faults)
			}
			d.Signal(t, unix.SIGTERM)
			if code := d.AwaitEnd(t); code != 0 {
				t.Errorf("%s: told to end: exit %d", row.name, code)
			}
			farm.Figure(t, "policy %s: refused and ended within %s", row.name, time.Since(began).Round(time.Millisecond))
		}
		if actingAlive(orphans) != 1 {
			t.Error("something was acted on")
		}
	})
}

func TestAPolicyIsTakenOnceNobodyElseCanWriteIt(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		orphans := actingOrphans(t, live, actingCrowdOf{"orphan", actingCrowd, 1, "/bin/sleep", actingSleeps})
		folder := live.Folder.Path("home", "mended")
		file := filepath.Join(folder, "policies.yaml")
		if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(file, []byte(actingPolicy("1s")), 0o644), os.Chmod(file, 0o666)); err != nil {
			t.Fatal(err)
		}
		d := daemon.Launch(t, live, daemon.Options{Args: []string{"--policies", file}})
		farm.Eventually(t, "it is refused", func() bool { return len(actingFaults(t, d)) > 0 })
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		farm.Eventually(t, "it is taken, and acted by", func() bool { return actingAlive(orphans) == 0 })
	})
}
