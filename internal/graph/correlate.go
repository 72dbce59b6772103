package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options are what correlating needs beside the snapshot.
type Options struct {
	Catalogue Catalogue
	// ZombiesOver and RespawnsOver are from how many on a parent has the
	// finding zombies or respawning; zero is 100 and 10.
	ZombiesOver  int
	RespawnsOver int
	// Pinned returns why a target is pinned; nil pins nothing.
	Pinned func(*Target) (reason string, pinned bool)
	// Reaped is what was reaped lately from gateways, for counting what comes back.
	Reaped []Reaped
}

// Defaults of the options, from design and the report docker/mcp-gateway#483.
const (
	defaultZombiesOver  = 100
	defaultRespawnsOver = 10
)

// correlation is one pass of [Correlate].
type correlation struct {
	*table
	options Options

	roots   map[*node]*unit
	rootsOf map[*node]*node // by server, the root of its tree
	trees   []*unit
	others  []*unit
	shapes  map[string]bool

	sessions    []*session
	sessionOf   map[*node]*session
	targets     []*Target
	records     map[string]record
	lastClients map[string]lastClient
	respawns    map[string]respawn
}

// Correlate works out what a snapshot means, with the memory of the previous
// graph; previous is nil for the first look.
func Correlate(previous *Graph, snapshot *inventory.Snapshot, options Options) *Graph {
	c := newCorrelation(previous, snapshot, options)
	c.findSessions()
	c.findServers()
	c.growTrees()
	c.mark()
	c.judgeTrees()
	c.judgeContainers()
	c.countRespawns()
	c.countZombies()
	c.judgeSessions()
	c.rankGenerations()
	c.settle()
	graph := &Graph{Snapshot: snapshot, Sessions: c.reportSessions(), Targets: c.targets}
	graph.memory = c.remember()
	return graph
}

func newCorrelation(previous *Graph, snapshot *inventory.Snapshot, options Options) *correlation {
	if options.ZombiesOver == 0 {
		options.ZombiesOver = defaultZombiesOver
	}
	if options.RespawnsOver == 0 {
		options.RespawnsOver = defaultRespawnsOver
	}
	c := &correlation{
		options: options, roots: map[*node]*unit{}, rootsOf: map[*node]*node{}, shapes: map[string]bool{}, sessionOf: map[*node]*session{},
		records: map[string]record{}, lastClients: map[string]lastClient{},
	}
	c.table = newTable(snapshot, options.Catalogue, pastOf(previous, snapshot))
	c.countDead()
	return c
}

// pastOf is what is remembered of the same boot of the same host.
func pastOf(previous *Graph, snapshot *inventory.Snapshot) memory {
	if previous == nil || previous.Snapshot.Host.BootID != snapshot.Host.BootID {
		return memory{}
	}
	return previous.memory
}

// findServers decides which processes are servers: by the catalogue, by a
// client's configuration, by what they were before, by their shape.
func (c *correlation) findServers() {
	for _, n := range c.nodes {
		if !c.mayBeServer(n) {
			continue
		}
		switch {
		case n.Configured != "":
			n.server, n.how = true, "a client's configuration names it: "+n.Configured
		case n.class.Role == RoleServer || n.class.Role == RoleGateway:
			n.server, n.how = true, n.class.Why
		case c.runsServerImage(n):
			n.server, n.how = true, "docker exec brought it into a container of an MCP server's image"
		case n.memory.server && !n.memory.byShape && n.memory.lineage == n.ID():
			n.server, n.how = true, "it was a server while its session lived"
		}
	}
	c.findShapes()
}

func (c *correlation) mayBeServer(n *node) bool {
	if n.sealed || n.first || n.class.Role == RoleBoundary {
		return false
	}
	return n.class.Role != RoleSession || n.Configured != ""
}

// runsServerImage reports a process that docker exec brought, with a stdin of its
// own, into a container of an MCP server's image.
func (c *correlation) runsServerImage(n *node) bool {
	container := c.containers[n.ContainerID]
	stdin, known := n.Stdin.Get()
	return n.execd && container != nil && known && stdin.Connected() && c.isServerContainer(container)
}

// findShapes takes a child of a session for a server whose stdin and stdout are
// both held by that session, and every process of the same full argv with it.
func (c *correlation) findShapes() {
	for shape := range c.past.shapes {
		c.shapes[shape] = true
	}
	for _, n := range c.nodes {
		if c.hasShape(n) {
			c.shapes[shapeOf(n.Process)] = true
		}
	}
	for _, n := range c.nodes {
		if !n.server && c.mayBeServer(n) && !runsShell(n) && len(n.Args()) > 0 && c.shapes[shapeOf(n.Process)] {
			n.server, n.byShape = true, true
			n.how = "a session holds its stdin and its stdout, or those of another with the same command"
		}
	}
}

func (c *correlation) hasShape(n *node) bool {
	if n.server || !c.mayBeServer(n) || n.class.Role == RoleSession || n.lineage != lineageLive {
		return false
	}
	parent := n.parent
	if parent.class.Role != RoleSession || runsShell(n) || len(n.Args()) == 0 || passesStdin(parent, n) {
		return false
	}
	return heldBy(n.Stdin, parent.PID) && (n.Stdout.IsZero() || heldBy(n.Stdout, parent.PID))
}

func heldBy(stream inventory.Fact[inventory.Stdio], pid int) bool {
	stdio, known := stream.Get()
	return known && stdio.Connected() && stdio.Peer == inventory.PeerOpen && slices.Contains(stdio.Holders, pid)
}

// runsShell reports a shell with a command line, which is how agents run what
// a person asked for.
func runsShell(n *node) bool {
	args := n.Args()
	if len(args) < 2 {
		return false
	}
	switch baseName(args[0]) {
	case "sh", "bash", "zsh", "dash", "fish", "ksh", "ash":
		return slices.ContainsFunc(args[1:], func(arg string) bool {
			return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "c")
		})
	}
	return false
}

// shapeOf is what two copies of one server have in common: user, whole argv,
// and the folder where the arguments are relative to it.
func shapeOf(p *inventory.Process) string {
	args := p.Args()
	key := strings.Join(args, "\x00") + "\x01" + p.User
	if slices.ContainsFunc(args, isRelativePath) {
		key += "\x01" + p.Cwd
	}
	return key
}

func isRelativePath(arg string) bool {
	if strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "-") || strings.Contains(arg, "://") {
		return false
	}
	if strings.HasPrefix(arg, "@") {
		return false
	}
	return strings.Contains(arg, "/") || strings.HasSuffix(arg, ".js") || strings.HasSuffix(arg, ".mjs") ||
		strings.HasSuffix(arg, ".ts") || strings.HasSuffix(arg, ".py")
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// settle gives every target its history: since when its finding holds, how
// many looks saw it, for how long it has been idle.
func (c *correlation) settle() {
	c.sortTargets()
	for _, target := range c.targets {
		c.applyRecord(target)
	}
	for _, target := range c.targets {
		c.guard(target)
	}
}

func (c *correlation) sortTargets() {
	slices.SortStableFunc(c.targets, func(a, b *Target) int {
		if a.Kind != b.Kind {
			return kindOrder(a.Kind) - kindOrder(b.Kind)
		}
		if order := startOf(a).Compare(startOf(b)); order != 0 {
			return order
		}
		if a.Root != nil && b.Root != nil && a.Root.PID != b.Root.PID {
			return a.Root.PID - b.Root.PID
		}
		return strings.Compare(a.ID, b.ID)
	})
}

func kindOrder(kind Kind) int {
	return slices.Index([]Kind{KindSession, KindGateway, KindServer, KindContainer}, kind)
}

func startOf(t *Target) time.Time {
	if t.Container != nil {
		return t.Container.CreatedAt
	}
	return t.Root.StartedAt
}
