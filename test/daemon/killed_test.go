//go:build linux

package daemon_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

func TestKilledInTheMiddleOfASweepItGoesOnWithTheNextStart(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{stubborn("killed"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", "2m")})
		live.KillAll(t, []string{"killed"})
		asked(t, live, "killed-server")
		d.Kill(t)

		server := live.Being(t, "killed-server")
		if state, _, exists := server.State(); !exists || state == "T" {
			t.Errorf("the server in its grace is in state %q: it was to run on", state)
		}
		_, begun := d.Journal(t)
		if len(begun) != 1 || begun[0].TargetID != server.String() {
			t.Fatalf("begun and not ended: got %v, want one act on %s", begun, server)
		}

		again := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", "1s")})
		farm.Figure(t, "after kill -9 within a grace and a new start: gone after %s", daemon.Gone(t, live, "killed-server").Round(time.Millisecond))
		farm.Eventually(t, "the outcome is journalled", func() bool { outcomes, _ := again.Journal(t); return len(outcomes) > 1 })
		outcomes, unfinished := again.Journal(t)
		if given := outcomes[0]; given.ID != begun[0].ID || given.Result != journal.ResultUnfinished || len(unfinished) != 0 {
			t.Errorf("what was intended and not done: got %s of %s, and open %v; want %s closed", given.Result, given.ID, unfinished, begun[0].ID)
		}
		if last := outcomes[1]; last.ID == begun[0].ID || last.TargetID != server.String() || last.Result != string(human.Killed) {
			t.Errorf("outcome: got %s of %s", last.Result, last.TargetID)
		}
		var past history
		decoded(t, again, &past, "history", "--pid", strconv.Itoa(server.PID))
		if past.Summary.Reaped != 1 || past.Summary.Unfinished != 1 || len(past.Entries) != 2 || !past.Entries[0].Unfinished {
			t.Errorf("history is to tell both: got %+v", past)
		}
		daemon.Live(t, live, "alive", "alive-server")
	})
}

func TestWhatWasBegunBeforeTheLastBootIsCountedAndNotNamed(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		d.Kill(t)
		boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(filepath.Join(d.State(), journal.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for id, of := range map[string]string{"of-this-boot": strings.TrimSpace(string(boot)), "of-another": "another"} {
			if err := j.Intend(journal.Entry{Time: time.Now(), ID: id, BootID: of, TargetID: "999999:1"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		next := daemon.Start(t, live, daemon.Options{Policy: reporting})
		said := next.Said()
		next.Kill(t)
		if !strings.Contains(said, "of-this-boot") || strings.Contains(said, "of-another") || !strings.Contains(said, `"acts":1`) {
			t.Errorf("it is to name the one and count the other: got\n%s", said)
		}
		third := daemon.Start(t, live, daemon.Options{Policy: reporting})
		if _, open := third.Journal(t); len(open) != 0 || strings.Contains(third.Said(), "of-this-boot") || strings.Contains(third.Said(), `"acts":1`) {
			t.Errorf("each is said once: open %v, and the next start said\n%s", open, third.Said())
		}
	})
}

// hoarder returns a live session with a gateway that never waits for its dead children.
// The gateway has one server, which ignores SIGTERM.
func hoarder(session string) actor.Part {
	part := stubborn(session)
	gateway := actor.Part{
		Name: session + "-gateway", Exe: "docker", Argv: []string{"docker", "mcp", "gateway", "run"},
		Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Server, Unwaited: true,
		Children: part.Children,
	}
	for _, number := range []string{"-1", "-2", "-3", "-4"} {
		gateway.Children = append(gateway.Children, actor.Part{
			Name: session + number, Exe: "sh", Argv: []string{"sh", "./run.sh"}, Does: actor.Launcher, Stdin: actor.Null, Stdout: actor.Null,
		})
	}
	part.Children = []actor.Part{gateway}
	return part
}

func TestAGatewayThatItsKillerLeftFrozenIsDealtWithByTheNextStart(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{hoarder("claude")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "2m")})
		asked(t, live, "claude-server")
		gateway := live.Being(t, "claude-gateway")
		farm.Eventually(t, "the gateway stands still while what is below it ends", func() bool {
			state, _, _ := gateway.State()
			return state == "T"
		})
		d.Kill(t)
		if state, _, _ := gateway.State(); state != "T" {
			t.Errorf("gateway in state %q", state)
		}
		farm.Figure(t, "kill -9 while a gateway is frozen leaves it frozen")
		daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		farm.Figure(t, "and the next start ends it after %s", daemon.Gone(t, live, "claude-gateway", "claude-server").Round(time.Millisecond))
		daemon.Live(t, live, "claude")
	})
}

// toldDuringGrace starts a daemon and tells it to end right after it has asked the server
// of a killed session to end. It returns when the daemon has ended.
func toldDuringGrace(t *testing.T, live *farm.Live, grace string) *daemon.Daemon {
	t.Helper()
	d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", grace)})
	live.KillAll(t, []string{"killed"})
	asked(t, live, "killed-server")
	told := time.Now()
	d.Signal(t, unix.SIGTERM)
	if code := d.AwaitEnd(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	farm.Figure(t, "SIGTERM at the beginning of a grace of %s: ended after %s", grace, time.Since(told).Round(time.Millisecond))
	return d
}

func TestToldToEndItFinishesWhatItHasBegun(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{stubborn("killed"), one("alive")})
		d := toldDuringGrace(t, live, "3s")
		if live.Being(t, "killed-server").Alive() {
			t.Error("the server that was asked to end was left")
		}
		outcomes, unfinished := d.Journal(t)
		if len(outcomes) != 1 || outcomes[0].Result != string(human.Killed) || len(unfinished) != 0 {
			t.Errorf("journal: got %v, unfinished %v", outcomes, unfinished)
		}
		daemon.Live(t, live, "alive", "alive-server")
	})
}

func TestToldToEndItLeavesWhatTakesTooLongAndSaysSo(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{stubborn("killed")})
		d := toldDuringGrace(t, live, "2m")
		if state, _, exists := live.Being(t, "killed-server").State(); !exists || state == "T" {
			t.Errorf("the server that had its grace: state %q", state)
		}
		outcomes, unfinished := d.Journal(t)
		if len(outcomes) != 1 || outcomes[0].Result != string(human.ResultFailed) || !strings.Contains(outcomes[0].Detail, "interrupted") || len(unfinished) != 0 {
			t.Errorf("journal: got %v, unfinished %v", outcomes, unfinished)
		}
	})
}
