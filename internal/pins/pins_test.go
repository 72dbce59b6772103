package pins

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

// A container is pinned by what a person types; a process in it means it.
func TestWhatAWordMeansAmongContainers(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	box := inventory.Container{ID: id, Name: "brave-search", Image: "mcp/github"}
	g := &graph.Graph{
		Snapshot: &inventory.Snapshot{
			Host:      inventory.Host{BootID: "boot-1"},
			Processes: []inventory.Process{{PID: 70, Start: 5, ContainerID: id}},
		},
		Targets: []*graph.Target{{ID: id, Kind: graph.KindContainer, Name: "github", Container: &box}},
	}
	for _, word := range []string{id, id[:12], "brave-search", "github", "GIT*", "70", "70:5"} {
		found, err := of(g, nil, []string{word, word})
		if err != nil || len(found) != 1 || found[0].ID != id || found[0].BootID != "" {
			t.Errorf("%s: %+v, %v", word, found, err)
		}
	}
	for _, word := range []string{id[:7], "71", "70:6", "gitlab"} {
		if found, err := of(g, nil, []string{word}); len(found) > 0 || err == nil || !strings.HasPrefix(err.Error(), word+": no such") {
			t.Errorf("%s: %+v, %v", word, found, err)
		}
	}
}

func TestAPinIsMeantByWhatAPersonTypes(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	tree := state.Pin{ID: "56:100", Members: []string{"56:100", "57:101", id}, Name: "playwright-mcp"}
	for word, want := range map[string]bool{"57": true, "Play*": true, id[:12]: true, "58": false, "play": false, id[:7]: false} {
		if got := thing(&tree).IsMeant(word); got != want {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
}
