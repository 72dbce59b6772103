// Package supervise is `reaperd exec`: it runs one MCP server for one client and ends
// all of it when the client has gone. The server is a child in a process group of its
// own and has the very descriptors that reaperd was given: reaperd reads and copies
// nothing. It waits for the system to report one of these:
//
//	event                                               what happens
//	stdin is a pipe, socket or terminal, and hangs up   the client has gone
//	stdin is anything else, and the parent ends         the client has gone
//	SIGCHLD: the first process has ended                done, unless what it started still holds stdin and stdout
//	another signal                                      it is passed on to the server's group
//
// A launcher between client and server may die while the client still holds the pipe;
// the server then stays. reaperd is a subreaper, so everything that the server starts
// remains its descendant.
//
// After the client has gone the server has half of the grace to end by itself. Then
// everything gets SIGTERM and, at the end of the grace, SIGKILL. A container is
// stopped by its id before its client is. A person's everyday browser stays. If
// reaperd itself is killed, the kernel sends SIGTERM to the server, and the marks on
// the rest (REAPERD_OWNER, the label reaperd.owner) tell the daemon whose it was.
//
// The package imports only what Go initialises first: see early_linux.go.
package supervise
