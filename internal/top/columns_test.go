package top

import (
	"testing"
)

// TestNamesGetTheRoomBeforeOwners: the tree tells whose things are too.
func TestNamesGetTheRoomBeforeOwners(t *testing.T) {
	w := ordinary()
	long := w.server("gitlab", 5120, w.Verdicts[3].Target.Owner)
	long.Target.Root.Argv = []string{"docker", "run", "-i", "--rm", "--network", "none", "mcp/gitlab:latest"}
	for _, row := range []struct {
		width        int
		world        *world
		shows, hides []string
	}{
		{120, ordinary(), []string{"OWNER", "npm exec @acme/lark-mcp"}, []string{"…"}},
		{124, w, []string{"docker run -i --rm --network none mcp/gitlab:latest"}, []string{"OWNER", "…"}},
		{150, w, []string{"OWNER", "docker run -i --rm --network none mcp/gitlab:latest"}, []string{"…"}},
		{100, ordinary(), nil, []string{"OWNER"}},
	} {
		r := reads(t, row.world)
		r.sends(Resized{row.width, 24})
		wantOn(t, r.screen(), row.shows, row.hides)
	}
}
