package account

import (
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
)

// host has a session with a server, a docker run with its container, and what a session left.
func host() *Account {
	return &Account{
		Sessions: []Session{{ID: "44:1", Name: "claude-code", PID: 44, Start: 1}, {ID: "80:1", Name: "codex", PID: 80, Start: 1}},
		Things: []Thing{
			{ID: "56:1", Kind: graph.KindServer, Name: "context7", PIDs: []int{56, 57}, Owner: Owner{Name: "claude-code", PID: 44, Start: 1, Liveness: graph.LivenessLive}},
			{ID: "70:1", Kind: graph.KindServer, Name: "github", PIDs: []int{70}, Containers: []string{"abc"}, Owner: Owner{Name: "codex", PID: 80, Start: 1, Liveness: graph.LivenessLive}},
			{ID: "abc", Kind: graph.KindContainer, Name: "github", Container: "/happy_fermi", Client: "70:1"},
			{ID: "90:1", Kind: graph.KindServer, Name: "fetch", PIDs: []int{90}, Owner: Owner{Name: "gemini", PID: 12, Start: 1, Liveness: graph.LivenessGone}},
		},
	}
}

func TestAWordMeansWhatBelongsTogether(t *testing.T) {
	for _, row := range []struct {
		name, word string
		want       []string
	}{
		{"a server, and the session that has it", "56", []string{"44:1", "56:1"}},
		{"a process of it", "57", []string{"44:1", "56:1"}},
		{"a docker run with its container", "70", []string{"70:1", "80:1", "abc"}},
		{"a container with its docker run", "happy_fermi", []string{"70:1", "abc"}},
		{"a session with all that it holds", "CODEX", []string{"70:1", "80:1", "abc"}},
		{"a session that has ended", "gemini", []string{"90:1"}},
		{"its number", "12", []string{"90:1"}},
		{"a glob", "*e*ch", []string{"90:1"}},
		{"nothing", "4711", nil},
		{"no word", "", nil},
	} {
		if got := host().Meant(row.word); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q means %q, want %q", row.name, row.word, got, row.want)
		}
	}
}

func TestOnlyWhatIsMissingIsMissing(t *testing.T) {
	if got := host().Missing([]string{"56", "fetsch", "gemini"}); !slices.Equal(got, []string{"fetsch"}) {
		t.Errorf("%q is missing", got)
	}
}
