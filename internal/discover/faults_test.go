package discover

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// faults are those of a look, without the path of the home.
func (w *world) faults() []string {
	w.t.Helper()
	set := w.d.Configured(w.t.Context(), []Home{w.home}, nil)
	var texts []string
	for _, text := range set.FaultTexts() {
		texts = append(texts, strings.ReplaceAll(text, w.home.Dir, "~"))
	}
	return texts
}

func TestAFaultIsToldAtEachLookUntilItIsMended(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", "{broken")
	w.write(".cursor/mcp.json", `{"mcpServers": {"one": {"command": "one"}, "two": 2}}`)
	first := w.faults()
	if len(first) != 2 || !strings.HasPrefix(first[0], "~/.claude.json is not used: line 1: ") ||
		!strings.HasPrefix(first[1], "a part of ~/.cursor/mcp.json is not used: line 1: ") {
		t.Fatalf("got %q", first)
	}
	if again := w.faults(); !slices.Equal(again, first) {
		t.Errorf("at the second look %q, want %q", again, first)
	}
	set := w.d.Configured(t.Context(), []Home{w.home}, nil)
	if files := set.Files(); !slices.Equal(files, []string{w.path(".cursor/mcp.json")}) {
		t.Errorf("used are %q", files)
	}
	w.write(".claude.json", mcp("three"))
	w.write(".cursor/mcp.json", mcp("one"))
	if now := w.faults(); len(now) != 0 {
		t.Errorf("mended, and still %q", now)
	}
}

func TestDiscoverTellsWhatCouldNotBeRead(t *testing.T) {
	set := NewSet([]Server{{Name: "a", Command: "a", Client: "codex", File: "/home/dev/.codex/config.toml"}}, nil).
		withFaults([]Warning{{"/home/dev/src/\x1b[2J/.mcp.json", "line 1: not valid JSON"}})
	const want = "/home/dev/src/?[2J/.mcp.json is not used: line 1: not valid JSON"
	if got := set.FaultTexts(); !slices.Equal(got, []string{want}) {
		t.Errorf("got %q, want %q", got, want)
	}
	data, err := Union(set).JSON()
	if want := `"faults":[{"file":"/home/dev/src/\u001b[2J/.mcp.json","why":"line 1: not valid JSON"}]`; err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%v, got %s, want %s", err, data, want)
	}
}

func TestAFolderThatWasLateIsNamedAndReadSoonAfterItAnswers(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", mcp("one"))
	synctest.Test(t, func(t *testing.T) {
		w.d = New(Options{})
		busy := make(chan struct{})
		at := corner{dir: w.home.Dir, uid: w.home.UID}
		ownfile.Ask(&w.d.asker, ownfile.Question[corner]{Of: at, Group: at.uid}, func() struct{} { <-busy; return struct{}{} })

		want := []string{"~ did not answer within 0.5 s; what was known of it stays"}
		if got := w.faults(); !slices.Equal(got, want) {
			t.Errorf("while it is late: %q, want %q", got, want)
		}
		if w.d.AnswersAgain() {
			t.Error("it is asked again while it does not answer")
		}
		close(busy)
		synctest.Wait()
		time.Sleep(silentFor / 10) // the bubble's clock
		if !w.d.AnswersAgain() {
			t.Error("it answers, and is not asked again soon")
		}
		if names, _ := w.look(); !slices.Equal(names, []string{"one"}) || len(w.faults()) != 0 || len(w.d.Unread()) != 0 {
			t.Errorf("afterwards: %q, faults %q, unread %q", names, w.faults(), w.d.Unread())
		}
	})
}
