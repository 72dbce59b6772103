//go:build linux

package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

// The time from the death of a session to the end of the last of its processes: promised
// for an idle machine, and the limit that fails the test on any machine.
const (
	promised = 2500 * time.Millisecond
	tooLate  = 30 * time.Second
)

func TestADeadSessionsServersGoAtOnceOnASlowSchedule(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("killed"), three("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 5m", "1m")})
		before, began := daemon.CPU(t, d.PID()), time.Now()
		<-time.After(3 * time.Second) // the test measures an idle daemon for this time
		farm.Figure(t, "idle: %s of processor time in %s", daemon.CPU(t, d.PID())-before, time.Since(began).Round(time.Millisecond))

		killed := time.Now()
		live.KillAll(t, []string{"killed"})
		daemon.Gone(t, live, nine("killed")...)
		took := time.Since(killed)
		farm.Figure(t, "from the death of a session to the last of its nine processes: %s (promised: under %s)", took.Round(time.Millisecond), promised)
		if took > tooLate {
			t.Errorf("took %s, want well under %s", took, tooLate)
		}
		daemon.Live(t, live, append(nine("alive"), "alive")...)
		farm.Eventually(t, "a sweep was started by the death of the session, and one acted", func() bool {
			return d.Metric(t, "reaperd_sweeps_total", `trigger="exit"`) > 0 && d.Metric(t, "reaperd_actions_total", `outcome="exited"`) == 3
		})
	})
}

// A shell forks as fast as it can while a session dies.
func TestABuildBesideItDelaysNoDeath(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("killed"), three("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1m")})
		build := exec.Command("sh", "-c", "while :; do (:); done")
		if err := build.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = build.Process.Kill(), build.Wait() }()
		before, cpu, began := forks(t), daemon.CPU(t, d.PID()), time.Now()
		<-time.After(5 * time.Second) // the test counts forks for this time
		each := time.Since(began).Seconds()
		farm.Figure(t, "beside %.0f forks a second: %.1f ms of processor time a sweep", float64(forks(t)-before)/each, 1000*(daemon.CPU(t, d.PID())-cpu).Seconds()/each)

		killed := time.Now()
		live.KillAll(t, []string{"killed"})
		daemon.Gone(t, live, nine("killed")...)
		took := time.Since(killed)
		farm.Figure(t, "beside them, from the death of a session to the last of its nine processes: %s", took.Round(time.Millisecond))
		if took > tooLate {
			t.Errorf("took %s, want well under %s", took, tooLate)
		}
		daemon.Live(t, live, append(nine("alive"), "alive")...)
	})
}

// forks returns how many processes this host has started since it booted.
func forks(t *testing.T) (count int) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nprocesses ")
	if _, err := fmt.Sscan(rest, &count); err != nil {
		t.Fatalf("forks in /proc/stat: %v", err)
	}
	return count
}

func TestTheScheduleAloneFindsWhatNobodySawDie(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 2s", "1m")})
		left := cast.Memory("left", actor.Pipe)
		left.Dropped = true
		// The launcher lives only while the daemon is stopped, so the daemon never watches
		// it, and its death wakes nobody.
		d.Signal(t, unix.SIGSTOP)
		live.Start(t, []actor.Part{cast.Launched(left)})
		d.Signal(t, unix.SIGCONT)
		took := daemon.Gone(t, live, "left-npm", "left-sh", "left")
		farm.Figure(t, "by a schedule of 2s alone: gone after %s", took.Round(time.Millisecond))
		if exits := d.Metric(t, "reaperd_sweeps_total", `trigger="exit"`); exits != 0 {
			t.Errorf("%v sweeps were started by an exit: this was to be about the schedule", exits)
		}
		daemon.Live(t, live, "alive", "alive-server")
	})
}
