package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestWhoseAContainerIsFollowsFromTheOthers: several sessions run one image with the same
// words. A container that two docker runs could have is the one's whom the others leave it.
func TestWhoseAContainerIsFollowsFromTheOthers(t *testing.T) {
	const sessions = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		45 1  45 1 tty  tty  codex
		46 1  46 1 tty  tty  claude`
	for _, c := range []struct {
		name, world string
		want        string // the owner's PID by container, 0 is not known; "?" where it was deduced
	}{
		{"one began after the other had its container", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10`, "c1 44, c2 45"},
		{"three, one after the other", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		52 46 46 19 se@46 sf@46 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10
		container c3 x-mcp 20`, "c1 44, c2 45, c3 46"},
		{"two began together, and the third later", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 2 sc@45 sd@45 docker run -i --rm x-mcp
		52 46 46 19 se@46 sf@46 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 3
		container c3 x-mcp 20`, "c1 0, c2 0, c3 46"},
		{"all began together", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 2 sc@45 sd@45 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 3`, "c1 0, c2 0"},
		{"two of one session began together after another's", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		52 45 45 9 se@45 sf@45 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10
		container c3 x-mcp 10`, "c1 44, c2 45, c3 45"},
		{"whose the later one's docker run is cannot be seen", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 99 45 9 sc@99 sd@99 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10`, "c1 44, c2 0"},
		{"there is one more than docker runs: nothing follows", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10
		container c3 x-mcp 11`, "c1 44, c2 0, c3 0"},
		{"one docker run has none, so it may have had either", `
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		52 46 46 9 se@46 sf@46 docker run -i --rm x-mcp
		container c1 x-mcp 3
		container c2 x-mcp 10`, "c1 0, c2 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, sessions+c.world, sessions+c.world)
			var got []string
			for _, target := range g.Targets {
				if target.Container == nil {
					continue
				}
				mark := ""
				if target.Deduced {
					mark = "?"
				}
				got = append(got, fmt.Sprintf("%s %d%s", target.ID, target.Owner.ID.PID, mark))
				if target.Deduced && target.Runner != "" {
					t.Errorf("%s would go with docker run %s", target.ID, target.Runner)
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%s; want %s", text, c.want)
			}
		})
	}
}

// TestADeducedOwnerMakesNoDuplicate: two containers of one session are an older copy and a
// newer one where their docker runs are known. One that is stopped may have lost its container,
// and then another's only seems to be its.
func TestADeducedOwnerMakesNoDuplicate(t *testing.T) {
	const known = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		45 1  45 1 tty  tty  codex
		50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp
		51 45 45 9 sc@45 sd@45 docker run -i --rm x-mcp
		52 45 45 19 se@45 sf@45 docker run -i --rm x-mcp
		70 1  70 10 pg! ph! x-mcp # container=c2 io=10 cpu=1
		71 1  71 20 pi! pj! x-mcp # container=c3 io=10 cpu=1
		container c1 x-mcp 3
		container c2 x-mcp 10 pid=70
		container c3 x-mcp 20 pid=71`
	stopped := strings.NewReplacer("docker run -i --rm x-mcp\n		52", "docker run -i --rm x-mcp # stopped\n		52", "x-mcp\n		70", "x-mcp # stopped\n		70",
		"50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp\n", "").Replace(known)
	for world, generations := range map[string][2]int{known: {2, 1}, stopped: {0, 0}} {
		g := correlate(t, time.Minute, world, world)
		for i, id := range []string{"c2", "c3"} {
			if target, _ := g.Target(id); target.Generation != generations[i] {
				t.Errorf("%s of %d is %s, generation %d, want %d", id, target.Owner.ID.PID, target.Finding, target.Generation, generations[i])
			}
		}
	}
}
