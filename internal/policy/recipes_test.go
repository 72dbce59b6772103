package policy_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// recipe is the policy below a heading of docs/recipes.md.
func recipe(t *testing.T, heading string) *policy.Policy {
	t.Helper()
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## "+heading)
	section, _, _ = strings.Cut(section, "\n## ")
	_, text, shown := strings.Cut(section, "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	if !found || !shown {
		t.Fatalf("no policy below %q", heading)
	}
	return mustLoad(t, text)
}

func TestTheRecipesDoWhatTheySay(t *testing.T) {
	zombies := func(n int) change {
		return func(t *graph.Target) {
			live(graph.FindingZombies)(t)
			t.Zombies, t.Held = n, 2*time.Minute
		}
	}
	image := func(name string) change { return func(t *graph.Target) { t.Container.Image = name } }
	for _, row := range []struct {
		world, heading string
		target         *graph.Target
		want           policy.Decision
		rule           string
	}{
		{"a leftover container of the image", "Containers that outlive", target(graph.KindContainer, 100, image("ghcr.io/enuno/unifi-mcp-server:1.4")), policy.Reap, "unifi"},
		{"one of another image", "Containers that outlive", target(graph.KindContainer, 100), policy.Keep, "orphaned-containers"},
		{"one of the image in use", "Containers that outlive", target(graph.KindContainer, 100, image("ghcr.io/enuno/unifi-mcp-server"), live(graph.FindingNone)), policy.Keep, ""},
		{"a gateway with 30 zombies", "A gateway that hoards", target(graph.KindGateway, 100, zombies(30)), policy.Reap, "zombie-gateways"},
		{"a gateway with 29", "A gateway that hoards", target(graph.KindGateway, 100, zombies(29)), policy.Keep, ""},
		{"an older copy, idle for an hour: reported", "A new copy", target(graph.KindServer, 100, copyOf(2, inventory.Known(time.Hour))), policy.Keep, "duplicates"},
		{"an older copy at work", "A new copy", target(graph.KindServer, 100, copyOf(2, inventory.Known(time.Minute))), policy.Keep, ""},
		{"a session idle since yesterday", "Sessions that nobody", session(idleFor(13 * time.Hour)), policy.Reap, "idle-sessions"},
		{"a session idle since this morning", "Sessions that nobody", session(idleFor(11 * time.Hour)), policy.Pending, "idle-sessions"},
	} {
		got := judgeOne(recipe(t, row.heading), row.target)
		if got.Decision != row.want || got.Rule != row.rule {
			t.Errorf("%s, %s: %s by %q, want %s by %q", row.heading, row.world, got.Decision, got.Rule, row.want, row.rule)
		}
	}
}

func TestTheRecipeWithALimitEndsTheNinth(t *testing.T) {
	p, reaped := recipe(t, "A new copy"), 0
	var nine []*graph.Target
	for pid := range 9 {
		nine = append(nine, target(graph.KindServer, 100+10*pid, live(graph.FindingNone), func(t *graph.Target) { t.Name = "mcp-codebase-index" }))
	}
	for _, verdict := range judgeAll(p, policy.JudgeOptions{}, nine...) {
		if verdict.Decision == policy.Reap && verdict.Rule == "too-many" {
			reaped++
		}
	}
	if reaped != 1 {
		t.Errorf("%d of 9 are reaped where 8 may stay", reaped)
	}
}

func TestTheRecipesNameWhatTheCatalogueDoesNot(t *testing.T) {
	server := &inventory.Process{PID: 7, Exe: "/usr/bin/python3", Argv: []string{"python3", "/usr/local/bin/dialpad-messaging"}}
	if p := recipe(t, "A native server"); len(p.Servers) != 1 || !p.Servers[0].Matches(server) {
		t.Errorf("servers: %+v", p.Servers)
	}
	agent := &inventory.Process{PID: 7, Exe: "/opt/x/my-agent", Argv: []string{"my-agent", "--continue"}}
	if p := recipe(t, "An agent that"); len(p.Sessions) != 1 || !p.Sessions[0].Matches(agent) || p.Sessions[0].Matches(server) {
		t.Errorf("sessions: %+v", p.Sessions)
	}
}
