package graph

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ShapeOf is what two copies of one server have in common: a server without a telling name is known by its
// shape. It is equal for two copies of one server: its scope, the user's number, the whole argv and, if
// an argument is a relative path, the working directory. For a command line that was
// too long to keep, its hash stands for the whole. It is empty if the user is not known.
func ShapeOf(p *inventory.Process) string {
	var room [512]byte
	shape, scope := appendCommand(room[:0], p), p.Scope()
	if len(shape) == 0 {
		return ""
	}
	shape = append(append(append(shape, scopeMark), scope.Container...), ' ')
	shape = append(strconv.AppendUint(shape, scope.UserNamespace, 10), ' ')
	return string(strconv.AppendUint(shape, scope.PIDNamespace, 10))
}

// scopeMark is before the scope, which has no such byte.
const scopeMark = 2

// commandOf is a shape without its scope, which is not known of a process that is not read whole.
func commandOf(shape string) string { return shape[:max(0, strings.LastIndexByte(shape, scopeMark))] }

// shapeHash is maphash.String of the command of the shape of a process.
func shapeHash(seed maphash.Seed, p *inventory.Process) uint64 {
	var room [512]byte
	return maphash.Bytes(seed, appendCommand(room[:0], p))
}

func appendCommand(to []byte, p *inventory.Process) []byte {
	uid, known := p.UID.Get()
	args := p.Args()
	if !known || len(args) == 0 {
		return to
	}
	for i, arg := range args {
		if i > 0 {
			to = append(to, 0)
		}
		to = append(to, arg...)
	}
	to = append(append(to, 1), p.ArgvHash...)
	to = strconv.AppendInt(append(to, 1), int64(uid), 10)
	if hasRelativePath(args) {
		to = append(append(to, 1), p.Cwd...)
	}
	return to
}

// hasRelativePath reports arguments that are relative to the working directory.
func hasRelativePath(args []string) bool { return slices.ContainsFunc(args, cmdline.IsRelativeFile) }

// shapeSet is the shapes of servers.
type shapeSet map[string]seenShape

// seenShape is when a process last had a shape, and how many had it at once, at most, below
// sessions or gateways.
type seenShape struct {
	At     time.Time
	Copies int
}

// has reports the shape of a server.
func (s shapeSet) has(shape string) bool {
	_, known := s[shape]
	return known
}

// copies is how many processes had a shape at once, at mostShapes.
func (s shapeSet) copies(shape string) int { return s[shape].Copies }

// see notes that a look saw so many copies of a shape; the shape of a process whose user
// is not known is empty and none.
func (s shapeSet) see(shape string, at time.Time, copies int) {
	if shape != "" {
		s[shape] = seenShape{At: at, Copies: max(copies, s[shape].Copies)}
	}
}

// mostShapes and mostShapeBytes limit the shapes that are kept although no process has them any
// more. Without a limit a memory would grow with every command that a session has ever
// started over two pipes.
const (
	mostShapes     = 1000
	mostShapeBytes = 1 << 20
)

// bounded is the shapes to remember after a look at that time: those that a process
// has, and of the others the latest. A shape that is forgotten makes no server any
// more: a later process of that shape is kept.
func (s shapeSet) bounded(now time.Time) shapeSet {
	var past []string
	for shape, last := range s {
		if !last.At.Equal(now) {
			past = append(past, shape)
		}
	}
	slices.SortFunc(past, func(a, b string) int { return cmp.Or(s[b].At.Compare(s[a].At), cmp.Compare(a, b)) })
	kept, bytes := maps.Clone(s), 0
	for i, shape := range past {
		if bytes += len(shape); i >= mostShapes || bytes > mostShapeBytes {
			delete(kept, shape)
		}
	}
	return kept
}

// ByShape are the ids of the servers of a look that nothing but the shape told which they had below a
// session or gateway. A daemon that starts later is handed them ([Options.ByShape]): nobody sees that
// shape any more once they are leaked.
func (g *Graph) ByShape() (ids []string) {
	for _, t := range g.Targets {
		if t.ByShape && t.Container == nil {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// ProcessesOf are the processes among the ids of targets: the roots of trees.
func ProcessesOf(targets []string) map[inventory.ID]bool {
	processes := make(map[inventory.ID]bool, len(targets))
	for _, target := range targets {
		if id, err := inventory.ParseID(target); err == nil {
			processes[id] = true
		}
	}
	return processes
}
