//go:build linux

package daemon_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// oneByOne is a policy under which acts wait for one another if the daemon has few
// descriptors. With many, a tree in its grace delays no other.
func oneByOne(grace string) string {
	return enforcing("@every 60s", grace) + "limits: {concurrency: 1}\n"
}

// fewDescriptors limits the daemon's descriptors, so that only one tree is open at a time.
func fewDescriptors(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	if err := unix.Prlimit(d.PID(), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 72, Max: 72}, nil); err != nil {
		t.Fatal(err)
	}
}

// two returns a session with two servers that ignore SIGTERM.
func two(name string) actor.Part {
	server := func(name string) actor.Part {
		return cast.Stubborn(cast.Deaf(cast.Server(name, "$W/home/dev/mcp-server-"+name+"/dist/index.js", actor.Socket)))
	}
	return cast.Claude(name, server(name+"-a"), server(name+"-b"))
}

// firstAsked waits until one of two stubborn servers has received SIGTERM. It returns that
// one and the other.
func firstAsked(t *testing.T, live *farm.Live, a, b string) (first, other string) {
	t.Helper()
	farm.Eventually(t, "one of the two is asked to end", func() bool {
		for _, names := range [][2]string{{a, b}, {b, a}} {
			if _, err := live.Folder.Read(names[0] + ".term"); err == nil {
				first, other = names[0], names[1]
				return true
			}
		}
		return false
	})
	return first, other
}

// duringASweep runs body while one of two orphans is in its grace and the other waits for
// it. The first stays until the test ends it.
func duringASweep(t *testing.T, body func(t *testing.T, live *farm.Live, d *daemon.Daemon, first, other string)) {
	t.Helper()
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{two("killed")})
		d := daemon.Start(t, live, daemon.Options{Policy: oneByOne("2m")})
		fewDescriptors(t, d)
		live.KillAll(t, []string{"killed"})
		first, other := firstAsked(t, live, "killed-a", "killed-b")
		body(t, live, d, first, other)
	})
}

// ends kills the first of the two, and waits until the act on it is over.
func ends(t *testing.T, live *farm.Live, d *daemon.Daemon, first string) {
	t.Helper()
	live.KillAll(t, []string{first})
	farm.Eventually(t, "the act on "+first+" is over", func() bool { outcomes, _ := d.Journal(t); return len(outcomes) > 0 })
}

// notAsked checks that a part lives and has not received SIGTERM.
func notAsked(t *testing.T, live *farm.Live, name string) {
	t.Helper()
	daemon.Live(t, live, name)
	if _, err := live.Folder.Read(name + ".term"); err == nil {
		t.Errorf("%s was asked to end", name)
	}
}

func TestAPinDuringASweepIsHeard(t *testing.T) {
	duringASweep(t, func(t *testing.T, live *farm.Live, d *daemon.Daemon, first, other string) {
		d.Does(t, "pin", strconv.Itoa(live.Being(t, other).PID))
		ends(t, live, d, first)
		farm.Eventually(t, "the daemon has the pin, and the sweep has ended", func() bool {
			told, _ := d.Status(t)
			pinned := slices.ContainsFunc(told.Things, func(thing account.Thing) bool { return thing.Pinned != "" })
			return pinned && told.Today.Stopped == 1
		})
		notAsked(t, live, other)

		began := time.Now()
		d.Does(t, "unpin", strconv.Itoa(live.Being(t, other).PID))
		asked(t, live, other)
		farm.Figure(t, "on a schedule of 60s what is unpinned is asked to end after %s", time.Since(began).Round(time.Millisecond))
	})
}

func TestAPauseDuringASweepIsHeardAndItsEndToo(t *testing.T) {
	duringASweep(t, func(t *testing.T, live *farm.Live, d *daemon.Daemon, first, other string) {
		d.Does(t, "pause", "1h", "--reason", "a demo")
		ends(t, live, d, first)
		farm.Eventually(t, "status shows the pause", func() bool { told, _ := d.Status(t); return told.Decider.Rests == account.Paused })
		notAsked(t, live, other)
		farm.Eventually(t, "the sweep is over", func() bool { told, _ := d.Status(t); return told.Today.Stopped == 1 })
		if code, out, _ := d.Run(t, "scan", "--settle", "0"); code != 0 || !strings.Contains(out, "Paused until") || !strings.Contains(out, "a demo") {
			t.Errorf("scan: exit %d\n%s", code, out)
		}
		if code, _, talk := d.Run(t, "sweep", "--yes", "--settle", "0"); code != 1 || !strings.Contains(talk, "nothing is reaped: paused until") {
			t.Errorf("sweep: exit %d\n%s", code, talk)
		}
		notAsked(t, live, other)
		d.Does(t, "pause", "2s")
		asked(t, live, other) // after the pause, long before the next sweep of the schedule
		farm.Eventually(t, "status shows no pause", func() bool { told, _ := d.Status(t); return told.Decider.Rests == "" })
	})
}

func TestAPolicyThatOnlyReportsIsHeardDuringASweep(t *testing.T) {
	duringASweep(t, func(t *testing.T, live *farm.Live, d *daemon.Daemon, first, other string) {
		d.WritePolicy(t, reporting)
		farm.Eventually(t, "the policy holds", func() bool { told, _ := d.Status(t); return told.Mode == policy.ModeReport })
		before := d.Metric(t, "reaperd_sweeps_total")
		ends(t, live, d, first)
		d.AwaitSweeps(t, before+1)
		notAsked(t, live, other)
	})
}

func TestAHangupWhileItEndsDoesNotKillIt(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{stubborn("killed")})
		m := newManager(t, live)
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", "5s"), Env: []string{"NOTIFY_SOCKET=" + m.path}})
		live.KillAll(t, []string{"killed"})
		asked(t, live, "killed-server")
		d.Signal(t, unix.SIGTERM)
		m.await(t, "STOPPING=1")
		if _, unfinished := d.Journal(t); len(unfinished) != 1 {
			t.Errorf("when the service manager hears that it stops, %d acts are under way, want 1: it is told at once", len(unfinished))
		}
		d.Signal(t, unix.SIGHUP)
		if code := d.AwaitEnd(t); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		outcomes, unfinished := d.Journal(t)
		if len(outcomes) != 1 || outcomes[0].Result != string(human.Killed) || len(unfinished) != 0 {
			t.Errorf("journal: got %v, unfinished %v", outcomes, unfinished)
		}
	})
}

func TestAStrangersContainerIsNoReasonToSweep(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		engine.Docker(t, "tag", farm.Image, "example/web")
		id := engine.Docker(t, "run", "-d", "--network", "none", "example/web", "stranger")
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 10m", "1s")})
		woken := func() float64 { return d.Metric(t, "reaperd_sweeps_total", `trigger="docker"`) }
		farm.Eventually(t, "it has heard of the last container that was started", func() bool {
			before := woken()
			<-time.After(2 * time.Second)
			return woken() == before
		})
		before := woken()
		for range 3 {
			engine.Docker(t, "restart", "--time", "0", id)
		}
		<-time.After(time.Second) // a sweep too many comes meanwhile; on a slow machine it may go unseen
		if made := woken() - before; made != 0 {
			t.Errorf("%v sweeps because a service that is nothing of ours was started again", made)
		}
		engine.Up(t, cast.Claude("user", engine.Run("used", actor.Pipe)), "used")
		farm.Eventually(t, "a container that nobody knew is looked at", func() bool {
			return d.Metric(t, "reaperd_sweeps_total", `trigger="docker"`) > 0 && d.Metric(t, "reaperd_servers") > 0
		})
	})
}
