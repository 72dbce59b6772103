package world

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
