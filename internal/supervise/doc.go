// Package supervise is `reaperd exec`: it runs one MCP server for one client, and ends all of
// it when the client has gone. The server inherits reaperd's stdio; nothing is copied.
//
// The client has gone when stdin hangs up, or, where that is no pipe, socket or terminal, when
// the parent ends. reaperd is a subreaper, so whatever the server starts stays below it. Then
// the server has half of the grace to end by itself; then SIGTERM, at the end SIGKILL. A
// container is stopped by its id before its runner. If reaperd itself is killed, marks tell the
// daemon whose the rest is. Imports are few, since Go initialises them first: early_linux.go.
package supervise
