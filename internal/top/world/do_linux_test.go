package world

import (
	"bufio"
	"bytes"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/test/standin"
)

// The server is in use, so no key may end it, whatever the answer to a question.
func TestKeysDoWhatTheirCommandsDo(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config"))
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no-engine.sock"))
	dir := state.Dir(filepath.Join(folder, "state"))
	w, err := Open(Options{
		Mode: policy.ModeEnforce, Journal: filepath.Join(folder, "journal.jsonl"), State: dir, Log: slog.New(slog.DiscardHandler),
		Every: time.Second, NoDaemon: true, Width: func() int { return 120 },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	pid := standin.Server(t, "mcp-server-of-world")
	for _, row := range []struct {
		name   string
		do     top.Effect
		says   string
		pinned int
		fails  bool
	}{
		{"pin", top.Effect{Do: top.Pin, Targets: []string{pid}}, "Pinned ", 1, false},
		{"stop what is pinned", top.Effect{Do: top.Stop, Targets: []string{pid}}, "leaves it alone", 1, false},
		{"unpin", top.Effect{Do: top.Unpin, Targets: []string{pid}}, "Unpinned ", 0, false},
		{"unpin again", top.Effect{Do: top.Unpin, Targets: []string{pid}}, pid + ": not pinned (reaperd pins   lists them)", 0, true},
		{"stop what is in use", top.Effect{Do: top.Stop, Targets: []string{pid}}, "is in use. reaperd leaves it alone", 0, false},
		{"stop what is not here", top.Effect{Do: top.Stop, Targets: []string{"no-such"}}, "no-such: no such MCP server", 0, true},
	} {
		answer := w.Do(t.Context(), row.do, func(q top.Question) bool {
			t.Errorf("%s asks %q about %q", row.name, q.Asks, q.Plan)
			return false
		})
		said := strings.Join(answer.Lines, "\n")
		if answer.Err != nil {
			said = answer.Err.Error()
		}
		if pins, fault := dir.Pins("", time.Now()); fault != nil || len(pins) != row.pinned || (answer.Err != nil) != row.fails || !strings.Contains(said, row.says) {
			t.Errorf("%s: %d pins (%v), and says %q", row.name, len(pins), fault, said)
		}
	}
}

// TestALookByItselfTellsWhetherThePolicyIsTheReadersOwn: root's daemon does not go by that.
func TestALookByItselfTellsWhetherThePolicyIsTheReadersOwn(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config"))
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no-engine.sock"))
	own := filepath.Join(folder, "policies.yaml")
	if err := os.WriteFile(own, []byte("version: 1\nextends: builtin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{own, ""} {
		w, err := Open(Options{
			Policies: named, Mode: policy.ModeReport, Journal: filepath.Join(folder, "journal.jsonl"), State: state.Dir(filepath.Join(folder, "state")),
			Log: slog.New(slog.DiscardHandler), Every: time.Second, NoDaemon: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.tree().OwnPolicy; got != (named != "") {
			t.Errorf("%q: %v", named, got)
		}
	}
}

func TestALookComesWithThePinsOfThisBoot(t *testing.T) {
	dir := state.Dir(t.TempDir())
	if err := dir.Pin("boot-1", time.Now(), state.Pin{ID: "47:1", Name: "codex", BootID: "boot-1"}, state.Pin{ID: "48:1", Name: "codex", BootID: "boot-0"}); err != nil {
		t.Fatal(err)
	}
	w := &World{Options: Options{State: dir, Log: slog.New(slog.DiscardHandler)}}
	if seen := w.withOwn(t.Context(), top.Seen{Tree: overview.Tree{BootID: "boot-1"}}); !slices.Equal(seen.Pins, []string{"47:1"}) {
		t.Errorf("got the pins %v", seen.Pins)
	}
}

func TestWhatAPinSays(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.Local)
	for want, pin := range map[string]state.Pin{
		"pinned 2026-11-26 12:00:00":                                   {At: noon},
		"pinned 2026-11-26 12:00:00 until 2026-11-26 20:00:00, a demo": {At: noon, Until: noon.Add(8 * time.Hour), Reason: "a demo"},
	} {
		if got := pinText(&pin); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestOnlyAStopNeedsAPolicyWithoutFaults: looks and pins need none.
func TestOnlyAStopNeedsAPolicyWithoutFaults(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config"))
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no-engine.sock"))
	file := filepath.Join(folder, "config", "reaperd", "policies.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("version: 1\nmoed: report\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	options := Options{State: state.Dir(filepath.Join(folder, "state")), Log: slog.New(slog.DiscardHandler), Width: func() int { return 80 }}
	w, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	wantPolicy := func(world string, refused bool, shownBy string) {
		t.Helper()
		seen := w.Next(t.Context())
		if faults := strings.Join(seen.Tree.Refused, "\n"); seen.Err != nil || strings.Contains(faults, "moed") != refused || seen.Tree.ShownBy != shownBy {
			t.Errorf("%s: refused for %q, shown by %q, %v", world, faults, seen.Tree.ShownBy, seen.Err)
		}
	}
	wantPolicy("a file with a fault from the start", true, "the built-in one")
	pid := standin.Server(t, "mcp-server-of-world")
	if said := w.Do(t.Context(), top.Effect{Do: top.Pin, Targets: []string{pid}}, nil); said.Err != nil || len(said.Lines) != 1 || !strings.HasPrefix(said.Lines[0], "Pinned ") {
		t.Errorf("pin: %+v", said)
	}
	if said := w.Do(t.Context(), top.Effect{Do: top.Stop, Targets: []string{pid}}, nil); said.Err == nil || !strings.Contains(said.Err.Error(), "x stops nothing while the policy file is refused. It has 1 fault:\n~/config/") || !strings.Contains(said.Err.Error(), "moed") {
		t.Errorf("stop: %+v", said)
	}
	for _, row := range []struct {
		world, file string
		refused     bool
		shownBy     string
	}{
		{"it is mended", "version: 1\nmode: report\n", false, ""},
		{"it has a fault again", "version: 1\nmoed: report\n", true, "the one before it"},
	} {
		if err := os.WriteFile(file, []byte(row.file), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Hurry()
		wantPolicy(row.world, row.refused, row.shownBy)
	}
	if w.sight.Policy.Mode != policy.ModeReport {
		t.Errorf("the policy before it does not hold: mode %s", w.sight.Policy.Mode)
	}
	named := options
	named.Policies = file
	if _, err := Open(named); err == nil {
		t.Error("a file with faults was named, and it is opened")
	}
}

// TestWhatOnlyMemoryKnowsForAServerIsPinned: its name tells nobody what it is, and the session that spoke to it has
// ended.
func TestWhatOnlyMemoryKnowsForAServerIsPinned(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config"))
	t.Setenv("DOCKER_HOST", "") // an engine that did not answer would leave open what has ended
	w, err := Open(Options{State: state.Dir(filepath.Join(folder, "state")), Log: slog.New(slog.DiscardHandler), Every: time.Minute, NoDaemon: true, Width: func() int { return 120 }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	end, id := sessionWithServer(t, "codex", "nobody-knows-it")
	if seen := w.Next(t.Context()); seen.Err != nil || seen.Tree.OfTarget(id) == nil {
		t.Fatalf("the server of the session is not seen: %v", seen.Err)
	}
	end()
	said := w.Do(t.Context(), top.Effect{Do: top.Pin, Targets: []string{id}}, nil)
	if said.Err != nil || len(said.Lines) == 0 || !strings.HasPrefix(said.Lines[0], "Pinned nobody-knows-it ") {
		t.Errorf("%+v", said)
	}
}

// sessionWithServer starts a process with the name of a coding agent and below it one with a name that tells nobody
// what it is, and returns the target's id. end ends the agent; the server is gone when the test is over.
func sessionWithServer(t *testing.T, agent, server string) (end func(), id string) {
	t.Helper()
	folder := t.TempDir()
	shell, err := os.ReadFile("/bin/bash")
	lives := filepath.Join(folder, "lives") // what reads it ends with the test
	script := "while read line; do echo; done; read line < " + lives
	err = errors.Join(err, syscall.Mkfifo(lives, 0o600), os.WriteFile(filepath.Join(folder, agent), shell, 0o755), os.WriteFile(filepath.Join(folder, server), shell, 0o755),
		os.WriteFile(filepath.Join(folder, "serve"), []byte(script), 0o600),
		os.WriteFile(filepath.Join(folder, "speak"), []byte("coproc "+filepath.Join(folder, server)+" "+filepath.Join(folder, "serve")+"\necho $COPROC_PID\nread line\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	holds, err := os.OpenFile(lives, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { holds.Close() })
	child := exec.Command(filepath.Join(folder, agent), filepath.Join(folder, "speak"))
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { in.Close(); _ = child.Wait() })
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(line)
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	behindName := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return end, pid + ":" + behindName[19] // the 22nd field is its start
}

// TestRootIsToldOfItsPinsByWhichAUsersDaemonDoesNotGo: of what that user runs, and of nothing else.
func TestRootIsToldOfItsPinsByWhichAUsersDaemonDoesNotGo(t *testing.T) {
	tree := overview.Tree{Branches: []overview.Branch{{Nodes: []overview.Node{
		{Key: "a", Kind: overview.KindServer, Name: "fetch", Target: "21:210", PID: 21, User: "dev"}, {Key: "b", Kind: overview.KindServer, Name: "git", Target: "22:220", PID: 22, User: "ann"},
	}}}}
	held := []state.Pin{{ID: "21:210"}, {ID: "22:220"}, {ID: "23:230"}}
	told := unheededBeside(&tree, held, beside.Daemons{{User: "dev", UID: 1000, PID: 7}})
	const want = "dev's daemon (process 7) does not go by your pin of fetch 21, which is another user's: su dev -c 'reaperd pin 21'"
	if len(told) != 1 || told["21:210"] != want {
		t.Errorf("%q", told)
	}
}
