// Package supervise is `reaperd exec`: it runs one MCP server for one client and ends all
// of the server when the client has gone. The server is a child in its own process group
// and inherits reaperd's stdio: reaperd reads and copies nothing. It waits for events:
//
//	event                                               what happens
//	stdin is a pipe, socket or terminal, and hangs up   the client has gone
//	stdin is anything else, and the parent ends         the client has gone
//	SIGCHLD: the first process has exited                done, unless its children still hold stdin and stdout
//	another signal                                      reaperd passes it on to the server's group
//
// A launcher between client and server may die while the client still holds the pipe; the
// server then stays. reaperd is a subreaper, so all processes that the server starts
// remain its descendants. After the client has gone, the server has half of the grace to
// end by itself. Then its processes get SIGTERM and, at the end of the grace, SIGKILL. A
// container is stopped by its id before its runner. A person's everyday browser stays. If
// reaperd itself is killed, the kernel sends SIGTERM to the server; the marks on other
// processes (REAPERD_OWNER, the label reaperd.owner) tell the daemon their owner.
//
// The package imports only packages that Go initialises first: see early_linux.go.
package supervise
