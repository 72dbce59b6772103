package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// noon is when every world is looked at first; a start mark of 0 is an hour earlier.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// look reads a world written as text, one process a line:
//
//	PID PPID SID START STDIN STDOUT argv… [# attribute…]
//
// START counts in seconds. A stream is null, tty, file, closed (by the process
// itself), "-" (not recorded),
// "?" (could not be read), or ID! (closed), ID~ (could not be told), ID@ (open,
// nobody found), ID@44,45 (held by those), ID@/44 (a FIFO with a name), ID@? (open,
// nobody looked), where ID
// begins with p for a pipe and with s for a socket.
// A container is: container ID IMAGE START [attribute…]. Whatever docker runs, executes, starts
// or attaches to is connected to the engine, unless its process is offline; connection PID adds
// another.
func look(t *testing.T, world string) *inventory.Snapshot {
	t.Helper()
	snapshot := &inventory.Snapshot{
		Version: 1, TakenAt: noon,
		Host: inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0)},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: "unix:///var/run/docker.sock", Status: inventory.StatusOK, Connections: inventory.Known([]inventory.Connection{})},
		},
	}
	for _, line := range strings.Split(world, "\n") {
		line, attributes, _ := strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "container":
			snapshot.Containers = append(snapshot.Containers, containerOf(t, fields[1:]))
		case fields[0] == "connection":
			connect(&snapshot.Sources[1], number(t, fields[1]))
		case fields[0] == "host":
			setHost(t, &snapshot.Host, fields[1])
		case fields[0] == "source":
			setSource(t, snapshot, fields[1:])
		default:
			p := processOf(t, fields, strings.Fields(attributes))
			line, isCLI := cmdline.ReadContainer(p.Argv)
			if words := strings.Fields(attributes); isCLI && line.Stays() && p.Alive() && !slices.Contains(words, "offline") {
				connect(&snapshot.Sources[1], p.PID)
			}
			snapshot.Processes = append(snapshot.Processes, p)
		}
	}
	for i := range snapshot.Sources {
		if s := &snapshot.Sources[i]; s.Name == inventory.SourceDocker && s.Status == inventory.StatusOK && s.Reason == "unread-connections" {
			s.Connections = inventory.Fact[[]inventory.Connection]{}
		}
	}
	if err := snapshot.Validate(); err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// connect adds a connection of a process to an engine. PID 0 is nobody who can be seen.
func connect(source *inventory.Source, pid int) {
	open, _ := source.Connections.Get()
	added := inventory.Connection{ID: fmt.Sprintf("socket:[%d]", len(open)), PIDs: []int{pid}}
	if pid == 0 {
		added.PIDs = nil
	}
	source.Connections = inventory.Known(append(open, added))
}

// setHost reads `host uid?`, or the PID namespace: `host other`.
func setHost(t *testing.T, host *inventory.Host, word string) {
	t.Helper()
	switch word {
	case "uid?":
		host.UID = inventory.Fact[int]{}
	case "init", "other", "unknown":
		host.PIDNamespace = word
	default:
		t.Fatalf("world: unknown host %q", word)
	}
}

// setSource reads `source NAME STATUS`, or of one that is left out: `source NAME
// none`, and `source all none`.
func setSource(t *testing.T, snapshot *inventory.Snapshot, fields []string) {
	t.Helper()
	if fields[1] == "none" {
		snapshot.Sources = slices.DeleteFunc(snapshot.Sources, func(s inventory.Source) bool {
			return s.Name == fields[0] || fields[0] == "all"
		})
		return
	}
	for i := range snapshot.Sources {
		if snapshot.Sources[i].Name != fields[0] {
			continue
		}
		if fields[1] == "unread-descriptors" {
			snapshot.Sources[i].Status, snapshot.Sources[i].RowsMissing = inventory.StatusPartial, inventory.Known(false)
			continue
		}
		if fields[1] == "unread-connections" {
			snapshot.Sources[i].Reason = fields[1]
			continue
		}
		if fields[1] == "hidden-runners" {
			snapshot.Sources[i].RunnersVisible = inventory.Known(false)
			continue
		}
		snapshot.Sources[i].Status = inventory.Status(fields[1])
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("world: %q is no number", s)
	}
	return n
}

func processOf(t *testing.T, fields, attributes []string) inventory.Process {
	t.Helper()
	start := number(t, fields[3])
	p := inventory.Process{
		PID: number(t, fields[0]), PPID: inventory.Known(number(t, fields[1])), SID: inventory.Known(number(t, fields[2])),
		Start: uint64(start) * 100, StartedAt: noon.Add(-time.Hour + time.Duration(start)*time.Second),
		State: "S", Threads: inventory.Known(1), UID: inventory.Known(0), Argv: fields[6:], Cwd: "/home/dev",
		Stdin: streamOfText(t, fields[4]), Stdout: streamOfText(t, fields[5]),
	}
	for _, attribute := range attributes {
		apply(t, &p, attribute)
	}
	return p
}

func apply(t *testing.T, p *inventory.Process, attribute string) {
	t.Helper()
	key, value, _ := strings.Cut(attribute, "=")
	switch {
	case key == "zombie":
		p.State, p.Argv = "Z", nil
	case key == "nostart":
		p.Start = 0
	case key == "noargv":
		p.Argv = nil
	case key == "exe":
		p.Exe = value
	case key == "comm":
		p.Comm = value
	case key == "threads":
		p.Threads = inventory.Known(number(t, value))
	case key == "listening":
		p.Listening = inventory.Known(true)
	case key == "listening?":
		p.Listening = inventory.Unreadable[bool]()
	case key == "clients?":
		p.Connections = inventory.Unreadable[int]()
	case key == "clients":
		p.Connections = inventory.Known(number(t, value))
	case key == "service":
		p.Service = value
	case key == "container":
		p.ContainerID = value
	case key == "configured":
		p.Configured = value
	case key == "configured_by":
		p.ConfiguredBy = value
	case key == "configured_in":
		p.ConfiguredIn = value
	case key == "userns":
		p.UserNamespace = uint64(number(t, value))
	case key == "pidns":
		p.PIDNamespace = uint64(number(t, value))
	case key == "offline":
		p.OpenFDs = inventory.Known(3)
	case key == "stopped":
		p.State = "T"
	case key == "fds?":
		p.OpenFDs = inventory.Unreadable[int]()
	case key == "uid":
		p.UID = inventory.Known(number(t, value))
	case key == "reparented":
		p.Reparented = true
	case key == "forker":
		p.OriginalParent = value
	case key == "cwd":
		p.Cwd = value
	case key == "cpu":
		p.CPUSeconds = inventory.Known(float64(number(t, value)))
	case key == "shares":
		p.Shares = inventory.Known(holdersOf(t, value))
	case key == "connects":
		p.Connects = inventory.Known(holdersOf(t, value))
	case key == "inflight":
		p.UnseenFDs = inventory.Known(number(t, value))
	case key == "display":
		p.Display = inventory.Known(true)
	case key == "on":
		p.TTY = value
	case key == "emptyarg":
		p.Argv = append(p.Argv, "")
	case key == "io":
		p.IOChars = inventory.Known(100 * uint64(number(t, value))) // as long as a message, or longer
	case strings.HasPrefix(key, "env."):
		p.Env = map[string]string{key[4:]: value}
	default:
		t.Fatalf("world: unknown attribute %q", attribute)
	}
}

func streamOfText(t *testing.T, text string) inventory.Fact[inventory.Stdio] {
	t.Helper()
	switch text {
	case "-":
		return inventory.Fact[inventory.Stdio]{}
	case "?":
		return inventory.Unreadable[inventory.Stdio]()
	case "null", "tty", "file", "closed":
		return inventory.Known(inventory.Stdio{Kind: inventory.Kind(text), Peer: inventory.PeerUnknown})
	}
	at := strings.IndexAny(text, "!~@")
	if at < 0 {
		t.Fatalf("world: stream %q", text)
	}
	kind := inventory.KindPipe
	if text[0] == 's' {
		kind = inventory.KindSocket
	}
	stdio := inventory.Stdio{Kind: kind, ID: fmt.Sprintf("%s:[%s]", kind, text[:at])}
	switch rest := text[at+1:]; text[at] {
	case '!':
		stdio.Peer, stdio.Holders = inventory.PeerClosed, []int{}
	case '~':
		stdio.Peer = inventory.PeerUnknown
	default:
		stdio.Peer, stdio.Holders = inventory.PeerOpen, holdersOf(t, strings.TrimPrefix(rest, "/"))
		stdio.Named = strings.HasPrefix(rest, "/")
	}
	return inventory.Known(stdio)
}

func holdersOf(t *testing.T, text string) []int {
	t.Helper()
	switch text {
	case "?":
		return nil
	case "":
		return []int{}
	}
	var holders []int
	for _, pid := range strings.Split(text, ",") {
		holders = append(holders, number(t, pid))
	}
	return holders
}

func containerOf(t *testing.T, fields []string) inventory.Container {
	t.Helper()
	created := noon.Add(-time.Hour + time.Duration(number(t, fields[2]))*time.Second + 50*time.Millisecond)
	c := inventory.Container{
		ID: fields[0], Image: fields[1], State: "running", CreatedAt: created, StartedAt: created,
		OpenStdin: inventory.Known(true), StdinOnce: inventory.Known(true), AutoRemove: inventory.Known(true),
		Stdin: inventory.PeerUnknown, Labels: map[string]string{}, Named: inventory.Known(false),
	}
	for _, attribute := range fields[3:] {
		key, value, _ := strings.Cut(attribute, "=")
		switch {
		case key == "name":
			c.Name = value
		case key == "pid":
			c.PID = number(t, value)
		case key == "stdin":
			c.Stdin = inventory.Peer(value)
		case key == "state":
			c.State = value
			c.FinishedAt = noon.Add(-time.Minute)
		case key == "detached":
			c.OpenStdin, c.StdinOnce = inventory.Known(false), inventory.Known(false)
		case key == "background": // docker run -d -i
			c.StdinOnce = inventory.Known(false)
		case key == "exec":
			c.ExecPIDs = append(c.ExecPIDs, number(t, value))
		case key == "output":
			c.OpenStdin, c.StdinOnce, c.AttachStdout = inventory.Known(false), inventory.Known(false), inventory.Known(true)
		case key == "tty":
			c.TTY = inventory.Known(true)
		case key == "port":
			c.Publishes = inventory.Known(true)
		case key == "joins":
			c.Joins = append(c.Joins, value)
		case key == "started":
			c.StartedAt = created.Add(time.Duration(number(t, value)) * time.Second)
		case key == "restarts":
			c.Restarts = inventory.Known(true)
		case key == "given":
			c.Named = inventory.Known(true)
		case key == "configured":
			c.Configured = value
		case key == "attached": // of podman's: the PIDs that are attached, if any
			open := []inventory.Connection{}
			for _, pid := range holdersOf(t, value) {
				open = append(open, inventory.Connection{PIDs: []int{pid}})
			}
			c.Attached = inventory.Known(open)
		case key == "kept":
			c.AutoRemove = inventory.Known(false)
		case key == "command":
			c.Command = strings.Split(value, ",")
		case strings.HasPrefix(key, "label."):
			c.Labels[key[6:]] = value
		default:
			t.Fatalf("world: unknown container attribute %q", attribute)
		}
	}
	return c
}

// simple is a catalogue of a few plain rules, so that a world says by its own
// words what is what.
type simple struct{}

func (simple) Process(p *inventory.Process) inventory.Class {
	args := p.Args()
	if len(args) == 0 {
		return inventory.Class{}
	}
	line := strings.Join(args, " ")
	switch program := baseName(args[0]); {
	case strings.HasPrefix(line, "docker mcp gateway"), strings.HasPrefix(line, "docker-mcp gateway"):
		return inventory.Class{Role: inventory.RoleGateway, Name: "docker-mcp", Why: "docker mcp gateway"}
	case program == "messenger":
		return inventory.Class{Role: inventory.RoleServer, Name: "messages", Added: true}
	case program == "claude", program == "codex", program == "opencode":
		return inventory.Class{Role: inventory.RoleSession, Name: program, Headless: strings.Contains(line, "stream-json"), NoRestart: strings.Contains(line, "--keeps"),
			Helper: strings.Contains(line, "--helper"), Daemon: strings.Contains(line, "--daemon")}
	case program == "adapter":
		return inventory.Class{Role: inventory.RoleSession, Name: program, Headless: true, Adapts: "claude"}
	case program == "init", program == "tini", program == "systemd", program == "containerd-shim":
		return inventory.Class{Role: inventory.RoleBoundary}
	case strings.Contains(program, "mcp"), len(args) > 1 && (program == "npm" || program == "node" || program == "sh") && strings.Contains(args[len(args)-1], "mcp"):
		return inventory.Class{Role: inventory.RoleServer, Name: program, Why: "its program is called " + program, Launches: program == "npm" || program == "sh", Likely: strings.Contains(line, "bot")}
	case program == "docker" && args[1] == "run" && strings.Contains(line, "mcp"):
		return inventory.Class{Role: inventory.RoleServer, Why: "docker run of an MCP image"}
	case strings.HasSuffix(line, "service-child-relay.js"):
		return inventory.Class{Role: inventory.RoleWrapper, Relay: true}
	case program == "firefox":
		return inventory.Class{Browser: true, Driven: strings.Contains(line, "-juggler-pipe")}
	case program == "npm", program == "sh", program == "uv":
		return inventory.Class{Role: inventory.RoleWrapper, Launches: true}
	case program == "soffice", program == "godot":
		return inventory.Class{Person: true}
	}
	return inventory.Class{}
}

func (simple) Container(c *inventory.Container) inventory.Class {
	if strings.Contains(c.Image, "mcp") || c.Labels["docker-mcp"] != "" {
		return inventory.Class{Role: inventory.RoleServer, Name: cmdline.ImageBase(c.Image)}
	}
	return inventory.Class{}
}

func (simple) Managed(c *inventory.Container) string {
	if project := c.Labels["com.docker.compose.project"]; project != "" && !cmdline.IsOneOff(c.Labels) {
		return "compose project " + project
	}
	return ""
}

func (simple) Watches(p *inventory.Process, k *inventory.Container) bool {
	return p != nil && len(p.Argv) > 0 && p.Argv[0] == "portainer" || k != nil && k.Image == "portainer"
}

func (simple) Program(p *inventory.Process) string {
	args := p.Args()
	if len(args) == 0 {
		return p.Comm
	}
	return baseName(args[len(args)-1])
}

// correlate runs worlds one after the other, the given time apart, and returns
// the last graph.
func correlate(t *testing.T, apart time.Duration, worlds ...string) *Graph {
	t.Helper()
	var g *Graph
	for i, world := range worlds {
		snapshot := look(t, world)
		snapshot.TakenAt = noon.Add(time.Duration(i) * apart)
		g = Correlate(g, snapshot, Options{Catalogue: simple{}})
	}
	return g
}

// says is a target in a few words: finding, liveness of its owner, and the
// guards that hold.
func says(target *Target) string {
	words := []string{target.Finding.String(), target.Owner.Liveness.String()}
	for _, veto := range target.Vetoes {
		words = append(words, string(veto.Guard))
	}
	return strings.Join(words, " ")
}

// expect compares every target with lines of "ID finding liveness [guard…]";
// ID is the root's PID or the container's id.
func expect(t *testing.T, g *Graph, want string) {
	t.Helper()
	var got []string
	for _, target := range g.Targets {
		if target.Incidental {
			continue
		}
		id, _, _ := strings.Cut(target.ID, ":")
		got = append(got, id+" "+says(target))
	}
	var wanted []string
	for _, line := range strings.Split(want, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			wanted = append(wanted, line)
		}
	}
	if strings.Join(got, "\n") != strings.Join(wanted, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(wanted, "\n\t"))
		for _, target := range g.Targets {
			for _, evidence := range target.Evidence {
				t.Logf("%s %s: %s %s", target.ID, evidence.Check, evidence.Says, evidence.Text)
			}
		}
	}
}

func hasVeto(target *Target, guard Guard) bool {
	return slices.ContainsFunc(target.Vetoes, func(v Veto) bool { return v.Guard == guard })
}
