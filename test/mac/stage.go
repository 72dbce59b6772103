//go:build linux

package mac

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// folder is what $W stands for in a part.
const folder = "/Users/dev/world"

// stage raises parts as processes of a played kernel, and has them do what they
// do: end with their input, or with their children.
type stage struct {
	kernel   *darwintest.Kernel
	top      *darwintest.Process // whoever starts the world, as a terminal would
	cast     map[string]*player
	names    []string // of the cast, in the order in which it came up
	terminal int
	port     uint16

	settling sync.Mutex
	changes  atomic.Int64
}

// player is a process that plays a part. ours are the ends that its parent holds.
type player struct {
	part     actor.Part
	process  *darwintest.Process
	children []*player
	ours     map[*darwintest.File]int // the parent's descriptors
	in       *darwintest.File         // the end that its parent writes to
	listener *darwintest.File
}

func newStage(kernel *darwintest.Kernel) *stage {
	s := &stage{kernel: kernel, cast: map[string]*player{}, port: 50000}
	s.top = kernel.Spawn(nil, darwintest.Spec{Comm: "world", Exe: "/opt/world", Argv: []string{"/opt/world"}, Setsid: true,
		FDs: map[int]*darwintest.File{0: darwintest.Null(), 1: darwintest.Regular(1)}})
	kernel.Changed = s.settle
	return s
}

// raise brings parts up below whoever starts the world.
func (s *stage) raise(parts []actor.Part) {
	s.start(&player{process: s.top}, parts)
	for _, name := range s.names {
		s.call(s.cast[name])
	}
	s.settle()
}

// start starts siblings one after the other, each with what is below it, then
// lets go of what their parent does not keep.
func (s *stage) start(parent *player, parts []actor.Part) {
	pipes := map[string][2]*darwintest.File{}
	for _, part := range parts {
		for _, stream := range []actor.Stream{part.Stdin, part.Stdout} {
			if name, named := strings.CutPrefix(string(stream), "pipe:"); named && pipes[name][0] == nil {
				read, write := s.kernel.Pipe()
				pipes[name] = [2]*darwintest.File{read, write}
			}
		}
	}
	for _, part := range parts {
		parent.children = append(parent.children, s.play(parent, part, pipes))
	}
	for _, ends := range pipes {
		s.kernel.Drop(ends[0])
		s.kernel.Drop(ends[1])
	}
	for _, child := range parent.children {
		if child.part.Dropped {
			s.letGo(parent, child)
		}
	}
	if parent.part.Does == actor.Launcher {
		s.kernel.Exit(parent.process)
	}
}

func (s *stage) play(parent *player, part actor.Part, pipes map[string][2]*darwintest.File) *player {
	child := &player{part: part, ours: map[*darwintest.File]int{}}
	files := map[int]*darwintest.File{}
	s.connect(parent, child, files, 0, part.Stdin, pipes)
	s.connect(parent, child, files, 1, part.Stdout, pipes)
	for _, name := range part.Holds {
		if ends, named := pipes[name]; named {
			files[10+len(files)] = ends[1]
		} else {
			files[10+len(files)] = s.cast[name].in
		}
	}
	spec := s.specOf(&part, files)
	spec.UID = cmp.Or(part.UID, parent.process.UID)
	child.process = s.kernel.Spawn(parent.process, spec)
	if part.Listen != "" {
		child.listener = s.listen(part)
		s.kernel.Give(child.process, child.listener)
	}
	s.cast[part.Name], s.names = child, append(s.names, part.Name)
	s.start(child, part.Children)
	return child
}

func (s *stage) specOf(part *actor.Part, files map[int]*darwintest.File) darwintest.Spec {
	spec := darwintest.Spec{Comm: part.Comm, Exe: exeOf(part), Setsid: part.Setsid, IgnoreTerm: part.IgnoreTerm,
		Unwaited: part.Unwaited, FDs: files, Cwd: path.Join(folder, part.Cwd)}
	if spec.Comm == "" {
		spec.Comm = path.Base(part.Exe)
	}
	for _, argument := range part.Argv {
		spec.Argv = append(spec.Argv, expand(argument))
	}
	if len(part.Argv) == 0 {
		spec.Argv = []string{part.Exe}
	}
	for _, entry := range part.Env {
		spec.Env = append(spec.Env, expand(entry))
	}
	if part.Stdin == actor.TTY {
		spec.TTY = darwintest.Terminal(s.terminal)
	}
	return spec
}

func expand(text string) string { return strings.ReplaceAll(text, "$W", folder) }

func exeOf(part *actor.Part) string {
	switch {
	case strings.HasPrefix(part.Exe, "/"):
		return part.Exe
	case strings.Contains(part.Exe, "/"):
		return path.Join(folder, part.Exe)
	}
	return path.Join(folder, "bin", part.Exe)
}

// connect opens one stream of a part, and gives the parent its end.
func (s *stage) connect(parent, child *player, files map[int]*darwintest.File, fd int, stream actor.Stream, pipes map[string][2]*darwintest.File) {
	keep := func(end *darwintest.File) {
		child.ours[end] = s.kernel.Give(parent.process, end)
		if fd == 0 {
			child.in = end
		}
	}
	switch stream {
	case actor.Inherit:
		if file := s.kernel.File(parent.process, fd); file != nil {
			files[fd] = file
		}
	case actor.Null:
		files[fd] = darwintest.Null()
	case actor.File:
		files[fd] = darwintest.Regular(uint64(1000 + len(s.names)))
	case actor.TTY:
		if fd == 0 {
			s.terminal++
		}
		files[fd] = darwintest.TTY(s.terminal)
	case actor.Pipe:
		read, write := s.kernel.Pipe()
		ends := []*darwintest.File{read, write}
		files[fd] = ends[fd]
		keep(ends[1-fd])
	case actor.Socket:
		theirs, ours := s.kernel.Pair()
		files[fd] = theirs
		keep(ours)
	case actor.Closed:
	default:
		files[fd] = pipes[strings.TrimPrefix(string(stream), "pipe:")][fd]
	}
}

// letGo closes the ends that a parent has of a child.
func (s *stage) letGo(parent, child *player) {
	for _, fd := range child.ours {
		s.kernel.Close(parent.process, fd)
	}
}

func (s *stage) listen(part actor.Part) *darwintest.File {
	if part.Listen == "unix" {
		return s.kernel.Listen("/tmp/" + part.Name + ".sock")
	}
	s.port++
	return s.kernel.Listen("127.0.0.1:" + itoa(int(s.port)))
}

// call connects a client to whom it calls; a visitor hangs up, or waits until the
// other does.
func (s *stage) call(caller *player) {
	if caller.part.Calls == "" {
		return
	}
	called := s.cast[caller.part.Calls]
	s.port++
	accepted, client := s.kernel.Connect(called.listener, s.port)
	theirs, ours := s.kernel.Give(called.process, accepted), s.kernel.Give(caller.process, client)
	if caller.part.Does != actor.Visitor {
		return
	}
	if called.part.Hangup {
		s.kernel.Close(called.process, theirs)
		s.kernel.Close(caller.process, ours)
		return
	}
	s.kernel.Close(caller.process, ours)
	s.kernel.Close(called.process, theirs)
}

// settle lets everybody do what follows from a change, until nothing more does.
func (s *stage) settle() {
	s.changes.Add(1)
	for {
		if !s.settling.TryLock() {
			return // whoever has it goes round again
		}
		seen := s.changes.Load()
		for s.endOne() {
		}
		s.settling.Unlock()
		if s.changes.Load() == seen {
			return
		}
	}
}

// endOne ends a process that has nothing left to do, if there is one.
func (s *stage) endOne() bool {
	for _, name := range s.names {
		if p := s.cast[name]; s.kernel.IsAlive(p.process) && !s.kernel.IsStopped(p.process) && s.isDone(p) {
			s.kernel.Exit(p.process)
			return true
		}
	}
	return false
}

func (s *stage) isDone(p *player) bool {
	switch p.part.Does {
	case actor.Server, actor.Drain, actor.Relay:
		return !p.part.IgnoreEOF && s.kernel.EOF(s.kernel.File(p.process, 0))
	case actor.Wrapper:
		return len(p.children) > 0 && !slices.ContainsFunc(p.children, func(child *player) bool { return s.kernel.IsAlive(child.process) })
	}
	return false
}

// alive are the parts that live, in order.
func (s *stage) alive() []string {
	var alive []string
	for _, name := range s.names {
		if s.kernel.IsAlive(s.cast[name].process) {
			alive = append(alive, name)
		}
	}
	return alive
}
