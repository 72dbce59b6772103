package account

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestAWordMeansWhatASessionLeft: 56 and 57 are left by codex 12 and codex 90; process 90 is
// claude-code by now.
func TestAWordMeansWhatASessionLeft(t *testing.T) {
	g := world()
	left := LeftBehind{
		"56:5": {Name: "codex", ID: inventory.ID{PID: 12, Start: 3}}, "57:6": {Name: "codex", ID: inventory.ID{PID: 90, Start: 3}}, "58:8": {Name: "goose"},
	}
	for _, row := range []struct {
		name, word string
		want       []string
	}{
		{"the name of two sessions", "Codex", []string{"56:5", "57:6"}},
		{"the PID of one", "12", []string{"56:5"}},
		{"its identity", "12:3", []string{"56:5"}},
		{"another start of that PID", "12:4", nil},
		{"a PID that another process has now", "90", nil},
		{"the identity tells the two apart", "90:3", []string{"57:6"}},
		{"a session of which no more than the name is known", "goose", []string{"58:8"}},
		{"a glob of the name of two", "CODE*", []string{"56:5", "57:6"}},
		{"a glob of no name", "code??", nil},
		{"what runs", "56", []string{"56:5"}},
		{"nothing", "gemini", nil},
	} {
		var got []string
		for _, target := range g.Targets {
			if left.Means(g, []string{row.word}, target) {
				got = append(got, target.ID)
			}
		}
		if missing := left.Missing(g, []string{row.word}); !slices.Equal(got, row.want) || (len(missing) > 0) != (row.want == nil) {
			t.Errorf("%s: %q means %q, missing %q, want %q", row.name, row.word, got, missing, row.want)
		}
	}
	if missing := (LeftBehind{}).Missing(g, []string{"codex", "fetch"}); !slices.Equal(missing, []string{"codex"}) {
		t.Errorf("nobody knows who left anything: %q is missing", missing)
	}
	if (LeftBehind{"56:5": {}}).Means(g, []string{""}, g.Targets[0]) {
		t.Error("a session without a name is no empty word")
	}
}

func TestAWordMeansAnOwner(t *testing.T) {
	codex := graph.Owner{Name: "codex", ID: inventory.ID{PID: 12, Start: 3}}
	for word, want := range map[string]bool{"codex": true, "CODEX": true, "12": true, "12:3": true, "12:4": false, "COD*": true, "cod": false, "": false, "0": false} {
		if IsOwner(word, codex) != want || IsOwner(word, graph.Owner{}) {
			t.Errorf("%q: %v, want %v", word, !want, want)
		}
	}
}
