package account

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

const longID = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestWhatAWordMeans(t *testing.T) {
	tree := Subject{ID: "56:100", Members: []string{"56:100", "57:101"}, Name: "playwright-mcp"}
	box := Subject{ID: longID, Container: "eager_fermi", Name: "GitHub"}
	for _, row := range []struct {
		name          string
		thing         Subject
		word          string
		alone, called bool
	}{
		{"the PID of its root", tree, "56", true, false},
		{"the PID of a member", tree, "57", true, false},
		{"an identity", tree, "56:100", true, false},
		{"the identity of a member", tree, "57:101", true, false},
		{"the PID with another start", tree, "56:1", false, false},
		{"the beginning of a PID", tree, "5", false, false},
		{"the start alone", tree, "100", false, false},
		{"its name", tree, "playwright-mcp", false, true},
		{"its name in another case", tree, "Playwright-MCP", false, true},
		{"a glob of its name", tree, "play*", false, true},
		{"the beginning of its name", tree, "play", false, false},
		{"no word at all", tree, "", false, false},
		{"a container's id", box, longID, true, false},
		{"twelve digits of it", box, longID[:12], true, false},
		{"eight digits of it", box, longID[:8], true, false},
		{"seven digits of it", box, longID[:7], false, false},
		{"a container's name", box, "eager_fermi", true, false},
		{"a container's name as its engine writes it", box, "/eager_fermi", true, false},
		{"half a container's name", box, "eager", false, false},
		{"a glob of what a container is called", box, "Eager*", false, true},
		{"a glob of neither", box, "fermi*", false, false},
		{"the name of the server in it", box, "github", false, true},
		{"a name that looks like a glob and is none", Subject{ID: "1:1", Name: "[demo"}, "[demo", false, true},
		{"an empty word and an empty thing", Subject{}, "", false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			alone, called, meant := row.thing.Is(row.word), row.thing.IsCalled(row.word), row.thing.IsMeant(row.word)
			if alone != row.alone || called != row.called || meant != (alone || called) {
				t.Errorf("%q means it alone: %v, by its name: %v, at all: %v", row.word, alone, called, meant)
			}
		})
	}
}

func TestTheHandleOfAThingMeansIt(t *testing.T) {
	for want, thing := range map[string]Subject{
		"56":           {ID: "56:100", Name: "playwright-mcp"},
		"eager_fermi":  {ID: longID, Container: "eager_fermi"},
		"0123456789ab": {ID: longID, Container: "token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
		"fedcba987654": {ID: strings.Repeat("fedcba9876543210", 4), Container: redact.Name("token=ghp_0123456789abcdefghijklmnopqrstuvwxyz")},
	} {
		if got := thing.Handle(); got != want || !thing.Is(got) {
			t.Errorf("%+v: %q, want %q", thing, got, want)
		}
	}
}

// world has two servers of a name, a client with its container, a session and a
// process that is none of them.
func world() *graph.Graph {
	process := func(pid int, start uint64) *inventory.Process { return &inventory.Process{PID: pid, Start: start} }
	server := func(name string, p *inventory.Process) *graph.Target {
		return &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: name, Root: p, Members: []*inventory.Process{p}}
	}
	session := process(90, 1)
	client := server("github", process(58, 8))
	client.Containers = []string{longID}
	return &graph.Graph{
		Snapshot: &inventory.Snapshot{Processes: []inventory.Process{*process(56, 5), *process(70, 7), *process(90, 1)}},
		Targets: []*graph.Target{
			server("fetch", process(56, 5)), server("fetch", process(57, 6)), client,
			{ID: longID, Kind: graph.KindContainer, Name: "github", Container: &inventory.Container{ID: longID, Name: "/eager_fermi"}},
		},
		Sessions: []graph.Session{{Name: "claude-code", Process: session, Members: []*inventory.Process{session, process(91, 2)}}},
	}
}

func TestWhatAWordMeansInALook(t *testing.T) {
	g := world()
	for _, row := range []struct {
		name, word, one string
		targets         []string
	}{
		{"a PID is one server", "56", "56:5", []string{"56:5"}},
		{"a name of two is neither of them alone", "fetch", "", []string{"56:5", "57:6"}},
		{"a container's name is the container", "eager_fermi", longID, []string{longID}},
		{"of a client and its container the name means the container first", "github", longID, []string{"58:8", longID}},
		{"a glob means all, and none alone", "git*", "", []string{"58:8", longID}},
		{"a process of a session means the session, which is no target here", "91", "90:1", nil},
		{"what is not here", "4711", "", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var ids []string
			for _, target := range TargetsMeant(g, row.word) {
				ids = append(ids, target.ID)
			}
			if one, found := OneMeant(g, row.word); one != row.one || found != (row.one != "") || !slices.Equal(ids, row.targets) {
				t.Errorf("one %q (%v), targets %v", one, found, ids)
			}
		})
	}
}

func TestANameOfSeveralContainersIsNoneOfThemAlone(t *testing.T) {
	another := strings.Repeat("fedcba9876543210", 4)
	for _, row := range []struct {
		world string
		more  *graph.Target
		one   string
	}{
		{"another container of that name", &graph.Target{ID: another, Kind: graph.KindContainer, Name: "github", Container: &inventory.Container{ID: another}}, ""},
		{"a docker run of that name that runs another", &graph.Target{ID: "59:9", Kind: graph.KindServer, Name: "github", Containers: []string{another}}, ""},
		{"another name", &graph.Target{ID: "59:9", Kind: graph.KindServer, Name: "gitlab"}, longID},
	} {
		g := world()
		g.Targets = append(g.Targets, row.more)
		if one, _ := OneMeant(g, "github"); one != row.one {
			t.Errorf("%s: %q, want %q", row.world, one, row.one)
		}
	}
}

func TestAProcessIsMeantByItsNumbersAlone(t *testing.T) {
	s := world().Snapshot
	for word, want := range map[string]int{"70": 70, "70:7": 70, "70:8": 0, "7": 0, "fetch": 0, strings.Repeat("7", 8): 0} {
		got := 0
		if p := ProcessMeant(s, word); p != nil {
			got = p.PID
		}
		if got != want {
			t.Errorf("%s: process %d, want %d", word, got, want)
		}
	}
}

// TestWhatIsNotThereIsTold, with the name that it may stand for.
func TestWhatIsNotThereIsTold(t *testing.T) {
	g, engineless, id := world(), *world(), "3245e59"+strings.Repeat("0", 57)
	secret := "memory token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	g.Targets = append(g.Targets, &graph.Target{ID: "60:1", Name: secret}, &graph.Target{ID: "61:1", Name: "mcp-server-memory"},
		&graph.Target{ID: id, Kind: graph.KindContainer, Name: "gitlab", Container: &inventory.Container{ID: id, Name: "/gl"}})
	engineless.Snapshot = &inventory.Snapshot{Sources: []inventory.Source{{Name: "docker", Status: inventory.StatusError, Reason: "it does not answer"}}}
	const none, all = ": no such MCP server, container or session here", "reaperd scan   shows what there is"
	for _, row := range []struct {
		name       string
		g          *graph.Graph
		missing    []string
		want, hint string
	}{
		{"a typing mistake", g, []string{"fetsch"}, "fetsch" + none, "reaperd scan fetch   the nearest name"},
		{"a part of a name", g, []string{"Memory"}, "Memory" + none, "reaperd scan mcp-server-memory   the nearest name"},
		{"too few digits of a container's id", g, []string{"3245e59"}, "3245e59" + none, "reaperd scan 3245e5900000   the nearest name"},
		{"a part of a name with a secret", g, []string{"ghp_"}, "ghp_" + none, all},
		{"another word", g, []string{"nope"}, "nope" + none, all},
		{"a PID", g, []string{"3245"}, "3245" + none, all},
		{"an empty word", g, []string{"fetsch", ""}, "an empty name means nothing: is a variable of the command line not set?", all},
		{"a process, of which no engine knows", &engineless, []string{"99:5"}, "99:5" + none, all},
		{"a container's id, where no engine answers", &engineless, []string{id}, id + none + "; docker could not be read: it does not answer", all},
	} {
		var advised *human.Error
		if got := NotSeen(row.g, row.missing); !errors.As(got, &advised) || got.Error() != row.want || advised.Hint != row.hint {
			t.Errorf("%s: %q, hint %q", row.name, got, advised.Hint)
		}
	}
}
