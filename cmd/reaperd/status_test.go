package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// shortState is ownState with a path that is short enough for a socket.
func shortState(t *testing.T) state.Dir {
	t.Helper()
	ownState(t)
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("REAPERD_STATE_DIR", dir)
	return stateDir()
}

// part is a daemon that tells an account and takes no orders.
type part struct {
	account.Asker
	is *account.Account
}

func (p part) Account(context.Context, bool) (*account.Account, error) { return p.is, nil }

// answeringWith is a daemon of this user that tells an account. alive and ready are why it is not.
func answeringWith(t *testing.T, d state.Dir, is *account.Account, alive, ready string) {
	t.Helper()
	metrics := serve.NewMetrics(account.Build{})
	p := policyfile.Shipped()
	metrics.Publish(serve.Update{Result: serve.ResultOK, Started: time.Now(), Schedule: p.Schedule, Graph: &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: time.Now()}}})
	server := serve.New(serve.Options{
		Metrics: metrics, Ask: func(account.Reader) account.Asker { return part{is: is} },
		Alive: func() (bool, string) { return alive == "", alive }, Ready: func() (bool, string) { return ready == "", ready },
	})
	endpoint, err := server.ListenUnix(t.Context(), d.Socket(), serve.OwnSocket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = endpoint.Serve(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

// told is what a daemon tells that is well.
func toldBy(rests account.Rest) *account.Account {
	return &account.Account{
		TakenAt: time.Now(), Complete: true, Mode: policy.ModeEnforce, Headline: account.Words("9 MCP servers, all in use. Nothing to do."), Summary: account.Summary{InUse: 9},
		Decider: account.Decider{Kind: account.ByDaemon, PID: 4121, User: "dev", StartedAt: time.Now(), Rests: rests, Daemon: &account.Daemon{}},
	}
}

// TestStatusAndHealthAgree: they are about one daemon. Exit code 1 is one that acts on nothing until it is mended.
func TestStatusAndHealthAgree(t *testing.T) {
	for _, row := range []struct {
		world        string
		is           *account.Account
		alive, ready string
		status       int
		health, acts int
		says, short  string
	}{
		{"it is well", toldBy(""), "", "", exitOK, exitOK, exitOK, "healthy", "reaperd: ok"},
		{"it is paused", toldBy(account.Paused), "", "", exitOK, exitOK, exitOK, "healthy", "reaperd: paused"},
		{"its journal takes nothing", toldBy(account.Unrecorded), "", "the journal takes no record", exitFailed, exitOK, exitFailed, "NOT WELL: the journal takes no record", "reaperd: broken"},
		{"it has no policy", toldBy(account.NoPolicy), "", "the policy has 1 fault", exitFailed, exitOK, exitFailed, "NOT WELL: the policy has 1 fault", "reaperd: broken"},
		{"its loop hangs", toldBy(""), "a sweep hangs", "a sweep hangs", exitFailed, exitFailed, exitFailed, "a sweep hangs", ""},
	} {
		t.Run(row.world, func(t *testing.T) {
			d := shortState(t)
			answeringWith(t, d, row.is, row.alive, row.ready)
			if got := command(t, "status"); got.code != row.status || row.alive == "" && row.ready == "" && !strings.Contains(got.out, "9 MCP servers, all in use.") {
				t.Errorf("status: %+v", got)
			}
			if got := command(t, "status", "--short"); got.code != row.status || row.short != "" && got.out != row.short+"\n" {
				t.Errorf("status --short: %+v", got)
			}
			if got := command(t, "health"); got.code != row.health || !strings.Contains(got.out+got.err, row.says) {
				t.Errorf("health: %+v", got)
			}
			if got := command(t, "health", "--ready"); got.code != row.acts {
				t.Errorf("health --ready: %+v", got)
			}
			var document struct {
				Running bool
				PID     int
			}
			asked := command(t, "status", "-o", "json")
			if err := json.Unmarshal([]byte(asked.out), &document); err != nil || asked.code != row.status || !document.Running || document.PID != 4121 {
				t.Errorf("%v, %+v", err, asked)
			}
		})
	}
}

func TestStatusWhereNoDaemonRuns(t *testing.T) {
	d := shortState(t)
	if got := command(t, "status"); got.code != exitNotRunning || !strings.HasPrefix(got.out, "No daemon runs, so nothing stops by itself") {
		t.Errorf("got %+v", got)
	}
	if got := command(t, "status", "--short"); got != (ran{exitNotRunning, "reaperd: off\n", ""}) {
		t.Errorf("got %+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitNotRunning || got.out != "{\"version\":1,\"running\":false}\n" {
		t.Errorf("got %+v", got)
	}
	if err := d.Pause(time.Now(), state.Pause{Until: time.Now().Add(time.Hour), Reason: "a migration"}); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "status"); got.code != exitNotRunning || !strings.Contains(got.out, "(a migration): reaperd resume") {
		t.Errorf("a pause for the next one: %+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitNotRunning || !strings.Contains(got.out, `"running":false,"paused":true,"paused_until":`) {
		t.Errorf("a pause for the next one: %+v", got)
	}
}

// hanging is a daemon that holds its lock and answers nothing.
func hanging(t *testing.T, d state.Dir) {
	t.Helper()
	held, err := d.Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	before := starting
	starting = time.Millisecond
	t.Cleanup(func() { starting = before; held.Close() })
}

func TestStatusOfADaemonThatDoesNotAnswer(t *testing.T) {
	hanging(t, shortState(t))
	if got := command(t, "status"); got.code != exitFailed || !strings.Contains(got.err, "does not answer within 2s: it hangs") || got.out != "" {
		t.Errorf("%+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitFailed || !strings.Contains(got.out, `"running":true,"no_answer":"`) || !strings.Contains(got.err, "does not answer") {
		t.Errorf("for a program: %+v", got)
	}
	if got := command(t, "status", "--short"); got.code != exitFailed || got.out != "reaperd: broken\n" {
		t.Errorf("for a prompt: %+v", got)
	}
}

func TestAPageOnAPortThatIsTakenNamesAWayOut(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answeringWith(t, shortState(t), toldBy(""), "", "")
	got := command(t, "page", "--port", port)
	if want := taken.Addr().String() + " is taken: another program listens there"; got.code != exitFailed || got.out != "" || !strings.Contains(got.err, want) || !strings.Contains(got.err, "hint: reaperd page ") {
		t.Errorf("%+v, want %q", got, want)
	}
}
