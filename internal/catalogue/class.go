package catalogue

// Role is what the catalogue takes a process for.
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

// Class is the catalogue's answer for one process or container.
type Class struct {
	Role Role
	// Name is the client's name for a session ("claude-code"), the server's
	// short name for a server; empty where there is nothing to say.
	Name string
	// Why says what was recognised, for a person.
	Why string
	// Added marks what a policy's own entries name.
	Added bool
	// Headless marks a session that is spoken to over its own stdio.
	Headless bool
	// Part marks a session's process that its client's launcher starts over
	// pipes of its own: it is one session with a process of that name above it.
	Part bool
	// Relay marks what passes the stdio of a server on over pipes of its own.
	Relay bool
	// Browser marks a web browser, Driven one that a program drives.
	Browser, Driven bool
}
