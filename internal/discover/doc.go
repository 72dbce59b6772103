// Package discover reads the MCP configuration files of the users reaperd may
// read for, and tells which processes are servers that somebody configured:
// dialpad-messaging and ast-grep-server have nothing in their names that would
// say so.
//
// Files are found in two places: below the homes of users ([Homes]), where each
// client keeps its own file, and in the working directories of live sessions
// and their parents up to the root of the repository. Each format has a parser
// of its own that is a pure function of bytes; all of them end in the same walk
// over names, commands, arguments and addresses. Environments, headers and all
// else are never looked at, and no fault ever quotes a file. An entry that is
// switched off counts: a disabled server that runs is still a configured one.
//
// A [Discoverer] is the effect. It reads a file again only when its device,
// inode, size or time of change differ, says a fault once until the file
// changes, and keeps what a file last said while it cannot be understood.
//
// As root it reads a user's files as that user: on Linux with the user's rights to
// files where it may take them, elsewhere and else only files that the user owns.
// Links may lead about inside a home, never out of it; what is read is a regular
// file of that user or of root, held and looked at before it is opened. A home or a
// session's folder whose file system does not answer costs half a second once and
// is left to itself; what was known of it stays, and [Discoverer.Silent] names it.
//
// On macOS the daemon is guarded: it does not even stat what would raise a
// permission dialog ([Forbidden]); `reaperd discover` in a terminal reads those
// files and leaves their servers in a cache ([SaveCache], [LoadCache]).
//
// A [Set] is the answer, a pure value: [Set.Match] compares a whole command,
// program and arguments, so that the same binary with other arguments is another
// server, and only processes of the user whose configuration it is, so that
// nobody can have another's process taken for a server.
package discover
