package graph

import (
	"cmp"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options are the inputs of [Correlate] beside the snapshot.
type Options struct {
	Catalogue Catalogue
	// ZombiesOver and RespawnsOver are the counts from which a parent gets the
	// finding zombies or respawning; zero means 100 and 10.
	ZombiesOver  int
	RespawnsOver int
	// IdleOver is how long a session must be idle to get that finding. Zero measures no session, and
	// leaves those without a finding out of the targets.
	IdleOver time.Duration
	// Pinned returns the pin of a target; nil pins nothing.
	Pinned func(*Target) (Pin, bool)
	// Reaped lists the servers lately reaped below live gateways and sessions; copies that
	// appear again are counted.
	Reaped []Reaped
	// Began is what an earlier daemon saw sessions start, by id.
	Began map[string]Began
	// ByShape are the ids of targets that an earlier daemon knew for servers by nothing but their shape.
	ByShape []string
}

// correlation is one pass of [Correlate].
type correlation struct {
	*table
	options Options

	sessions []*session

	shapes         shapeSet
	recalledShapes map[inventory.ID]bool // of Options.ByShape
	trees          []*tree
	holds          map[*tree][]*tree // the trees to which each has a channel

	runners   []*runner        // live processes of container CLIs
	elsewhere []*runner        // those that speak to no engine that is looked at
	held      []*container     // all containers
	executed  map[*node]*thing // what was executed in containers
	kinds     kinds
	naming    *naming
	strays    []*runner           // live runners whose container was not found
	unread    *node               // a live process that may be a runner; its arguments are not known
	carrier   *node               // a `docker system dial-stdio` that somebody on another host may speak through; nil is none
	strangers map[string]Stranger // by connection: see strangers.go

	targets     []*Target
	records     map[string]record // of containers
	lastRunners map[string]lastRunner
	respawns    respawns
	brakes      map[inventory.ID]string
	detaching   []detaching
}

// Correlate works out what a snapshot means, with the memory of the previous
// graph; previous is nil for the first look.
func Correlate(previous *Graph, snapshot *inventory.Snapshot, options Options) *Graph {
	c := newCorrelation(previous, snapshot, options)
	c.findSessions()
	c.recallBegan()
	c.findServers()
	c.growTrees()
	c.joinExecuted()
	c.promoteHelpers()
	c.findDetaching()
	c.judgeTrees()
	c.judgeContainers()
	c.countRespawns()
	c.countZombies()
	c.judgeSessions()
	c.shareDaemons()
	c.rankGenerations()
	c.settle()
	graph := &Graph{Snapshot: snapshot, Sessions: c.reportSessions(), Targets: c.targets, AlsoLeft: c.alsoLeft()}
	if options.IdleOver == 0 {
		graph.Targets = slices.DeleteFunc(c.targets, isQuiet)
	}
	graph.memory = c.remember(graph.Sessions)
	return graph
}

func newCorrelation(previous *Graph, snapshot *inventory.Snapshot, options Options) *correlation {
	options.ZombiesOver = cmp.Or(options.ZombiesOver, 100) // docker/mcp-gateway#483
	options.RespawnsOver = cmp.Or(options.RespawnsOver, 10)
	c := &correlation{
		options: options, shapes: shapeSet{},
		records: map[string]record{}, lastRunners: map[string]lastRunner{}, strangers: map[string]Stranger{}, holds: map[*tree][]*tree{},
	}
	c.table = newTable(snapshot, options.Catalogue, pastOf(previous, snapshot))
	c.naming, c.recalledShapes = newNaming(snapshot.Containers), ProcessesOf(options.ByShape)
	c.findContainers()
	c.countDead()
	return c
}

// judgeTrees judges the trees that docker exec started last, because their runners
// must have been judged before.
func (c *correlation) judgeTrees() {
	for _, t := range c.trees {
		t.live = t.root.execd // until it is judged itself
	}
	c.judge(slices.DeleteFunc(slices.Clone(c.trees), func(t *tree) bool { return t.root.execd }))
	c.judge(slices.DeleteFunc(slices.Clone(c.trees), func(t *tree) bool { return !t.root.execd }))
	for _, t := range c.trees {
		t.target.Behind, t.target.Holders = idsOf(t.behind), idsOf(t.leakedHolders())
	}
}

// pastOf is the memory of the previous look if it was on the same boot of the host,
// else nothing.
func pastOf(previous *Graph, snapshot *inventory.Snapshot) memory {
	if previous == nil || previous.Snapshot.Host.BootID != snapshot.Host.BootID {
		return memory{}
	}
	return previous.memory
}

// settle gives every target its history (since when its finding holds, how many looks
// in a row saw it, how long it has been idle) and its vetoes. Targets keep no node
// afterwards: nodes belong to one look.
func (c *correlation) settle() {
	c.sortTargets()
	for _, target := range c.targets {
		c.applyRecord(target)
	}
	c.guard()
	for _, target := range c.targets {
		target.nodes, target.speaksTo = nil, nil
	}
}

func (c *correlation) sortTargets() {
	slices.SortStableFunc(c.targets, func(a, b *Target) int {
		return cmp.Or(kindOrder(a.Kind)-kindOrder(b.Kind), ByStart(a, b))
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
