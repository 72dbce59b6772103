// Package discover reads the users' MCP configuration files and tells which processes
// are servers that somebody configured. dialpad-messaging and ast-grep-server have no
// telling name: only a configuration makes them known as servers.
//
//	question                    answer
//	which files?                those that each client keeps below a home ([Users.Homes]); those in the working directories of
//	                            live sessions and in the folders above, up to the root of the repository
//	what is read of them?       names, commands, arguments, addresses; never environments or headers; switched-off entries too
//	how often?                  a file again when its device, inode, size or change time differs; a fault is reported once
//	what if it is malformed?    the servers that it last named stay known; faults never quote the file
//	with whose rights?          as root on Linux with those of the file's user, elsewhere only files that the user owns;
//	                            links may not lead out of the home
//	what if nothing answers?    a home or folder on a hung file system costs half a second once ([Discoverer.Unread])
//	what may it cost?           so many bytes, servers, folders and seconds for each user (budget.go); what is over that is not
//	                            used, and costs nobody else anything
//	what about macOS?           the daemon touches nothing that raises a permission dialog ([Forbidden]); `reaperd discover`
//	                            reads those files in a terminal and leaves their servers in a cache ([SaveCache])
//
// A [Discoverer] reads the host. A [Set] is its answer, a pure value: [Set.Match]
// compares a process's whole command line, and only with configurations of the
// process's own user, so nobody can make another's process a server. Each format has
// a pure parser; all of them end in the same walk over servers.
package discover
