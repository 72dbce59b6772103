//go:build linux

package hostile_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

// actingSilentHome gives a user a home on a file system that never answers: a FUSE mount
// that no program serves.
func actingSilentHome(t *testing.T, live *farm.Live) {
	t.Helper()
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("left out: a file system that never answers needs /dev/fuse: %v", err)
	}
	t.Cleanup(func() { _ = unix.Close(device) }) // processes that wait for it get an error
	home := live.Folder.Path("home", "silent")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device)
	if err := unix.Mount("silent", home, "fuse", 0, options); err != nil {
		t.Fatal(err)
	}
	users, err := os.OpenFile("/etc/passwd", os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(users, "silent:x:%d:%[1]d::%s:/bin/sh\n", actingCrowd, home)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAHomeThatNeverAnswersDoesNotKeepTheDaemonFromEnding(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		actingSilentHome(t, live)
		d := daemon.Launch(t, live, daemon.Options{Policy: actingPolicy("1s")})
		farm.Eventually(t, "it answers", func() bool { code, _ := d.Get(t, "/healthz"); return code != 0 })
		<-time.After(2 * time.Second) // long enough for a look to begin that would hang
		told := time.Now()
		d.Signal(t, unix.SIGTERM)
		if code := d.AwaitEnd(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
		farm.Figure(t, "SIGTERM with a home that never answers: ended after %s", time.Since(told).Round(time.Millisecond))
	})
}

// Under hidepid=2 a user's daemon sees only that user's processes. A client that it cannot
// see is not dead.
func TestUnderHidepidAnUnseenClientIsNoDeadOne(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		server := func(name string) actor.Part {
			return cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-memory", actor.Socket))
		}
		mine := cast.Claude("mine", server("mine-server"))
		mine.UID = cast.Ordinary
		live.Start(t, []actor.Part{mine, cast.Claude("roots", cast.Owned(server("roots-server")))})
		if err := unix.Mount("proc", "/proc", "proc", unix.MS_REMOUNT|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "hidepid=2"); err != nil {
			t.Fatal(err)
		}
		d := daemon.Start(t, live, daemon.Options{Policy: actingPolicy("1s"), UID: cast.Ordinary})
		live.KillAll(t, []string{"mine"})
		d.AwaitMore(t, 6)
		daemon.Live(t, live, "roots", "roots-server")
		gone := !live.Being(t, "mine-server").Alive()
		farm.Figure(t, "hidepid=2, a user's daemon: the server of root's session, which it cannot see, is kept; its own orphan is gone: %v", gone)

		system := daemon.Start(t, live, daemon.Options{Policy: actingPolicy("1s")})
		daemon.Gone(t, live, "mine-server")
		system.AwaitMore(t, 2)
		daemon.Live(t, live, "roots", "roots-server")
	})
}

// In the middle of an orphan's grace, a stranger gets the orphan's PID.
func TestAStrangerWithTheOrphansPIDLives(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		victim := cast.Stubborn(cast.Deaf(cast.Server("victim", cast.NPX+"mcp-server-memory", actor.Socket)))
		live.Start(t, []actor.Part{cast.Claude("killed", victim)})
		d := daemon.Start(t, live, daemon.Options{Policy: actingPolicy("4s")})
		live.KillAll(t, []string{"killed"})
		if _, err := live.Folder.Await("victim.term", actor.Patience); err != nil {
			t.Fatal(err)
		}
		pid := live.Being(t, "victim").PID
		live.KillAll(t, []string{"victim"})
		stranger := ""
		for attempt := range 20 {
			farm.Eventually(t, "the PID is free", func() bool { _, err := actor.StatOf(pid); return err != nil })
			if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(fmt.Sprint(pid-1)), 0); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprint("stranger-", attempt)
			live.Start(t, []actor.Part{cast.Session(name, "make")})
			if live.Being(t, name).PID == pid {
				stranger = name
				break
			}
		}
		if stranger == "" {
			t.Fatalf("no stranger got PID %d", pid)
		}
		farm.Eventually(t, "the act is over", func() bool { outcomes, _ := d.Journal(t); return len(outcomes) > 0 })
		d.AwaitMore(t, 3)
		daemon.Live(t, live, stranger)
		outcomes, _ := d.Journal(t)
		farm.Figure(t, "PID %d given to a stranger in the middle of a grace: the act %s, the stranger lives", pid, outcomes[0].Result)
	})
}
