// Package catalogue recognises agent clients, gateways, MCP servers, wrappers, and the
// boundaries where ancestors end. It is data, and code that compares a process or
// container with it:
//
//	clients_data.go    one entry for each client: processes, forms, configuration files, source
//	data.go            gateways, servers without a telling name, words in names, boundaries, labels
//	entry.go, form.go  the fields of an entry, and how arguments are compared with them
//	index.go           the names of all entries: most processes match none
//
// Names are compared with the program that runs, as package cmdline finds it, never with
// its other arguments: `vim mcp.json` is no server, and `bash -lc "cd x && npx -y
// @playwright/mcp"` is one. The kernel's short name (comm) is used only if neither argument
// vector nor executable can be read: node calls itself MainThread.
//
// The first match counts, in this order: a session of the policy, a boundary, a client on
// the desktop, a client, PID 1, a server of the policy, a gateway, a server, a wrapper.
// A server taken for a client is kept; a client taken for a server could be reaped: so
// sessions come first. A launcher of a server or gateway, as the root of its tree, is one
// itself; a launcher of a session is a wrapper.
package catalogue
