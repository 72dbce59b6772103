package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/trigger"
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

// answering is a daemon that answers with the given state.
func answering(t *testing.T, d state.Dir, is serve.State) {
	t.Helper()
	listener, err := net.Listen("unix", d.Socket())
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/status":
			_ = json.NewEncoder(w).Encode(is)
		case "/healthz":
		case "/api/v1/overview": // there has been no look yet
			http.NotFound(w, r)
		default:
			t.Errorf("asked %s", r.URL.Path)
		}
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Shutdown(context.Background()); <-done })
}

func running() serve.State {
	now := time.Now()
	return serve.State{
		Version: 1, PID: 4121, StartedAt: now.Add(-26 * time.Hour), Ready: true, Mode: policy.ModeEnforce, TargetsInUse: 9, ContainersInUse: new(1),
		Build:     serve.Build{Version: "1.2.3"},
		Policy:    serve.PolicyState{Source: "built-in", SHA256: strings.Repeat("ab", 32)},
		Sources:   []inventory.Source{{Name: "processes", Status: inventory.StatusOK}, {Name: "docker", Endpoint: "unix:///d.sock", Status: inventory.StatusAbsent, Reason: "no engine"}},
		LastSweep: &serve.Sweep{At: now.Add(-12 * time.Second), DurationSeconds: 0.05, Trigger: trigger.Exit, Result: serve.ResultOK},
		NextSweep: now.Add(18*time.Second + time.Second/2),
		InUse:     []serve.Client{{Name: "claude-code", PID: 44, Servers: 9, Containers: 1, MemoryBytes: 610_000_000}},
		Findings:  []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "claude-code", Decision: "pending", Number: 2}},
		Pending: []serve.Pending{{ID: "56:100", Name: "playwright-mcp", Rule: "orphaned-servers", DueAt: now.Add(90*time.Second + time.Second/2), AtOnce: true},
			{ID: strings.Repeat("64", 32), Container: "eager_fermi", Name: "fetch", Rule: "orphaned-containers", AtOnce: true}},
		LastActs: []serve.Act{{At: now.Add(-time.Hour), Target: "70:1", Name: "github-mcp", Rule: "orphaned-servers", Outcome: "exited"}},
		Pins:     2, ReapedToday: 12, FreedTodayBytes: 1_200_000_000, Listen: "127.0.0.1:9723",
	}
}

func TestStatusTellsHowTheDaemonIs(t *testing.T) {
	d := shortState(t)
	if err := d.Pin("", time.Now(), state.Pin{ID: "99999999:1", Name: "git"}, state.Pin{ID: "99999998:1", Name: "git"}); err != nil {
		t.Fatal(err)
	}
	is := running()
	is.Pins = 0 // the daemon saw none of them
	answering(t, d, is)
	got := command(t, "status")
	for _, want := range []string{
		"reaperd   1.2.3, process 4121, up 1d 2h, mode enforce: it is well\n",
		"policy    built-in sha256 abababababab\n",
		"sources   processes ok · docker unix:///d.sock absent (no engine)\n",
		"ago (exit, ok, 50ms), next in 1",
		"in use    8 servers and 1 container: reaperd scan\n",
		"session   claude-code 44 with 9 servers and 1 container, 610 MB\n",
		"found     2 servers of claude-code, orphaned: pending\n",
		"pending   playwright-mcp 56 in 1m",
		"          fetch eager_fermi (rule orphaned-containers)\n",
		"stop now  reaperd sweep --now\n",
		"today     12 reaped, 1.2 GB freed\n",
		"exited: github-mcp 70 (rule orphaned-servers)\n",
		"pins      2, 2 of which hold no longer: reaperd pins\n",
		"listens   127.0.0.1:9723\n",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is missing in\n%s", want, got.out)
		}
	}
	if got.code != exitOK || strings.Contains(got.out, "PAUSED") || strings.Contains(got.out, "FAULT") {
		t.Errorf("got %+v", got)
	}
	var document struct {
		Running bool     `json:"running"`
		PID     int      `json:"pid"`
		Faults  []string `json:"state_faults"`
	}
	asked := command(t, "status", "-o", "json")
	if err := json.Unmarshal([]byte(asked.out), &document); err != nil || asked.code != exitOK || !document.Running || document.PID != 4121 || document.Faults == nil {
		t.Errorf("%v, %+v", err, asked)
	}
}

func TestStatusOfADaemonThatIsNotWell(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, d state.Dir, is *serve.State)
		want string
	}{
		{"it has no good policy", func(_ *testing.T, _ state.Dir, is *serve.State) {
			is.Ready, is.NotReady = false, "the policy has faults"
			is.Policy.Faults = []string{"policies.yaml:14: rule \"x\": unknown key"}
		}, "IT IS NOT WELL: the policy has faults"},
		{"its journal takes nothing", func(_ *testing.T, _ state.Dir, is *serve.State) {
			is.Ready, is.NotReady = false, "nothing is acted on: the journal takes no record"
			is.Faults = []string{"write journal /j: no space left on device"}
		}, "FAULT     write journal /j: no space left on device\n"},
		{"what is pinned cannot be read", func(t *testing.T, d state.Dir, _ *serve.State) {
			if err := os.WriteFile(filepath.Join(string(d), "pins.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "everything is kept until it is mended"},
		{"whether it is paused cannot be read", func(t *testing.T, d state.Dir, _ *serve.State) {
			if err := os.WriteFile(filepath.Join(string(d), "pause.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "nothing is reaped until it is mended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shortState(t)
			is := running()
			c.make(t, d, &is)
			answering(t, d, is)
			if got := command(t, "status"); got.code != exitFailed || !strings.Contains(got.out, c.want) || !strings.Contains(got.out, "IT IS NOT WELL") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestStatusShowsAPause(t *testing.T) {
	d := shortState(t)
	answering(t, d, running()) // the daemon has not swept since
	if err := d.Pause(time.Now(), state.Pause{}); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "status", "-o", "json"); !strings.Contains(got.out, `"paused":true`) {
		t.Errorf("got %+v", got)
	}
	if got := command(t, "status"); got.code != exitOK || !strings.Contains(got.out, "PAUSED    until it is resumed: nothing is reaped") {
		t.Errorf("got %+v", got)
	}
}

func TestStatusWhereNoDaemonRuns(t *testing.T) {
	d := shortState(t)
	if got := command(t, "status"); got.code != exitNotRunning || got.out != "reaperd is not running.\n" {
		t.Errorf("got %+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitNotRunning || got.out != "{\"version\":1,\"running\":false}\n" {
		t.Errorf("got %+v", got)
	}
	until := time.Now().Add(time.Hour)
	if err := d.Pause(time.Now(), state.Pause{Until: until, Reason: "a migration"}); err != nil {
		t.Fatal(err)
	}
	want := "reaperd is not running.\nPAUSED    until " + until.Format(time.DateTime) + " (a migration): nothing is reaped; reaperd resume ends it\n"
	if got := command(t, "status"); got.code != exitNotRunning || got.out != want {
		t.Errorf("a pause for the next one: %+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitNotRunning || !strings.Contains(got.out, `"running":false,"paused":true,"paused_until":`) {
		t.Errorf("a pause for the next one: %+v", got)
	}
	if got := command(t, "status", "--short"); got.out != "reaperd: off\n" {
		t.Errorf("%+v", got)
	}
	held, err := d.Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if got := command(t, "status"); got.code != exitFailed || !strings.Contains(got.err, "does not answer") {
		t.Errorf("one that runs and does not answer: %+v", got)
	}
	if got := command(t, "status", "-o", "json"); got.code != exitFailed || !strings.Contains(got.out, `"running":true,`) || !strings.Contains(got.out, `"no_answer":"`) || !strings.Contains(got.err, "does not answer") {
		t.Errorf("one that runs and does not answer, for a program: %+v", got)
	}
}

func TestTheLineForAPrompt(t *testing.T) {
	for _, row := range []struct {
		world string
		make  func(*serve.State)
		want  string
		code  int
	}{
		{"well", func(*serve.State) {}, "reaperd: 9 in use, 2 pending\n", exitOK},
		{"with an idle session", func(is *serve.State) {
			is.InUse = append(is.InUse, serve.Client{Name: "claude-code", PID: 50, Servers: 8, MemoryBytes: 1_800_000_000, Idle: true})
		}, "reaperd: 9 in use, 2 pending, 1 idle 1.8 GB\n", exitOK},
		{"with what it only reports", func(is *serve.State) {
			is.Findings = append(is.Findings, serve.Count{Finding: "orphaned", Kind: "server", Decision: "keep", Number: 3})
		}, "reaperd: 9 in use, 2 pending, 3 to look at\n", exitOK},
		{"unwell", func(is *serve.State) { is.Ready = false }, "reaperd: NOT WELL\n", exitFailed},
	} {
		t.Run(row.world, func(t *testing.T) {
			d, is := shortState(t), running()
			row.make(&is)
			answering(t, d, is)
			if got := command(t, "status", "--short"); got.out != row.want || got.err != "" || got.code != row.code {
				t.Errorf("%+v", got)
			}
		})
	}
	shortState(t)
	if got := command(t, "status", "--short"); got.out != "reaperd: off\n" || got.err != "" || got.code != exitNotRunning {
		t.Errorf("not running: %+v", got)
	}
}
