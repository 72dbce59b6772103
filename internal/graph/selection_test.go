package graph_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/selection"
)

// recording is a run of real clients and servers, look by look.
type recording struct {
	Name      string            `json:"name"`
	Snapshots []json.RawMessage `json:"snapshots"`
}

// TestRecordedWorldsComeToTheSame replays each recording twice side by side: with
// every process, and with those alone that can matter.
func TestRecordedWorldsComeToTheSame(t *testing.T) {
	known, shipped, left := catalogue.New(), shippedPolicy(t), 0
	for _, file := range recordings(t) {
		r := read(t, file)
		t.Run(r.Name, func(t *testing.T) {
			rule := graph.NewSelection(known, func(p *inventory.Process) bool { return p.Configured != "" })
			var whole, part *graph.Graph
			for _, raw := range r.Snapshots {
				snapshot, err := inventory.Read(bytes.NewReader(raw))
				if err != nil {
					t.Fatal(err)
				}
				selected := selection.Of(snapshot, known, rule.After(part))
				left += selected.Unlisted
				whole = graph.Correlate(whole, snapshot, graph.Options{Catalogue: known})
				part = graph.Correlate(part, selected, graph.Options{Catalogue: known})
				if want, got := reported(t, whole, shipped), reported(t, part, shipped); !bytes.Equal(want, got) {
					t.Fatalf("of every process:\n%s\nof those that matter:\n%s", want, got)
				}
			}
		})
	}
	if left == 0 {
		t.Error("nothing was ever left out")
	}
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../sweep/testdata/corpus/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	return files
}

func read(t *testing.T, file string) (r recording) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

func shippedPolicy(t *testing.T) *policy.Policy {
	t.Helper()
	p, err := policy.Load(policy.File{Name: "shipped.yaml", Data: []byte("version: 1\nextends: builtin\n")}, policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reported is all that a graph comes to, as programs read it, but for what is left beside servers, on which nothing
// acts.
func reported(t *testing.T, g *graph.Graph, p *policy.Policy) []byte {
	t.Helper()
	judged := *g
	judged.AlsoLeft = nil
	text, err := json.Marshal(account.Of(account.Look{Graph: &judged, Verdicts: policy.Judge(g, p, policy.JudgeOptions{})}))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Processes of a little world: a session with a server below a shell, and others.
const (
	first = iota + 1
	login
	claude
	server
	below // the server
	other // below the login shell
)

func null() inventory.Fact[inventory.Stdio] {
	return inventory.Known(inventory.Stdio{Kind: inventory.KindNull, ID: "/dev/null"})
}

func pipe(id string, peer inventory.Peer, holders ...int) inventory.Fact[inventory.Stdio] {
	return inventory.Known(inventory.Stdio{Kind: inventory.KindPipe, ID: id, Peer: peer, Holders: holders})
}

func row(pid, ppid int, argv ...string) inventory.Process {
	return inventory.Process{PID: pid, Start: uint64(pid), PPID: inventory.Known(ppid), SID: inventory.Known(pid), UID: inventory.Known(1000), State: "S",
		Comm: argv[0], Exe: "/usr/bin/" + argv[0], Argv: argv, Stdin: null(), Stdout: null()}
}

func table() *inventory.Snapshot {
	s := &inventory.Snapshot{Host: inventory.Host{UID: inventory.Known(0)}, Processes: []inventory.Process{
		row(first, 0, "init"), row(login, first, "bash"), row(claude, login, "claude"),
		row(server, claude, "mcp-server-time"), row(below, server, "sleep", "600"), row(other, login, "vim"),
	}}
	s.Processes[server-1].Stdin = pipe("pipe:[7]", inventory.PeerOpen, claude)
	return s
}

func TestWhatMatters(t *testing.T) {
	for _, row := range []struct {
		says   string
		change func(*inventory.Snapshot)
		want   bool // that the one process other matters
	}{
		{"a neighbour of a session", func(*inventory.Snapshot) {}, false},
		{"one that holds the server's stdin too", func(s *inventory.Snapshot) {
			s.Processes[server-1].Stdin = pipe("pipe:[7]", inventory.PeerOpen, claude, other)
		}, true},
		{"one below a wrapper with the server's stdin", func(s *inventory.Snapshot) {
			s.Processes[claude-1] = row(claude, login, "sh")
			s.Processes[claude-1].Stdin = pipe("pipe:[7]", inventory.PeerClosed)
			s.Processes[other-1].PPID = inventory.Known(claude)
		}, true},
		{"one below a parent whose stdin cannot be read", func(s *inventory.Snapshot) {
			s.Processes[claude-1] = row(claude, login, "sh")
			s.Processes[claude-1].Stdin = inventory.Unreadable[inventory.Stdio]()
			s.Processes[other-1].PPID = inventory.Known(claude)
		}, true},
		{"one below a parent with a stdin of its own", func(s *inventory.Snapshot) {
			s.Processes[claude-1] = row(claude, login, "sh")
			s.Processes[other-1].PPID = inventory.Known(claude)
		}, false},
		{"one that the server's environment names", func(s *inventory.Snapshot) {
			s.Processes[server-1].Env = map[string]string{"REAPERD_OWNER": "6:6"}
		}, true},
		{"one that a container's label names", func(s *inventory.Snapshot) {
			s.Containers = []inventory.Container{{ID: "c", Labels: map[string]string{"reaperd.owner": "6:6:boot:1"}}}
		}, true},
		{"one whose arguments are not known", func(s *inventory.Snapshot) { s.Processes[other-1].Argv = nil }, true},
		{"one whose arguments were cut", func(s *inventory.Snapshot) { s.Processes[other-1].ArgvHash = "f00d" }, true},
		{"a person's own container", func(s *inventory.Snapshot) {
			s.Processes[other-1] = row(other, login, "docker", "run", "-it", "ubuntu")
		}, true},
		{"a dead child of the login shell", func(s *inventory.Snapshot) {
			s.Processes[other-1].State, s.Processes[other-1].Argv = "Z", []string{}
		}, true},
		{"one with the command of a session's child", func(s *inventory.Snapshot) {
			s.Processes[server-1] = row(server, claude, "dialpad")
			s.Processes[other-1] = row(other, login, "dialpad")
		}, true},
		{"one in the table of an unknown user", func(s *inventory.Snapshot) {
			s.Host.UID, s.Processes[other-1].UID = inventory.Fact[int]{}, inventory.Known(7)
		}, true},
		{"the one that looks", func(s *inventory.Snapshot) { s.Host.SelfPID = other }, true},
		{"one in a table without parents", func(s *inventory.Snapshot) { s.Processes[claude-1].PPID = inventory.Fact[int]{} }, true},
	} {
		t.Run(row.says, func(t *testing.T) {
			s := table()
			row.change(s)
			known := catalogue.New()
			selected := selection.Of(s, known, graph.NewSelection(known, nil).After(nil))
			listed := func(pid int) bool {
				return slices.ContainsFunc(selected.Processes, func(p inventory.Process) bool { return p.PID == pid })
			}
			if got := listed(other); got != row.want {
				t.Errorf("it matters: %v, want %v", got, row.want)
			}
			for pid := first; pid <= below; pid++ {
				if !listed(pid) {
					t.Errorf("process %d is a session or server, or has to do with one, and was left out", pid)
				}
			}
			if got := len(selected.Processes) + selected.Unlisted; got != len(s.Processes) {
				t.Errorf("%d processes all in all, want %d", got, len(s.Processes))
			}
		})
	}
}

// TestWhoeverTheMemoryNamesMatters: an owner that has let go of its server is known
// to live only while it is listed.
func TestWhoeverTheMemoryNamesMatters(t *testing.T) {
	known := catalogue.New()
	s := table()
	s.Processes[claude-1] = row(claude, login, "my-agent")
	rule := graph.NewSelection(known, nil)
	g := graph.Correlate(nil, selection.Of(s, known, rule.After(nil)), graph.Options{Catalogue: known})
	s.Processes[server-1].PPID, s.Processes[server-1].Stdin = inventory.Known(first), pipe("pipe:[7]", inventory.PeerClosed)
	next := rule.After(g)
	id := inventory.ID{PID: claude, Start: claude}
	if !next.Wants(id, 0) || !next.Lists(&s.Processes[claude-1]) {
		t.Error("the agent that started the server is not asked for any more")
	}
	if next.Wants(inventory.ID{PID: other, Start: other}, next.Mark(&s.Processes[other-1])) {
		t.Error("a stranger is asked for")
	}
}

// TestAFolderMattersOnlyWhereTheRuleSaysSo moves every process of every recording to
// another folder.
func TestAFolderMattersOnlyWhereTheRuleSaysSo(t *testing.T) {
	rule, depend, others := graph.NewSelection(catalogue.New(), nil), 0, 0
	for _, p := range everyProcess(t) {
		there := p
		there.Cwd = "/another/folder"
		same := rule.Candidate(&p) == rule.Candidate(&there) && rule.Lists(&p) == rule.Lists(&there) && rule.Mark(&p) == rule.Mark(&there)
		switch {
		case rule.DependsOnFolder(&p):
			depend++
		case !same:
			t.Errorf("%q in %s is something else in another folder", p.Argv, p.Cwd)
		default:
			others++
		}
	}
	if depend == 0 || others == 0 {
		t.Errorf("%d processes depend on their folder, %d do not", depend, others)
	}
}

func everyProcess(t *testing.T) (all []inventory.Process) {
	t.Helper()
	for _, file := range recordings(t) {
		for _, raw := range read(t, file).Snapshots {
			snapshot, err := inventory.Read(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, snapshot.Processes...)
		}
	}
	return all
}
