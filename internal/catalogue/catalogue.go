package catalogue

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Catalogue recognises processes and containers. It is made by [New] and safe
// for concurrent use.
type Catalogue struct {
	sessions, servers []Entry
	trusted           []Trust
}

// Extra are entries that a policy adds to the built-in ones.
type Extra struct {
	Sessions, Servers []Entry
	Trusted           []Trust
}

// Entry names what it matches. An entry without Matches matches nothing.
type Entry struct {
	Name    string
	Matches func(*inventory.Process) bool
}

// New is the built-in catalogue with extra entries. An added session goes
// before everything; an added server does not make a server of a known client.
func New(extra ...Extra) *Catalogue {
	c := &Catalogue{}
	for _, e := range extra {
		c.sessions = append(c.sessions, e.Sessions...)
		c.servers = append(c.servers, e.Servers...)
		c.trusted = append(c.trusted, e.Trusted...)
	}
	return c
}

// Process recognises a process. The first that recognises it counts: a session of the policy, a
// boundary, a client on the desktop, a client, PID 1, a server of the policy, `reaperd exec`, a
// browser, a gateway, a server, a wrapper, a program for a person. A launcher of a server or
// gateway, as the root of its tree, is one itself; a launcher of a session is a wrapper.
func (c *Catalogue) Process(p *inventory.Process) inventory.Class {
	s := look(p)
	for _, recognise := range []func(sighting) (inventory.Class, bool){
		c.addedSession, boundary, c.application, c.client, firstProcess, c.addedServer, execd, webBrowser, gateway, server, c.wrapper, forPerson,
	} {
		if class, ok := recognise(s); ok {
			class.Launches, class.Aid = s.command.Wrapped, class.Role == inventory.RoleWrapper && s.isAid()
			return class
		}
	}
	return inventory.Class{Aid: s.isAid()}
}

// Program is the name a person would use for what runs.
func (c *Catalogue) Program(p *inventory.Process) string { return look(p).name() }

// sighting is a process with its command line read.
type sighting struct {
	process *inventory.Process
	command cmdline.Command
	// exe is the executable; "" if it is unknown or only runs another program (an
	// interpreter, a shell, a launcher).
	exe string
	// title is argv[0] as it is. It may be a sentence.
	title string
	lower string // the title in lower case
	// programs are the paths by which the program may be known: those in argv and,
	// for a native program, the executable.
	programs []program
	// called is the program's name by the command line alone, without its folder; "" if that
	// names none.
	called string
	// script is that which an interpreter runs; empty for a native program.
	script script
}

func look(p *inventory.Process) sighting {
	s := sighting{process: p, command: cmdline.Read(p.Args())}
	if len(p.Argv) > 0 {
		s.title = strings.TrimSpace(p.Argv[0])
		s.lower = strings.ToLower(s.title)
	}
	exe := strings.TrimSuffix(p.Exe, " (deleted)")
	if exe != "" && !s.command.Wrapped && !cmdline.RunsOthers(cmdline.ProgramName(exe)) {
		s.exe = exe
	}
	s.programs, s.called = s.knownBy(), commandName(&s.command, "")
	if s.command.Script {
		s.script = scriptOf(s.command.Argv[0])
	}
	return s
}

func (s sighting) knownBy() []program {
	programs := make([]program, 0, 2)
	if len(s.command.Argv) > 0 {
		programs = append(programs, programOf(s.command.Argv[0]))
	}
	if s.hasOtherExe() {
		programs = append(programs, programOf(s.exe))
	}
	return programs
}

// hasOtherExe reports a native program whose executable is not the one that argv
// names.
func (s sighting) hasOtherExe() bool {
	return s.exe != "" && !s.command.Interpreted() && (len(s.command.Argv) == 0 || s.command.Argv[0] != s.exe)
}

func (s sighting) args() []string {
	return s.command.Args()
}

func (s sighting) name() string {
	if name := commandName(&s.command, s.process.Cwd); name != "" {
		return name
	}
	if s.process.Exe != "" {
		return cmdline.ProgramName(strings.TrimSuffix(s.process.Exe, " (deleted)"))
	}
	return s.process.Comm
}

func (c *Catalogue) addedSession(s sighting) (inventory.Class, bool) {
	return added(c.sessions, inventory.RoleSession, s)
}

func (c *Catalogue) addedServer(s sighting) (inventory.Class, bool) {
	return added(c.servers, inventory.RoleServer, s)
}

func added(entries []Entry, role inventory.Role, s sighting) (inventory.Class, bool) {
	for _, entry := range entries {
		if entry.Matches != nil && entry.Matches(s.process) {
			return inventory.Class{Role: role, Name: entry.Name, Why: "the policy names it " + entry.Name, Added: true}, true
		}
	}
	return inventory.Class{}, false
}

// boundary recognises processes that adopt orphans. The kernel's short name counts
// only if neither arguments nor executable can be read.
func boundary(s sighting) (inventory.Class, bool) {
	for _, program := range s.boundaryPrograms() {
		if isBoundary(program) || smallInits[cmdline.ProgramName(program)] && s.isFirst() {
			name := cmdline.ProgramName(program)
			return inventory.Class{Role: inventory.RoleBoundary, Name: name, Why: name + " adopts orphans"}, true
		}
	}
	return inventory.Class{}, false
}

func isBoundary(program string) bool {
	name := cmdline.ProgramName(program)
	return boundaryPaths[program] || boundaryNames[name] ||
		strings.HasPrefix(name, "containerd-shim") || strings.HasPrefix(name, "relay(") && strings.HasSuffix(name, ")")
}

// boundaryPrograms are the process's own names, not those of a program that it runs;
// some may be empty.
func (s sighting) boundaryPrograms() (programs [3]string) {
	p := s.process
	if s.title == "" && p.Exe == "" {
		programs[0] = p.Comm
		return programs
	}
	programs[0], programs[1] = p.Exe, s.title
	if words := p.Args(); len(words) > 0 {
		programs[2] = words[0]
	}
	return programs
}

// isFirst reports that the process is the first of its PID namespace, as far as the
// process itself shows.
func (s sighting) isFirst() bool { return s.process.PID == 1 || s.process.ContainerID != "" }

// firstProcess makes PID 1 a boundary, whatever it runs. Sessions come before it: a
// client that is PID 1 of its container starts its servers itself.
func firstProcess(s sighting) (inventory.Class, bool) {
	if s.process.PID != 1 {
		return inventory.Class{}, false
	}
	return inventory.Class{Role: inventory.RoleBoundary, Name: s.name(), Why: "PID 1 adopts orphans"}, true
}

// execd recognises `reaperd exec`: what it runs is a server, whatever it is called.
func execd(s sighting) (inventory.Class, bool) {
	args := s.process.Args()
	if len(args) < 3 || cmdline.ProgramName(args[0]) != "reaperd" || args[1] != "exec" {
		return inventory.Class{}, false
	}
	if class, known := gateway(s); known {
		return class, true
	}
	return inventory.Class{Role: inventory.RoleServer, Name: s.name(), Why: "reaperd exec runs it"}, true
}

// server recognises MCP servers, and the launchers in front of them.
func server(s sighting) (inventory.Class, bool) {
	if !s.mayBeServer() {
		return inventory.Class{}, false
	}
	why, by := isServer(&s.command, s.called)
	if by == noServer && s.hasOtherExe() {
		native := s.command
		native.Argv = append([]string{s.exe}, s.args()...)
		why, by = isServer(&native, commandName(&native, ""))
	}
	if by == noServer {
		return inventory.Class{}, false
	}
	return inventory.Class{Role: inventory.RoleServer, Name: s.name(), Why: why, Likely: by == likely}, true
}

// wrapper recognises programs that start another program. If that is a session, the
// wrapper has the client's name.
func (c *Catalogue) wrapper(s sighting) (inventory.Class, bool) {
	if !s.command.Wrapped && !s.isRelay() {
		return inventory.Class{}, false
	}
	class := inventory.Class{Role: inventory.RoleWrapper, Why: "starts another program", Relay: s.isRelay()}
	if s.command.Wrapped {
		inner := sighting{process: s.process, command: s.command, script: s.script}
		inner.command.Wrapped = false
		inner.programs = inner.knownBy()
		if session, ok := c.client(inner); ok {
			class.Name = session.Name
		}
	}
	return class, true
}

// isRelay recognises a client's own helpers, which pass a server's stdio on.
func (s sighting) isRelay() bool {
	return s.command.Interpreted() && relayScripts[path.Base(s.command.Argv[0])]
}
