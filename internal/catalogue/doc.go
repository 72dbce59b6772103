// Package catalogue recognises agent clients, gateways, MCP servers, wrappers, and the
// boundaries where ancestors end. It is data, and code that compares a process with it:
//
//	clients_data.go    one entry for each client
//	data.go            gateways, servers, words in names, boundaries, labels
//	entry.go, form.go  the fields of an entry, and how arguments are compared with them
//
// Names are compared with the program that runs, as package cmdline finds it, never with its
// other arguments: `vim mcp.json` is no server. The first match counts, sessions first: a
// server taken for a client is kept, a client taken for a server could be reaped.
package catalogue
