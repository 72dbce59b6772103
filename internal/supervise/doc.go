// Package supervise runs one MCP server for one client and ends all of it when
// the client has gone. It is what `reaperd exec` does.
//
// The server is a child in a process group of its own and has the very
// descriptors that reaperd was given: nothing is copied, so nothing is slower.
// reaperd waits beside it and is told by the system, without reading a byte:
//
//	stdin is a pipe, socket or terminal   its other end has hung up
//	stdin is anything else                the parent has ended
//	the server has ended                  SIGCHLD
//	a signal came                         passed on to the server's group
//
// The other end of stdin decides where there is one. A launcher between client
// and server may die while the client goes on and still holds the pipe; then the
// server stays. For the same reason the end of the first process is not the end
// of the server while what it started still holds both stdin and stdout.
//
// Everything that the server starts is a descendant of reaperd, however often it
// forks and whatever session it opens, because reaperd is a subreaper. Once the
// client has gone the server has half of the grace to end by itself, then
// everything gets SIGTERM, and at the end of the grace SIGKILL. A container is
// stopped by its id before its client is signalled. A person's own browser,
// opened for a login, is left.
//
// When reaperd itself is killed, the kernel sends SIGTERM to the server
// (PR_SET_PDEATHSIG); REAPERD_OWNER in the environment and the label
// reaperd.owner on a container tell the daemon whose the rest was.
//
// The package imports the standard library alone, and of it only what is
// initialised first: see early_linux.go.
package supervise
