package account

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatAWrongWordMayStandFor(t *testing.T) {
	g := world()
	g.Sessions[0].Process.Comm = "claude"
	other := strings.Repeat("fedcba9876543210", 4)
	g.Targets = append(g.Targets,
		&graph.Target{ID: "60:1", Kind: graph.KindServer, Name: "mcp-server-memory"},
		&graph.Target{ID: "61:1", Kind: graph.KindServer, Name: "mcp-server-memory"},
		&graph.Target{ID: "64:1", Kind: graph.KindServer, Name: "fetch-rs"},
		&graph.Target{ID: "62:1", Kind: graph.KindServer, Name: "mcp-claude-tools"},
		&graph.Target{ID: "63:1", Kind: graph.KindServer, Name: "memory token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
		&graph.Target{ID: other, Kind: graph.KindContainer, Name: "unifi-mcp", Container: &inventory.Container{ID: other, Name: "/keepme"}})
	for _, row := range []struct {
		name, word string
		want       []string
	}{
		{"the program of a session", "claude", []string{"claude-code"}},
		{"the beginning of a name, and the middle of another, in another case", "Claude-", []string{"claude-code", "mcp-claude-tools"}},
		{"two letters that names begin with", "fe", []string{"fetch", "fetch-rs"}},
		{"a part of a name that two have", "memory", []string{"mcp-server-memory"}},
		{"names that begin with it come before those that have it within", "mcp", []string{"mcp-server-memory", "mcp-claude-tools", "unifi-mcp"}},
		{"what a container is called", "keep", []string{"keepme"}},
		{"the first digits of a container's id, too few to name it", "fedc", []string{"keepme"}},
		{"a package as a configuration has it", "@modelcontextprotocol/server-memory@1.2", []string{"mcp-server-memory"}},
		{"an image as docker run has it", "ghcr.io/enuno/unifi-mcp:latest", []string{"unifi-mcp"}},
		{"a letter left out", "fech", []string{"fetch"}},
		{"two letters within many names", "er", nil},
		{"the end of a word, and most of it", "mory", []string{"mcp-server-memory"}},
		{"the end of a word, and half of it", "hub", nil},
		{"the middle of a word, and half of it", "rve", nil},
		{"the end of a word, and the next", "ory-", nil},
		{"the end of a word that is most of it, and the next", "erver-mem", []string{"mcp-server-memory"}},
		{"the name itself", "github", nil},
		{"a name that is the beginning of another", "fetch", nil},
		{"a part of a name with a secret", "ghp_", nil},
		{"another word", "nope", nil},
		{"a glob", "f*", nil},
		{"a PID", "56", nil},
		{"no word", "", nil},
	} {
		if got := Near(g, row.word); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q stands for %q, want %q", row.name, row.word, got, row.want)
		}
	}
}

func TestAHintNamesWhatIsNear(t *testing.T) {
	for _, row := range []struct {
		near []string
		want string
	}{
		{[]string{"fetch"}, "reaperd scan fetch   the nearest name"},
		{[]string{"my fetch", "b"}, "reaperd scan 'my fetch'   the nearest name; also near: b"},
		{[]string{"a", "b", "c", "d", "e", "f"}, "reaperd scan a   the nearest name; also near: b, c, d and 2 more"},
	} {
		if got := NearHint("reaperd scan", row.near); got != row.want {
			t.Errorf("%q: %s", row.near, got)
		}
	}
}
