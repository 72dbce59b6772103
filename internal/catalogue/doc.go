// Package catalogue recognises agent clients, gateways, MCP servers, the wrappers
// in front of them and the processes where ancestors end. It is data and the
// matching that reads it, and looks at nothing but the process or container it
// is handed:
//
//	clients_data.go    one entry a client: processes, forms, configuration files, source
//	data.go            gateways, servers without a telling name, words in names, boundaries, labels
//	entry.go, form.go  what an entry can say, and how arguments are compared with it
//	index.go           the names of all entries together: most processes are nobody's
//
// What counts is the program that runs, as package cmdline reads it. Names are
// compared with that program, never with its other arguments: `vim mcp.json`,
// `tail -f mcp.log` and `pytest tests/test_mcp.py` are no servers, and `bash -lc
// "cd x && npx -y @playwright/mcp"` is one. The kernel's short name (comm) is
// never asked where an argument vector or an executable can be read: node calls
// itself MainThread.
//
// The first of these that fits counts: a session of the policy, a boundary, a
// client on the desktop, a client, PID 1, a server of the policy, a gateway, a
// server, a wrapper. Sessions come before servers and servers before wrappers: a
// client that the catalogue takes for a server would be at the mercy of a rule,
// a server that it takes for a client is merely kept. A launcher whose program
// is a server or a gateway is one itself, since it is the root of that tree; a
// launcher whose program is a session is a wrapper.
package catalogue
