// Package discover reads the users' MCP configuration files, and tells which processes are
// servers that somebody configured. A [Discoverer] reads the host; a [Set] is its answer, a
// pure value, which compares a whole command line with the configurations of its own user.
//
// Names, commands, arguments and addresses are read, never environments or headers. Each file
// is read with the rights of its user, again when it has changed, up to limits for each user
// (budget.go). One that is malformed leaves the servers that it last named; a home that does
// not answer costs half a second once ([Discoverer.Unread]). On macOS the daemon touches
// nothing that raises a question for permission ([Forbidden]).
package discover
