package inventory

// Role is the kind of process that a catalogue recognises.
type Role uint8

// The roles. The zero value is a process nobody recognises.
const (
	RoleNone     Role = iota
	RoleSession       // an agent client that starts MCP servers
	RoleGateway       // a server that owns servers of its own
	RoleServer        // an MCP server
	RoleWrapper       // starts another program and passes its stdio on
	RoleBoundary      // adopts orphans: init, a subreaper, a shim
)

// Class is a catalogue's answer for one process or container.
type Class struct {
	Role Role
	// Name is the client's name for a session ("claude-code"), the short name for a
	// server; "" if there is none.
	Name string
	// Why says for people what was recognised.
	Why string
	// Likely marks a server of which only the name says so, and others may be called so too.
	Likely bool
	// Added marks a match of the policy's own entries.
	Added bool
	// Headless marks a session that another program speaks to over stdio.
	Headless bool
	// Part marks a process that a client's launcher starts over pipes of its own: it
	// is one session with a process of the same name above it.
	Part bool
	// Helper marks a process of a client that is no session by itself; Daemon one that runs
	// without any session. Adapts is the client whose process below it is the same session.
	Helper, Daemon bool
	Adapts         string
	// Editor marks a client that starts language servers and the like over their stdio, too.
	Editor bool
	// NoRestart marks a client that does not start a server again that has ended.
	NoRestart bool
	// Relay marks a process that passes a server's stdio on over pipes of its own.
	Relay bool
	// Launches marks a process that starts another program: a launcher, a shell with a
	// line, a wrapper, whatever its role.
	Launches bool
	// Browser marks a web browser, Driven one that a program drives. Person marks another
	// program that only a person uses, such as an editor.
	Browser, Driven, Person bool
	// Aid marks a language server, and a hook: a session speaks to them over their stdio, and they are no MCP
	// servers.
	Aid bool
}
