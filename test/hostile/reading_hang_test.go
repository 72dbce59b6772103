//go:build linux

package hostile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// readingFUSE names what FUSE needs and this machine lacks; "" if it lacks nothing.
func readingFUSE() string {
	if fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		unix.Close(fd)
		return ""
	}
	return "a file system that hangs needs /dev/fuse"
}

// readingUserfault says why this machine has no userfaultfd; "" if it has.
func readingUserfault() string {
	const userModeOnly = 1
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|userModeOnly, 0, 0)
	if errno != 0 {
		return "memory that faults without an end needs userfaultfd: " + errno.Error()
	}
	unix.Close(int(fd))
	return ""
}

// readingSays reports whether one of the daemon's sources is partial, with a reason that
// contains the text.
func readingSays(t *testing.T, d *daemon.Daemon, name, text string) bool {
	t.Helper()
	state, _ := d.Status(t)
	for _, source := range state.Sources {
		if source.Name == name && source.Status == "partial" && strings.Contains(source.Reason, text) {
			return true
		}
	}
	return false
}

// readingEnds tells the daemon to end, and checks that it does.
func readingEnds(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	began := time.Now()
	d.Signal(t, unix.SIGTERM)
	if code := d.AwaitEnd(t); code != 0 {
		t.Errorf("told to end, it ended with %d", code)
	}
	farm.Figure(t, "it has ended %s after SIGTERM", time.Since(began).Round(time.Millisecond))
}

func TestAHomeThatNeverAnswersCostsOnlyItself(t *testing.T) {
	farm.Demand(t, readingFUSE())
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		home := readingUser(t, live, cast.Ordinary)
		readingPuppet(t, live, "PUPPET=wall", "PUPPET_PLACE="+home)
		live.Start(t, []actor.Part{readingServer("bob")})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		live.KillAll(t, []string{"bob"})
		farm.Figure(t, "another user's orphan is gone %s after its session", daemon.Gone(t, live, "bob-server").Round(10*time.Millisecond))
		farm.Eventually(t, "the gap names the home", func() bool { return readingSays(t, d, "configuration", home) })
		if !strings.Contains(d.Said(), home) {
			t.Error("the log does not name the home")
		}
		if _, out, _ := d.Run(t, "doctor"); !strings.Contains(out, home) {
			t.Errorf("doctor does not name the home:\n%s", out)
		}
		d.AwaitMore(t, 5)
		if threads := daemon.FiguresOf(t, d.PID()).Threads; threads > 30 {
			t.Errorf("%d threads", threads)
		}
		readingEnds(t, d)
	})
}

func TestAProcessWhoseArgumentsNeverAnswerCostsOnlyItself(t *testing.T) {
	farm.Demand(t, readingFUSE())
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		files := live.Folder.Path("files")
		if err := os.Mkdir(files, 0o755); err != nil {
			t.Fatal(err)
		}
		readingPuppet(t, live, "PUPPET=files", "PUPPET_PLACE="+files)
		readingPuppet(t, live, "PUPPET=orphan", "PUPPET_COUNT=8", "PUPPET_UID=1234", "PUPPET_PLACE="+files)
		live.Start(t, []actor.Part{readingServer("bob")})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		live.KillAll(t, []string{"bob"})
		farm.Figure(t, "another user's orphan is gone %s after its session", daemon.Gone(t, live, "bob-server").Round(10*time.Millisecond))
		farm.Eventually(t, "the gap names the processes", func() bool { return readingSays(t, d, "processes", "nothing answers") })
		d.AwaitMore(t, 5)
		if outcomes, begun := d.Journal(t); len(outcomes)+len(begun) != 1 {
			t.Errorf("acts on processes of which nothing is known: %d and %d", len(outcomes), len(begun))
		}
		if threads := daemon.FiguresOf(t, d.PID()).Threads; threads > 30 {
			t.Errorf("%d threads", threads)
		}
		readingEnds(t, d)
	})
}

// When Linux reads another process's arguments or environment, it does not wait for a page
// that userfaultfd serves: it reads nothing. The kernel's facts about program and stdio are
// enough for reaperd.
func TestArgumentsInMemoryThatFaultsWithoutAnEndMakeNobodyWait(t *testing.T) {
	farm.Demand(t, readingUserfault())
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		const number = 8
		readingPuppet(t, live, "PUPPET=orphan", "PUPPET_FAULT=yes", fmt.Sprintf("PUPPET_COUNT=%d", number), "PUPPET_UID=1234")
		farm.Eventually(t, "they are orphans", func() bool { return readingPuppets(t) == number })
		live.Start(t, []actor.Part{readingServer("bob"), readingServer("carol")})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		live.KillAll(t, []string{"bob"})
		farm.Figure(t, "another user's orphan is gone %s after its session", daemon.Gone(t, live, "bob-server").Round(10*time.Millisecond))
		farm.Eventually(t, "the orphans without arguments are gone too", func() bool { return readingPuppets(t) == 0 })
		if readingSays(t, d, "processes", "nothing answers") {
			t.Error("it has waited for an answer")
		}
		if !live.Being(t, "carol-server").Alive() {
			t.Error("a server in use is gone")
		}
		readingEnds(t, d)
	})
}
