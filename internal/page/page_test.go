package page

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// noon is the time of every page.
var noon = time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// tree is a tree in mode enforce with these branches.
func tree(branches ...overview.Branch) overview.Tree {
	t := overview.Tree{
		Version: overview.Version, At: ago(time.Second), Hostname: "box", Mode: policy.ModeEnforce, Complete: true, Branches: branches,
		Sources: []inventory.Source{{Name: "processes", Status: inventory.StatusOK}}, Day: new(overview.Day).Steps(noon),
	}
	for _, b := range branches {
		t.Totals.Pending += b.Totals.Pending
		t.Totals.GoingBytes += b.Totals.GoingBytes
		t.Totals.Servers += b.Totals.Servers
	}
	return t
}

func sessions(nodes ...overview.Node) overview.Branch {
	return branchOfNodes(overview.BranchSessions, nodes)
}

func leaked(nodes ...overview.Node) overview.Branch {
	return branchOfNodes(overview.BranchLeaked, nodes)
}

func branchOfNodes(name overview.BranchName, nodes []overview.Node) overview.Branch {
	b := overview.Branch{Name: name, Nodes: nodes}
	for _, n := range nodes {
		b.Totals.Sessions += n.Totals.Sessions
		b.Totals.Servers += n.Totals.Servers
		b.Totals.MemoryBytes += n.Totals.MemoryBytes
		b.Totals.Pending += n.Totals.Pending
		b.Totals.GoingBytes += n.Totals.GoingBytes
	}
	return b
}

func session(pid int, memory uint64, servers ...overview.Node) overview.Node {
	return overview.Node{
		Key: fmt.Sprintf("session:%d:1", pid), Kind: overview.KindSession, Name: "claude-code", PID: pid, Handle: fmt.Sprint(pid),
		Target: fmt.Sprintf("%d:1", pid), Cwd: "/home/dev/src", User: "dev", TTY: "/dev/pts/3", StartedAt: ago(2 * time.Hour), Children: servers, CPUPercent: inventory.Known(0.0),
		Totals: overview.Totals{Sessions: 1, Servers: len(servers), MemoryBytes: memory},
	}
}

func gone(pid int, servers ...overview.Node) overview.Node {
	n := overview.Node{
		Key: fmt.Sprintf("gone:%d:1", pid), Kind: overview.KindGone, Name: "codex", PID: pid, Children: servers,
		Owner: overview.Owner{Name: "codex", PID: pid, Liveness: graph.LivenessGone, Since: ago(5 * time.Minute)},
	}
	for _, s := range servers {
		n.Totals.Servers++
		n.Totals.MemoryBytes += s.MemoryBytes
		if s.State == overview.StatePending {
			n.Totals.Pending++
			n.Totals.GoingBytes += s.MemoryBytes
		}
	}
	return n
}

func server(pid int) overview.Node {
	return overview.Node{
		Key: fmt.Sprintf("server:%d:1", pid), Kind: overview.KindServer, Name: "fetch", PID: pid, Handle: fmt.Sprint(pid), Target: fmt.Sprintf("%d:1", pid),
		Argv: []string{"npm", "exec", "mcp-fetch"}, StartedAt: ago(time.Hour), Processes: 1, MemoryBytes: 49_000_000, MemoryKind: "pss",
		CPUPercent: inventory.Known(1.5), Reason: "claude-code owns it",
	}
}

// pending is a server that is reaped in so many seconds.
func pending(pid int, in time.Duration) overview.Node {
	n := server(pid)
	n.State, n.Finding, n.FindingSince = overview.StatePending, graph.FindingOrphaned, ago(12*time.Second)
	n.Owner = overview.Owner{Name: "codex", PID: 50, Liveness: graph.LivenessGone, Since: ago(5 * time.Minute)}
	n.Reason = `rule "orphaned-servers" wants it to hold for 30s, and it has for 12s`
	n.Evidence = []graph.Evidence{
		{Check: graph.CheckAncestor, Says: graph.SaysOrphaned, Text: "its parent is init 1"},
		{Check: graph.CheckStdin, Says: graph.SaysOrphaned, Proof: true, Text: "nobody holds the other end of its stdin"},
		{Check: graph.CheckMemory, Says: graph.SaysSilent, Text: "not seen before"},
	}
	n.Next = overview.Next{Rule: "orphaned-servers", Action: policy.ActionTerminate, DueAt: noon.Add(in)}
	return n
}

// TestWhatIsBeingStoppedIsNotOfferedToKeep: its end has begun, and a pin comes too late.
func TestWhatIsBeingStoppedIsNotOfferedToKeep(t *testing.T) {
	n := pending(10, time.Second)
	n.State = overview.StateReaping
	tree := overview.Tree{Mode: policy.ModeEnforce, At: noon, Branches: []overview.Branch{{Name: overview.BranchLeaked, Nodes: []overview.Node{gone(50, n)}}}}
	sheet := thing(t, Input{Tree: tree}, n.Key)
	if strings.Contains(sheet, "reaperd pin ") || strings.Contains(sheet, "reaperd sweep") || !strings.Contains(sheet, "reaperd explain 10") {
		t.Errorf("got %s", sheet)
	}
}

func whole(t *testing.T, in Input) string {
	t.Helper()
	if in.Now.IsZero() {
		in.Now = noon
	}
	var document strings.Builder
	if err := New().Whole(&document, in, nil); err != nil {
		t.Fatal(err)
	}
	return document.String()
}

func thing(t *testing.T, in Input, key string) string {
	t.Helper()
	var document strings.Builder
	if err := New().Thing(&document, in, key); err != nil {
		t.Fatal(err)
	}
	return document.String()
}

// text returns the text that a person reads in a document, with single spaces.
func text(t *testing.T, document string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" && n.Parent.Data != "noscript" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(words, " ")
}

func TestWhatThePageSays(t *testing.T) {
	refused := server(7)
	refused.State, refused.Finding, refused.Outcome = overview.StateDue, graph.FindingOrphaned, "refused: its owner came back"
	idle := session(60, 1_200_000_000, server(61))
	idle.State, idle.IdleSince = overview.StateIdle, ago(5*time.Hour+time.Second)
	for _, c := range []struct {
		name   string
		change func(*Input)
		says   []string
		not    string
	}{
		{"before the first look", func(in *Input) { in.Tree = overview.Make(overview.Input{}) }, []string{"no look yet", "Nothing was looked at yet. In sessions not known Leaked not known Goes next not known", "What goes next Nothing was looked at yet.", "what leaks now is not known."}, "0 leak"},
		{"nothing runs", func(in *Input) { in.Tree = tree(sessions()) }, []string{"No session of an agent client is live. Nothing leaked.", "What goes next Nothing."}, "Unclear"},
		{"nothing leaks that could be seen", func(in *Input) {
			in.Tree = tree(sessions())
			in.Tree.Sources = []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusPartial, Reason: "descriptors of 31 processes of other users could not be read"}}
		}, []string{"Nothing leaked, as far as was seen."}, "Unclear"},
		{"which session holds how much", func(in *Input) { in.Tree = tree(sessions(session(44, 1_200_000_000, server(45), server(46)))) },
			[]string{"claude-code 44 holds 1.2 GB in 2 servers.", "claude-code 44 2 servers · ~/src · /dev/pts/3 live 2h 1.2 GB 3.0%"}, "pending"},
		{"which session has an older copy, folded", func(in *Input) {
			copied := session(44, 1_200_000_000, server(45), server(46))
			copied.Totals.Copies, copied.Totals.Reported = 1, 1
			in.Tree = tree(sessions(copied, session(60, 1, server(61))))
		}, []string{"claude-code 44 2 servers, 1 an older copy · ~/src · /dev/pts/3 live", "claude-code 60 1 server · ~/src"}, "pending"},
		{"what leaks, since when, and what comes next", func(in *Input) { in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second)))) },
			[]string{
				"1 server leaked and holds 49 MB.", "fetch 51 stops in 18s 49 MB, left by codex 50 Found 12s ago: nobody holds the other end of its stdin. Rule orphaned-servers. To keep it: reaperd pin 51 . To stop it now: reaperd sweep 51",
				"Goes next 1 server 49 MB, the first in 18s", "codex 50 1 server ended 5m ago",
			}, "would"},
		{"what leaks and is pinned", func(in *Input) {
			pinned := pending(52, 0)
			pinned.State = overview.StatePinned
			left := gone(50, pending(51, 18*time.Second), pinned)
			left.Totals.Pinned = 1
			in.Tree = tree(leaked(left))
			in.Tree.Branches[0].Totals.Pinned = 1
		}, []string{"2 servers leaked and hold 98 MB. 1 of these is pinned.", "2 servers, 1 pinned"}, "2 pinned"},
		{"a report says what would be", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second))))
			in.Tree.Mode = policy.ModeReport
		}, []string{"only reports", "Mode is report, by the policy: nothing is stopped, whatever the rules say. With mode: enforce there the daemon acts; reaperd sweep --mode enforce stops what is due, this one time", "would stop in 18s", "Would go 1 server", "What would go", "To stop it now: reaperd sweep --mode enforce 51"}, "stops in"},
		{"a report names the command for what is due", func(in *Input) {
			due := pending(51, 0)
			due.State = overview.StateDue
			in.Tree = tree(leaked(gone(50, due)))
			in.Tree.Mode = policy.ModeReport
		}, []string{"would stop now", "To stop it now: reaperd sweep --mode enforce 51"}, "stops now"},
		{"a daemon that cannot act says so once, and what would be", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second))))
			in.Tree.Unfit = "nothing is acted on: the journal takes no record"
			in.Status.NotReady = in.Tree.Unfit
		}, []string{"The daemon is not well, nothing is acted on: the journal takes no record; reaperd status says more", "is not well · as of", "would stop in 18s", "To see why nothing can be stopped: reaperd status"}, "Not ready"},
		{"a full disk refuses pins", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second))))
			in.Tree.NoRoomIn = "/var/lib/reaperd"
		}, []string{"stops in 18s", "To see why nothing can be pinned: reaperd status . To stop it now: reaperd sweep 51"}, "reaperd pin 51"},
		{"a full disk with a full journal refuses everything", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second))))
			in.Tree.NoRoomIn, in.Tree.Unfit = "/var/lib/reaperd", "nothing is acted on: the journal takes no record"
		}, []string{"To see why nothing can be pinned or stopped: reaperd status"}, "reaperd pin 51"},
		{"a pause is said first", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, 18*time.Second))))
			in.Tree.Pause = overview.Pause{On: true, Until: noon.Add(time.Hour), Reason: "release"}
		}, []string{"Paused: nothing is stopped until 2026-11-26 13:00:00 (release); reaperd resume ends it", "would stop in 18s", "To end the pause, in which nothing is stopped: reaperd resume"}, "sweep"},
		{"an idle session says since when", func(in *Input) { in.Tree = tree(sessions(idle)) }, []string{"claude-code 60 1 server · ~/src · /dev/pts/3 idle 5h", "fetch 61 npm exec mcp-fetch idle with session"}, "+:"},
		{"an idle session that was never seen in use explains its plus", func(in *Input) {
			never := idle
			never.IdleAtLeast = true
			in.Tree = tree(sessions(never))
		}, []string{"keep it; +: since it was first looked at, and maybe for longer name", "idle 5h+"}, "live 2h"},
		{"an act that was refused", func(in *Input) { in.Tree = tree(leaked(gone(50, refused))) }, []string{"not stopped: refused: its owner came back"}, "stops now"},
		{"what a limit leaves for later", func(in *Input) {
			later := pending(51, time.Minute)
			later.Next.Beyond = 500
			in.Tree = tree(leaked(gone(50, later)))
		}, []string{"waits for a sweep"}, "the first in"},
		{"the disk is full", func(in *Input) {
			in.Tree = tree(sessions())
			in.Tree.NoRoomIn = "~/.local/state/reaperd"
		},
			[]string{"The disk is full: ~/.local/state/reaperd has no room for a file, and pin, unpin and pause fail; make room there"}, "Not ready"},
		{"an engine that is gone with its containers", func(in *Input) {
			in.Tree = tree(sessions())
			in.Tree.Unseen = overview.Unseen{Containers: 4, Engines: []string{"docker"}, Since: ago(time.Minute)}
		}, []string{"Docker is gone since 2026-11-26 11:59:00: its 4 containers cannot be seen"}, "Not ready"},
		{"a policy file that is refused", func(in *Input) {
			in.Tree, in.Status.Faults = tree(sessions()), []string{"policies.yaml:3: unknown key"}
			in.Tree.Refused = in.Status.Faults
		}, []string{"The policy file is refused, and the one before it holds; reaperd policy check says when it is mended: policies.yaml:3: unknown key No session"}, "Not ready"},
		{"a gap is seen at once", func(in *Input) {
			in.Tree = tree(sessions())
			in.Tree.Sources = []inventory.Source{{Name: "docker", Endpoint: "unix:///run/docker.sock", Status: inventory.StatusError, Reason: "does not answer"}}
		}, []string{"Not all was seen: docker unix:///run/docker.sock error (does not answer)"}, "Kept against"},
		{"what a guard keeps", func(in *Input) {
			in.Tree = tree(sessions(session(60, 1, server(7))))
			in.Tree.Refusals = []overview.Refusal{{Key: "server:7:1", Name: "git", Rule: "orphaned-servers", Guard: graph.GuardInUse, Text: "it has 2 clients"}}
		}, []string{"Kept against a rule fetch 7 : rule orphaned-servers would stop it, but in-use: it has 2 clients"}, "Not all"},
		{"what is kept for what the policy protects", func(in *Input) {
			in.Tree = tree(sessions(session(60, 1, server(7))))
			in.Tree.Refusals = []overview.Refusal{{Key: "session:60:1", Name: "codex", Rule: "idle-sessions", Guard: graph.GuardProtected, Text: `fetch 7 would end with it and is protected by "shared"`}}
		}, []string{`rule idle-sessions would stop it, but fetch 7 would end with it and is protected by "shared"`}, "reaperd unpin"},
		{"what is kept for what this user cannot see", func(in *Input) {
			in.Tree = tree(leaked(gone(50, server(7))))
			in.Tree.Sources = []inventory.Source{{Name: "processes", Status: inventory.StatusPartial, Reason: "descriptors of 10 processes of other users could not be read"}}
			in.Tree.Refusals = []overview.Refusal{{Key: "server:7:1", Name: "git", Rule: "orphaned-gateways", Guard: graph.GuardUnproven, Text: "memory 8 below it may be in use"}}
		}, []string{"memory 8 below it may be in use"}, "reaperd pin"},
		{"what a guard keeps from being removed", func(in *Input) {
			container := server(7)
			container.Kind, container.Next = overview.KindContainer, overview.Next{Rule: "orphaned-containers", Action: policy.ActionRemove}
			in.Tree = tree(sessions(session(60, 1, container)))
			in.Tree.Refusals = []overview.Refusal{{Key: container.Key, Rule: "orphaned-containers", Guard: graph.GuardInUse, Text: "it has 2 clients"}}
		}, []string{"rule orphaned-containers would remove it, but in-use: it has 2 clients"}, "would stop it"},
		{"what is kept with something pinned names the way out", func(in *Input) {
			pinned, kept := server(7), server(8)
			pinned.State, kept.State, kept.KeptWith = overview.StatePinned, overview.StatePinned, overview.Keeper{Target: pinned.Target, Title: pinned.Title()}
			in.Tree = tree(leaked(gone(50, pinned, kept)))
			in.Tree.Refusals = []overview.Refusal{{Key: kept.Key, Name: "fetch", Rule: "orphaned-servers", Guard: graph.GuardPinned, Text: "it may be that of fetch 7, which is kept: reaperd pin keeps it"}}
		}, []string{"fetch 8 npm exec mcp-fetch kept with fetch 7", "but it may be that of fetch 7, which is kept: reaperd pin keeps it. To no longer keep fetch 7: reaperd unpin 7"}, "fetch 8 npm exec mcp-fetch pinned"},
		{"a live session that a rule soon stops goes next too", func(in *Input) {
			soon, later := session(60, 6_000_000, server(7)), session(61, 1, server(8))
			soon.Next.AheadAt, soon.Next.AheadRule, soon.Reason = noon.Add(16*time.Second), "idle-sessions", "it does nothing"
			later.Next.AheadAt = noon.Add(time.Hour)
			in.Tree = tree(sessions(soon, later))
			in.Tree.Mode = policy.ModeEnforce
		}, []string{"Goes next 1 session", "in 16s 6.0 MB", "claude-code 60 live, stops in 16s", "it does nothing. Rule idle-sessions. To keep it: reaperd pin 60"}, "reaperd pin 61"},
		{"an idle session that waits", func(in *Input) {
			idle := pending(60, time.Minute)
			idle.Kind, idle.Name, idle.Finding, idle.FindingSince = overview.KindSession, "opencode", graph.FindingIdle, noon.Add(-2*time.Minute)
			in.Tree = tree(sessions(idle))
		}, []string{"Idle for 2m : "}, "Found 2m"},
		{"in mode report it would", func(in *Input) {
			soon := session(60, 6_000_000, server(7))
			soon.Next.AheadAt, soon.Next.AheadRule, soon.Reason = noon.Add(16*time.Second), "idle-sessions", "it does nothing"
			in.Tree = tree(sessions(soon))
			in.Tree.Mode = policy.ModeReport
		}, []string{"Would go 1 session", "in 16s 6.0 MB", "claude-code 60 live, would stop in 16s"}, "Goes next"},
		{"a finding that a guard keeps is not called reported only", func(in *Input) {
			kept := pending(51, 0)
			kept.State, kept.Guards = overview.StateReported, []graph.Veto{{Guard: graph.GuardInUse, Text: "it has 2 clients"}}
			in.Tree = tree(leaked(gone(50, kept)))
		}, []string{"orphaned, kept: in-use"}, "only reported"},
		{"the last day", func(in *Input) {
			in.Tree = tree(leaked(gone(50, pending(51, time.Minute))))
			var d overview.Day
			d.Add(ago(time.Hour), overview.Step{Found: 3, Reaped: 2, FreedBytes: 100_000_000})
			in.Tree.Day, in.Status.StartedAt = d.Steps(noon), ago(2*time.Hour)
			in.Tree.Ended = []overview.Ended{{At: ago(time.Hour), Kind: graph.KindServer, Name: "git", Owner: "codex 50", Outcome: "exited", Rule: "orphaned-servers", FreedBytes: 50_000_000},
				{At: ago(2 * time.Hour), Kind: graph.KindSession, Name: "claude-code", Handle: "87", Cwd: "/home/dev/src/blog", Outcome: "exited", Rule: "idle-over"}}
		}, []string{
			"session claude-code 87 in ~/src/blog",
			"In the last 24 hours 3 things leaked; 2 reaped for any reason, 100 MB freed; 1 leaks now; watched since 2026-11-26 10:00:00.", "before 2026-11-26 10:00:00, when this daemon began to watch: only what was reaped then is known", "2026-11-26 11:00:00 3 2 100 MB",
			"2026-11-26 11:00:00 server git codex 50 exited orphaned-servers 50 MB",
		}, "and 1 more"},
		{"a day of many acts", func(in *Input) {
			in.Tree = tree()
			for i := range 35 {
				in.Tree.Ended = append(in.Tree.Ended, overview.Ended{At: ago(time.Hour), Kind: graph.KindServer, Name: "git", Handle: strconv.Itoa(60 + i), Outcome: "exited"})
			}
		}, []string{"server git 69 exited – 20 before these when what", "server git 89 exited – and 5 more: reaperd history"}, "server git 90"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Home: "/home/dev"}
			c.change(&in)
			got := text(t, whole(t, in))
			for _, says := range c.says {
				if !strings.Contains(got, says) {
					t.Errorf("no %q in\n%s", says, got)
				}
			}
			if strings.Contains(got, c.not) {
				t.Errorf("%q in\n%s", c.not, got)
			}
		})
	}
}

func TestTheLargestSessionComesFirst(t *testing.T) {
	document := whole(t, Input{Tree: tree(sessions(session(44, 1000, server(45)), session(50, 3000), session(47, 2000)))})
	small, large := strings.Index(document, `id="session:44:1"`), strings.Index(document, `id="session:50:1"`)
	if large < 0 || small < large {
		t.Errorf("44 at %d, 50 at %d", small, large)
	}
	if got := text(t, document); !strings.Contains(got, "3 sessions hold 6.0 kB in 1 server; claude-code 50 holds the most, 3.0 kB.") {
		t.Errorf("the head does not name it: %s", got)
	}
}

func TestOfWhatGoesAtOneMomentTheLargestComesFirst(t *testing.T) {
	small, large, sooner := pending(51, 20*time.Second), pending(52, 20*time.Second+time.Millisecond), pending(53, 10*time.Second)
	small.MemoryBytes, large.MemoryBytes, sooner.MemoryBytes = 3_300_000, 492_000_000, 1
	in := tree(leaked(gone(50, small, large, sooner)))
	var order []int
	for _, n := range going(&in, clock{}) {
		order = append(order, n.PID)
	}
	if !slices.Equal(order, []int{53, 52, 51}) {
		t.Errorf("in the order %v", order)
	}
}

// TestASessionThatGoesIsToldWithAllThatGoesWithIt: its memory, its servers, why, and the command
// that stops it.
func TestASessionThatGoesIsToldWithAllThatGoesWithIt(t *testing.T) {
	at := ago(20*time.Minute + 2*time.Second)
	idle := session(44, 3000, server(45))
	idle.State, idle.Finding, idle.FindingSince, idle.IdleSince = overview.StatePending, graph.FindingIdle, at, at
	idle.Next = overview.Next{Rule: "idle-end", Action: policy.ActionTerminate, DueAt: noon.Add(2 * time.Minute)}
	got := text(t, whole(t, Input{Tree: tree(sessions(idle))}))
	for _, want := range []string{"stops in 2m", " with 1 server ", "it and all that works for it do nothing. Rule idle-end.", "reaperd sweep --idle-over 20m 44", "stops with session"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "nobody is known who started it") || strings.Contains(got, "--now") {
		t.Errorf("got\n%s", got)
	}
	if got := goingText([]*overview.Node{&idle, &idle.Children[0]}); got != "1 session and 1 server" {
		t.Errorf("%q go", got)
	}
}

// TestWhatGoesWithAGatewayCountsAmongWhatGoesNext: the row of the gateway has it.
func TestWhatGoesWithAGatewayCountsAmongWhatGoesNext(t *testing.T) {
	hub, below := pending(50, 20*time.Second), server(51)
	hub.Kind, hub.Name, hub.MemoryBytes = overview.KindGateway, "mcp-hub", 2_000_000
	below.MemoryBytes, below.State, below.Next = 5_000_000, overview.StatePending, hub.Next
	below.Next.With, below.Next.WithKind = hub.Key, graph.KindGateway
	hub.Children = []overview.Node{below}
	idle := session(60, 1_000)
	idle.Next = overview.Next{AheadAt: noon.Add(8 * time.Second), AheadRule: "idle-end"}
	in := tree(sessions(session(44, 7_000_000, hub), idle))
	if got := nextTile(&in, clock{}).Value; got != "2 servers" {
		t.Errorf("%q go next", got)
	}
	for key, want := range map[string]string{hub.Key: "stops at 2026-11-26 12:00:20, and with it 1 server", idle.Key: "stops at 2026-11-26 12:00:08 if it goes on doing nothing (rule idle-end), with all that it holds"} {
		if got := nextLine(&in, in.Find(key), clock{now: noon, zone: time.UTC}); got != want {
			t.Errorf("next of %s: %q, want %q", key, got, want)
		}
	}
	if listed, _ := comingOf(&in, clock{}); len(listed) != 1 || !strings.HasPrefix(listed[0].Of, "7.0 MB with 1 server") {
		t.Errorf("its row: %+v", listed)
	}
	in.Mode = policy.ModeReport
	for _, key := range []string{hub.Key, below.Key} {
		n := in.Find(key)
		n.State, n.Next.DueAt = overview.StateDue, time.Time{}
	}
	if listed, _ := comingOf(&in, clock{}); len(listed) != 1 || !strings.HasPrefix(listed[0].Of, "7.0 MB with 1 server") {
		t.Errorf("its row once both are due, and nothing acts: %+v", listed)
	}
	in.Find(hub.Key).Totals.MemoryBytes = 7_000_000
	if rows := branchesOf(Input{Tree: in}, clock{})[0].Groups[0].Rows; len(rows) != 2 || rows[0].Memory != "7.0 MB" {
		t.Errorf("the list of sessions: %+v", rows)
	}
}

// TestTheSessionsAreOnTheFirstScreen: the list of things that go next shows few of them,
// however many there are, and leaked groups are unfolded while there is room.
func TestTheSessionsAreOnTheFirstScreen(t *testing.T) {
	var left []overview.Node
	for i := range 30 {
		var servers []overview.Node
		for j := range 5 {
			servers = append(servers, pending(1000+10*i+j, time.Minute))
		}
		left = append(left, gone(500+i, servers...))
	}
	document := whole(t, Input{Tree: tree(sessions(session(44, 1000, server(45)), session(47, 2000, server(48))), leaked(left...))})
	before, after, _ := strings.Cut(document, `id="branch:sessions"`)
	shown, folded, _ := strings.Cut(before, `<details id="later">`)
	if n := strings.Count(shown, `id="next:`); n != mostAtOnce {
		t.Errorf("%d things that go next are above the sessions, want %d", n, mostAtOnce)
	}
	if n := strings.Count(folded, `id="next:`); n != mostComing-mostAtOnce {
		t.Errorf("%d things that go next are folded, want %d", n, mostComing-mostAtOnce)
	}
	if n := strings.Count(after, `" open>`); n != (openRows+4)/5 {
		t.Errorf("%d groups of 5 rows are unfolded, want %d", n, (openRows+4)/5)
	}
}

func TestTheFilterFindsAThingAndWhoHasIt(t *testing.T) {
	in := Input{Tree: tree(sessions(session(44, 1000, server(45), server(46)), session(50, 3000))), Filter: "45"}
	got := whole(t, in)
	if !strings.Contains(got, `id="server:45:1"`) || !strings.Contains(got, `id="session:44:1" open`) {
		t.Errorf("45 and its session are not shown: %s", got)
	}
	if strings.Contains(got, `id="server:46:1"`) || strings.Contains(got, `id="session:50:1"`) {
		t.Errorf("more is shown: %s", got)
	}
	in.Tree = tree(sessions(session(44, 1000, server(45))), leaked(gone(50, pending(51, time.Minute), server(52))))
	for i := range in.Tree.Branches[1].Nodes[0].Children {
		in.Tree.Refusals = append(in.Tree.Refusals, overview.Refusal{Key: in.Tree.Branches[1].Nodes[0].Children[i].Key, Rule: "orphaned-servers", Text: "it stays"})
	}
	for filter, says := range map[string]string{
		"in use": "1 thing found for “in use”", "leaked": "2 things found for “leaked”", "stops": "1 thing found for “stops”", "kept": "1 thing found for “kept”", "59s": "0 things",
	} {
		in.Filter = filter
		if got := text(t, whole(t, in)); !strings.Contains(got, says) {
			t.Errorf("%s: no %q in %s", filter, says, got)
		}
	}
	in.Filter = "51"
	if got := text(t, whole(t, in)); !strings.Contains(got, "fetch 51 : rule orphaned-servers") || strings.Contains(got, "fetch 52 : rule") {
		t.Errorf("what is kept against a rule is not filtered: %s", got)
	}
	in.Filter = "nothing of that name"
	if got := text(t, whole(t, in)); !strings.Contains(got, "0 things found for “nothing of that name”. Show all") {
		t.Errorf("%s", got)
	}
}

// hostile is a name that a process may give itself.
const hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e\x1b[31m"

func TestWhatOthersNameThemselvesIsText(t *testing.T) {
	n := pending(51, time.Minute)
	n.Name, n.Handle, n.Argv, n.Cwd, n.Image, n.TTY, n.User, n.Reason, n.Outcome = hostile, hostile, []string{hostile}, hostile, hostile, hostile, hostile, hostile, hostile
	n.Key, n.Target, n.ContainerID = "server:"+hostile, hostile, hostile
	n.Owner.Name, n.Next.Rule, n.Evidence[1].Text = hostile, hostile, hostile
	n.Guards = []graph.Veto{{Guard: graph.GuardPinned, Text: hostile}}
	child := n
	child.Key, child.Kind = "process:"+hostile, overview.KindProcess
	n.Children = []overview.Node{child}
	in := Input{Now: noon, Tree: tree(leaked(gone(50, n))), Filter: hostile, Status: Status{NotReady: hostile, Faults: []string{hostile}, Policy: hostile, LastSweep: hostile}}
	in.Tree.Hostname, in.Tree.Pause = hostile, overview.Pause{On: true, Reason: hostile}
	in.Tree.Refusals = []overview.Refusal{{Key: n.Key, Name: hostile, Text: hostile, Rule: hostile}}
	in.Tree.Ended = []overview.Ended{{Name: hostile, Owner: hostile, Outcome: hostile, Detail: hostile, Rule: hostile}}
	in.Tree.Sources[0].Reason, in.Tree.Sources[0].Status = hostile, inventory.StatusError
	for name, document := range map[string]string{"page": whole(t, in), "thing": thing(t, in, n.Key)} {
		checkInert(t, name, document)
	}
}

// checkInert reports elements and attributes that the page's own markup does not have,
// and characters that move or reorder text.
func checkInert(t *testing.T, name, document string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "img" || n.Data == "iframe" {
			t.Errorf("%s: has a %s", name, n.Data)
		}
		if n.Data == "script" {
			scripts++
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" && a.Val != "." && !strings.HasPrefix(a.Val, "thing?") && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
			}
		}
	}
	if scripts > 1 {
		t.Errorf("%s: %d scripts", name, scripts)
	}
	if strings.ContainsAny(text(t, document), "\u202e\x1b") {
		t.Errorf("%s: characters that turn the text around it", name)
	}
}

func TestACommandToPasteHoldsNothingForAShell(t *testing.T) {
	for _, c := range []struct {
		name, handle, target string
		want                 string
	}{
		{"a process", "51", "51:1", "reaperd pin 51"},
		{"a container", "mcp-fetch_1", strings.Repeat("a", 64), "reaperd pin mcp-fetch_1"},
		{"a name that is a command", "x; rm -rf ~", strings.Repeat("a", 64), "reaperd pin " + strings.Repeat("a", 64)},
		{"a name that is a flag", "--for", "51:1", "reaperd pin 51:1"},
		{"an engine that lies about ids too", "$(reboot)", "`reboot`", ""},
	} {
		n := server(51)
		n.Handle, n.Target = c.handle, c.target
		got := ""
		if commands := commandsOf(&overview.Tree{}, &n); len(commands) > 0 {
			got = commands[0].Line
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAThingSaysAllThatIsKnownOfIt(t *testing.T) {
	n := pending(51, 18*time.Second)
	n.Processes, n.Children = 2, []overview.Node{
		{Key: "process:51:1", Kind: overview.KindProcess, Name: "npm", PID: 51, Argv: []string{"npm", "exec", "mcp-fetch"}, MemoryBytes: 30_000_000},
		{Key: "process:52:1", Kind: overview.KindProcess, Name: "node", PID: 52, Argv: []string{"node", "fetch.js"}, MemoryBytes: 19_000_000},
	}
	got := text(t, thing(t, Input{Now: noon, Tree: tree(leaked(gone(50, n)))}, n.Key))
	for _, says := range []string{
		"fetch 51 server", "stops in 18s", "as of 2026-11-26 12:00:00, looked 1s ago", "whose codex 50, which ended 5m ago", "finding orphaned: nobody alive owns it, first seen 12s ago", "rule orphaned-servers, action terminate",
		"command npm exec mcp-fetch", "memory 49 MB PSS", "keep it reaperd pin 51", "stop it now reaperd sweep 51", "explain it reaperd explain 51",
		"stdin nobody holds the other end of its stdin orphaned, proof", "memory not seen before –", "52 node fetch.js – 19 MB",
	} {
		if !strings.Contains(got, says) {
			t.Errorf("no %q in\n%s", says, got)
		}
	}
	hub, below := pending(60, 18*time.Second), pending(61, 18*time.Second)
	hub.Kind, below.Owner = overview.KindGateway, overview.Owner{Name: "mcp-hub", PID: 60, Liveness: graph.LivenessGone, Since: ago(13 * time.Second)}
	if got := text(t, thing(t, Input{Now: noon, Tree: tree(leaked(gone(50, hub, below)))}, below.Key)); !strings.Contains(got, "whose mcp-hub 60, which is left over itself") || strings.Contains(got, "which ended") {
		t.Errorf("below a leaked gateway: %s", got)
	}
	paused := tree(leaked(gone(50, n)))
	paused.Pause = overview.Pause{On: true, Until: noon.Add(time.Hour)}
	if got := text(t, thing(t, Input{Now: noon, Tree: paused}, n.Key)); !strings.Contains(got, "would stop in 18s") || !strings.Contains(got, "nobody acts paused until 2026-11-26 13:00:00; reaperd resume ends it") {
		t.Errorf("under a pause: %s", got)
	}
	if got := text(t, thing(t, Input{Now: noon, Tree: tree(sessions(session(44, 1000)))}, "session:44:1")); !strings.Contains(got, "go on once it has ended, in its folder: claude --resume") {
		t.Errorf("a session: %s", got)
	}
	busy := session(44, 1000)
	busy.Use = "it reads or writes (process 44)"
	if got := text(t, thing(t, Input{Now: noon, Tree: tree(sessions(busy))}, "session:44:1")); !strings.Contains(got, "idle no: it reads or writes (process 44)") {
		t.Errorf("a session at work: %s", got)
	}
	var nothing strings.Builder
	if err := New().Thing(&nothing, Input{Now: noon, Tree: tree()}, n.Key); !errors.Is(err, ErrGone) || nothing.Len() > 0 {
		t.Errorf("%v and %q, want that it is gone", err, nothing.String())
	}
}

func TestAThingThatHasEndedSaysHow(t *testing.T) {
	over := tree(sessions(session(44, 1000)))
	over.Ended = []overview.Ended{{At: ago(time.Minute), Key: "server:51:1", Kind: graph.KindServer, Name: "fetch", Handle: "51", Rule: "orphaned-servers", Outcome: "exited", Detail: "in 40ms"}}
	over.Parted = []overview.Parted{{Key: "session:60:1", Title: "codex 60", At: ago(time.Minute)}}
	const end, all = "It was reaped 2026-11-26 11:59:00: exited, in 40ms (rule orphaned-servers).", " – reaperd All of it as of 2026-11-26 12:00:00, looked 1s ago "
	for key, want := range map[string]string{
		"server:51:1":  "fetch 51" + all + "fetch 51 " + end,
		"session:60:1": "codex 60" + all + "codex 60 It ended, as seen 2026-11-26 11:59:00; the daemon's journal names no act on it.",
		"server:52:1":  "server 52" + all + "server 52 It is not there any more, as seen 2026-11-26 11:59:59: reaperd explain 52 tells what is known of its end.",
		"gone:7:1":     "session 7" + all + "session 7 Nothing that it left is here any more.",
		"x":            "Nothing" + all + "Nothing This address names nothing here.",
	} {
		var document strings.Builder
		if err := New().Gone(&document, Input{Now: noon, Tree: over}, key); err != nil || text(t, document.String()) != want {
			t.Errorf("%s: %v, %s\nwant %s", key, err, text(t, document.String()), want)
		}
	}
}

func TestTheCommandsOfAThing(t *testing.T) {
	duplicate := server(52)
	duplicate.State, duplicate.Finding = overview.StateReported, graph.FindingDuplicate
	hung := server(53)
	hung.State = overview.StatePinned
	pinned := session(44, 1000, hung)
	pinned.State = overview.StatePinned
	beside := server(55)
	beside.State, beside.KeptWith = overview.StatePinned, overview.Keeper{Target: hung.Target, Title: hung.Title()}
	labelled := server(57)
	labelled.State, labelled.Marked = overview.StatePinned, true
	anns := server(58)
	anns.State, anns.PinnedBy = overview.StatePinned, "ann"
	below := pending(54, time.Minute)
	below.Owner.Liveness = graph.LivenessLive
	whole := tree(sessions(session(43, 1000, duplicate, below, beside, labelled, anns), pinned))
	for _, row := range []struct {
		key  string
		want string
	}{
		{"session:43:1", "keep it: reaperd pin 43, explain it: reaperd explain 43"},
		{"session:44:1", "no longer keep it: reaperd unpin 44, explain it: reaperd explain 44"},
		{"server:52:1", "keep it: reaperd pin 52, stop it: reaperd sweep --duplicates 52, explain it: reaperd explain 52"},
		{"server:53:1", "no longer keep its session: reaperd unpin 44, explain it: reaperd explain 53"},
		{"server:55:1", "no longer keep " + hung.Title() + ": reaperd unpin 53, explain it: reaperd explain 55"},
		{"server:58:1", "no longer keep it: su ann -c 'reaperd unpin 58', explain it: reaperd explain 58"},
		{"server:57:1", "explain it: reaperd explain 57"},
		{"server:54:1", "keep it: reaperd pin 54, explain it: reaperd explain 54"},
	} {
		var got []string
		for _, c := range commandsOf(&whole, whole.Find(row.key)) {
			got = append(got, c.What+": "+c.Line)
		}
		if said := strings.Join(got, ", "); said != row.want {
			t.Errorf("%s: %s, want %s", row.key, said, row.want)
		}
	}
}

// fiveHundred is a host with 20 sessions, each with 25 servers.
func fiveHundred() overview.Tree {
	var nodes []overview.Node
	for i := range 20 {
		var servers []overview.Node
		for j := range 25 {
			s := server(1000 + 100*i + j)
			s.Argv = []string{"/usr/bin/node", "/home/dev/.npm/_npx/0123456789abcdef/node_modules/.bin/mcp-server-filesystem", "/home/dev/src"}
			servers = append(servers, s)
		}
		nodes = append(nodes, session(100+i, 1_000_000_000, servers...))
	}
	return tree(sessions(nodes...))
}

// TestASheetCountsAllItsTimesToNow, as its countdown does: half of them would contradict the
// others. An idle time is that of the look: nobody has seen more.
func TestASheetCountsAllItsTimesToNow(t *testing.T) {
	n := pending(51, 18*time.Second)
	n.IdleSince = ago(50 * time.Second)
	n.Children = []overview.Node{{Key: "process:51:1", Kind: overview.KindProcess, PID: 51, Argv: []string{"npm"}, StartedAt: n.StartedAt}}
	in := Input{Now: noon, Tree: tree(leaked(gone(50, n)), sessions(func() overview.Node {
		s := session(60, 1)
		s.State, s.IdleSince = overview.StateIdle, ago(6*time.Minute)
		return s
	}()))}
	in.Tree.At = ago(30 * time.Second)
	for key, says := range map[string][]string{
		n.Key:          {"as of 2026-11-26 12:00:00, looked 30s ago", "stops in 18s", "started 2026-11-26 11:00:00, 1h ago", "first seen 12s ago", "idle for 20s, since", "51 npm 1h"},
		"session:60:1": {"idle 5m 30s", "idle for 5m 30s, since 2026-11-26 11:54:00", "started 2026-11-26 10:00:00, 2h ago", "stop it reaperd sweep --idle-over 5m 60"},
	} {
		got := text(t, thing(t, in, key))
		for _, want := range says {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
}

func TestFiveHundredServersAreASmallPage(t *testing.T) {
	if n := len(whole(t, Input{Tree: fiveHundred()})); n > 200_000 {
		t.Errorf("%d bytes", n)
	}
}

// TestAnIdleTimeIsThatOfTheLook: what was seen at work is not idle for as long as the page is old.
func TestAnIdleTimeIsThatOfTheLook(t *testing.T) {
	for _, row := range []struct {
		world  string
		change func(n *overview.Node)
		want   string
	}{
		{"it could not be measured", func(n *overview.Node) { n.Use, n.Unmeasured = "not all of it can be measured (process 60)", true }, "idle unknown: not all of it can be measured (process 60) "},
		{"it is used", func(n *overview.Node) { n.Use = "it reads or writes (process 60)" }, "idle no: it reads or writes (process 60) "},
		{"it is idle", func(n *overview.Node) { n.ServersIdleSince = ago(time.Minute) }, "idle for 5m 30s, since 2026-11-26 11:54:00; its servers for 30s "},
	} {
		n := session(60, 1)
		n.IdleSince = ago(6 * time.Minute)
		row.change(&n)
		in := Input{Now: noon, Tree: tree(sessions(n))}
		in.Tree.At = ago(30 * time.Second)
		if got := text(t, thing(t, in, n.Key)); !strings.Contains(got, row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, got)
		}
	}
}

// TestThePageOfASessionListsWhatItHolds, each with its state and a page of its own.
func TestThePageOfASessionListsWhatItHolds(t *testing.T) {
	held := session(44, 3000, server(45), server(46))
	held.State = overview.StateIdle
	a, found := newAbout(Input{Now: noon, Tree: tree(sessions(held))}, held.Key)
	if !found || len(a.Holds) != 2 || a.Holds[0].Handle != "45" || a.Holds[0].State.Word != "idle with session" {
		t.Fatalf("found %v: %+v", found, a.Holds)
	}
	var out strings.Builder
	if err := thingDocument(a).Render(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"What it holds", "thing?key=" + url.QueryEscape(held.Children[1].Key)} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if a, _ := newAbout(Input{Now: noon, Tree: tree(sessions(held))}, held.Children[0].Key); len(a.Holds) > 0 {
		t.Errorf("a server holds %+v", a.Holds)
	}
}
