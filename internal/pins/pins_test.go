package pins

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
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
		found, err := (Request{Graph: g, Words: []string{word, word}}).found()
		if err != nil || len(found) != 1 || found[0].ID != id || found[0].BootID != "" {
			t.Errorf("%s: %+v, %v", word, found, err)
		}
	}
	for _, word := range []string{id[:7], "71", "gitlab"} {
		if found, err := (Request{Graph: g, Words: []string{word}}).found(); len(found) > 0 || err == nil || !strings.HasPrefix(err.Error(), word+": no such") {
			t.Errorf("%s: %+v, %v", word, found, err)
		}
	}
	if found, err := (Request{Graph: g, Words: []string{"70:6"}}).found(); len(found) > 0 || err == nil || err.Error() != "70 has ended meanwhile" {
		t.Errorf("another process had that PID: %+v, %v", found, err)
	}
}

// TestAPinNamesTheSessionThatLeftItsTarget: only a daemon has seen that session.
func TestAPinNamesTheSessionThatLeftItsTarget(t *testing.T) {
	leavers := map[string]graph.Owner{"22:1": {Name: "codex", ID: inventory.ID{PID: 21, Start: 1}, Liveness: graph.LivenessGone}}
	leftBy := func(id string) (graph.Owner, bool) { owner, known := leavers[id]; return owner, known }
	gone := graph.Owner{Liveness: graph.LivenessGone}
	for _, row := range []struct {
		world  string
		target graph.Target
		want   string
	}{
		{"a daemon knows who left it", graph.Target{ID: "22:1", Owner: gone}, "codex 21, which is gone"},
		{"nobody knows", graph.Target{ID: "23:1", Owner: gone}, "nobody"},
		{"it has a live owner by now", graph.Target{ID: "22:1", Owner: graph.Owner{Name: "pi", ID: inventory.ID{PID: 5}, Liveness: graph.LivenessLive}}, "pi 5"},
	} {
		g := &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{BootID: "boot-1"}}, Targets: []*graph.Target{&row.target}}
		found, err := Pin(ownDir(t), Request{Graph: g, Words: []string{row.target.ID}, LeftBy: leftBy})
		if err != nil || len(found) != 1 || found[0].Owner != row.want {
			t.Errorf("%s: %+v, %v; want %q", row.world, found, err, row.want)
		}
	}
}

// TestOnlyWhatRunsIsPinned: the name of a session that has ended does not pin what it left.
func TestOnlyWhatRunsIsPinned(t *testing.T) {
	gone := graph.Owner{Name: "codex", ID: inventory.ID{PID: 21, Start: 1}, Liveness: graph.LivenessGone}
	left := &graph.Target{ID: "22:1", Name: "fetch", Finding: graph.FindingOrphaned}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{Host: inventory.Host{BootID: "boot-1"}}, Targets: []*graph.Target{left}}
	leftBy := func(id string) (graph.Owner, bool) { return gone, id == left.ID }
	for _, row := range []struct {
		words      []string
		want, hint string
	}{
		{[]string{"codex"}, "codex: the session has ended, and only what runs can be pinned", "reaperd pin 22   pins what it left"},
		{[]string{"fetch", "21"}, "21: the session has ended, and only what runs can be pinned", "reaperd pin 22   pins what it left"},
		{[]string{"codex", "no-such"}, "no-such: no such MCP server, container or session here", "reaperd scan   shows what there is"},
	} {
		found, err := Pin(ownDir(t), Request{Graph: g, Words: row.words, LeftBy: leftBy})
		var advised *advice.Error
		if len(found) > 0 || !errors.As(err, &advised) || err.Error() != row.want || advised.Hint != row.hint {
			t.Errorf("%q: pinned %+v, %v", row.words, found, err)
		}
	}
}

// A process that is no server is called as explain calls it, not by what its arguments name.
func TestAPinOfAnyProcessHasItsName(t *testing.T) {
	g := &graph.Graph{Snapshot: &inventory.Snapshot{Processes: []inventory.Process{{PID: 1, Start: 5, Comm: "tini", Argv: []string{"tini", "--", "/home/dev/inside.sh"}}}}}
	if found, err := (Request{Graph: g, Words: []string{"1"}}).found(); err != nil || len(found) != 1 || found[0].Name != "tini" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestAClientThatIsNotKnownIsPinnedByItsName too, as explain and scan know it.
func TestAClientThatIsNotKnownIsPinnedByItsName(t *testing.T) {
	p := inventory.Process{PID: 40, Start: 7, Comm: "myagent"}
	owned := &graph.Target{ID: "140:7", Kind: graph.KindServer, Name: "fetch", Root: &inventory.Process{PID: 140, Start: 7}, Owner: graph.Owner{Name: "myagent", ID: p.ID(), Liveness: graph.LivenessLive}}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{Processes: []inventory.Process{p}}, Targets: []*graph.Target{owned}}
	if got := ofWord(g, nil, "myagent"); len(got) != 1 || got[0].ID != "40:7" || got[0].Name != "myagent" {
		t.Errorf("%+v", got)
	}
	if got := ofWord(g, nil, "fetch"); len(got) != 1 || got[0].ID != "140:7" {
		t.Errorf("its server: %+v", got)
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

func TestWhatIsSaidOfNewPins(t *testing.T) {
	until := time.Date(2026, time.November, 26, 18, 0, 0, 0, time.UTC)
	fetch, git := state.Pin{ID: "22:1", Members: []string{"22:1"}}, state.Pin{ID: "31:1", Members: []string{"31:1"}}
	limited := fetch
	limited.Until, limited.Reason = until, "a demo"
	alsoLimited := git
	alsoLimited.Until, alsoLimited.Reason = until, "a demo"
	both := []state.Pin{fetch, git}
	look := &graph.Graph{Snapshot: &inventory.Snapshot{
		Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "permission denied on /run/docker.sock"}},
		Processes: []inventory.Process{
			{PID: 63, Start: 1, State: "S", Comm: "vim"}, {PID: 64, Start: 1, State: "S", Comm: "mcp-server-x", ContainerID: strings.Repeat("c0", 32)},
		},
	}}
	for _, row := range []struct {
		world         string
		found, before []state.Pin
		want          []string
	}{
		{"one pin", both[:1], nil, []string{"reaperd unpin 22   ends this pin"}},
		{"two pins", both, nil, []string{"reaperd unpin 22 31   ends these pins"}},
		{"nine pins", slices.Repeat(both[:1], 9), nil, []string{"reaperd pins   lists them, reaperd unpin ends one"}},
		{"a pin that had an end and a reason", both, []state.Pin{limited}, []string{
			`note: this replaces the pin of 22 until ` + human.Moment(until.Local()) + ` ("a demo"): now it has no end and no reason`, "reaperd unpin 22 31   ends these pins"}},
		{"two such pins are in one note", both, []state.Pin{limited, alsoLimited}, []string{
			`note: this replaces the pins of 22 and 31 until ` + human.Moment(until.Local()) + ` ("a demo"): now they have no end and no reason`, "reaperd unpin 22 31   ends these pins"}},
		{"a pin that had neither", []state.Pin{limited}, both[:1], []string{
			"note: this replaces the pin of 22 without an end: now it has another end (" + human.Moment(until.Local()) + ") and another reason", "reaperd unpin 22   ends this pin"}},
		{"the same pin again", both[:1], both, []string{"note: 22 was pinned already", "reaperd unpin 22   ends this pin"}},
		{"a pin of another process", []state.Pin{{ID: "63:1", Name: "vim"}}, nil, []string{
			"note: 63 (vim) is no MCP server, as far as is known: reaperd never touches it, pinned or not", "reaperd unpin 63   ends this pin"}},
		{"a pin of a process in a container that cannot be read", []state.Pin{{ID: "64:1", Name: "mcp-server-x"}}, nil, []string{
			"note: 64 (mcp-server-x) runs in container c0c0c0c0c0c0, and what it is cannot be told: docker could not be read: permission denied on /run/docker.sock", "reaperd unpin 64   ends this pin"}},
		{"a pin of something else", both[:1], []state.Pin{{ID: "40:1", Until: until}}, []string{"reaperd unpin 22   ends this pin"}},
	} {
		if got := Notes(look, row.found, row.before, ownDir(t)); !slices.Equal(got, row.want) {
			t.Errorf("%s:\n%q, want\n%q", row.world, got, row.want)
		}
	}
}

// ownDir is the state directory of the user who runs the test, so that no daemon of the
// system's is mentioned.
func ownDir(t *testing.T) state.Dir {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	return state.UserDir(home)
}

func TestAReasonIsNeverCut(t *testing.T) {
	at := time.Date(2026, time.November, 22, 11, 32, 12, 0, time.Local)
	server := state.Pin{ID: "127:1", Members: []string{"127:1"}, Name: "github-mcp-server", Owner: "claude-code 12", At: at, By: os.Geteuid(),
		Reason: "please do not touch this one: Anna debugs the release of the shop until Friday"}
	session := state.Pin{ID: "13:1", Name: "codex", At: at, By: os.Geteuid(), Until: at.Add(8 * time.Hour)}
	list := List{{Pin: server}, {Pin: session}}
	for width, want := range map[int]string{
		80: `github-mcp-server 127
   of      claude-code 12
   holds   until unpinned
   pinned  2026-11-22 11:32:12
   reason  please do not touch this one: Anna debugs the release of the shop
           until Friday
codex 13
   holds   until 2026-11-22 19:32:12
   pinned  2026-11-22 11:32:12
`,
		30: `github-mcp-server 127
   of      claude-code 12
   holds   until unpinned
   pinned  2026-11-22 11:32:12
   reason  please do not touch
           this one: Anna
           debugs the release
           of the shop until
           Friday
codex 13
   holds   until 2026-11-22
           19:32:12
   pinned  2026-11-22 11:32:12
`,
		1 << 16: `NAME               TARGET  OF              HOLDS                      PINNED               REASON
github-mcp-server  127     claude-code 12  until unpinned             2026-11-22 11:32:12  please do not touch this one: Anna debugs the release of the shop until Friday
codex              13      –               until 2026-11-22 19:32:12  2026-11-22 11:32:12
`,
	} {
		var out strings.Builder
		if err := list.Write(&out, width); err != nil || out.String() != want {
			t.Errorf("at %d columns, %v:\n%s\nwant\n%s", width, err, out.String(), want)
		}
	}
}

func TestAPinOfASessionTellsWhatItKeeps(t *testing.T) {
	process := func(pid int) *inventory.Process { return &inventory.Process{PID: pid, Start: 1} }
	codex, gateway := process(13), process(20)
	target := func(pid int, kind graph.Kind, owner *inventory.Process) *graph.Target {
		p := process(pid)
		return &graph.Target{ID: p.ID().String(), Kind: kind, Root: p, Owner: graph.Owner{ID: owner.ID(), Liveness: graph.LivenessLive}}
	}
	container := target(30, graph.KindContainer, codex)
	container.Container = &inventory.Container{Name: "u1"}
	g := &graph.Graph{
		Snapshot: &inventory.Snapshot{},
		Sessions: []graph.Session{{Name: "codex", Process: codex, Members: []*inventory.Process{codex}}},
		Targets: []*graph.Target{
			target(20, graph.KindGateway, codex), target(21, graph.KindServer, codex), container,
			target(22, graph.KindServer, gateway), target(23, graph.KindServer, process(14)),
		},
	}
	for _, row := range []struct{ world, id, name, want string }{
		{"a session, with what its gateway has", "13:1", "codex", "note: while codex 13 lives, this keeps what it holds too: 3 servers and 1 container; a pin of its own keeps one for longer"},
		{"a gateway", "20:1", "gateway", "note: while gateway 20 lives, this keeps what it holds too: 1 server; a pin of its own keeps one for longer"},
		{"a server", "21:1", "fetch", ""},
	} {
		got := strings.Join(LookNotes(g, []state.Pin{{ID: row.id, Members: []string{row.id}, Name: row.name}}, nil), "\n")
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

func TestOneOfAPinnedPairIsUnpinnedAlone(t *testing.T) {
	box := strings.Repeat("ab", 32)
	run, container := state.Pin{ID: "22:1", Members: []string{"22:1", box}}, state.Pin{ID: box, Container: "eager_fermi"}
	for _, row := range []struct {
		name   string
		pinned []state.Pin
		word   string
		ends   []string
	}{
		{"the container by its id", []state.Pin{run, container}, box, []string{box}},
		{"the container by its name", []state.Pin{run, container}, "eager_fermi", []string{box}},
		{"the docker run", []state.Pin{run, container}, "22:1", []string{"22:1"}},
		{"the container, if only its docker run is pinned", []state.Pin{run}, box, []string{"22:1"}},
	} {
		dir := state.Dir(t.TempDir())
		if err := dir.Pin("", time.Now(), row.pinned...); err != nil {
			t.Fatal(err)
		}
		ended, err := End(dir, []string{row.word}, nothingSeen)
		var ids []string
		for i := range ended {
			ids = append(ids, ended[i].ID)
		}
		if err != nil || !slices.Equal(ids, row.ends) {
			t.Errorf("%s: ended %v, %v; want %v", row.name, ids, err, row.ends)
		}
	}
}
