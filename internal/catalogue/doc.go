// Package catalogue recognises agent clients, MCP servers, the wrappers in
// front of them and the processes where ancestors end. It is data (data.go,
// grammar.go) and the matching that reads it; it looks at nothing but the
// process or container it is handed.
//
// What counts is the program that runs. An argument vector is read from the
// outside in: prefixes (env, nohup, sudo), shells with -c, package launchers
// (npm exec, uvx, bunx), interpreters and their flags are taken off one by one
// until the program is left ([readCommand]); names are compared with that
// program, never with its other arguments. So `vim mcp.json`, `tail -f mcp.log`
// and `pytest tests/test_mcp.py` are no servers, and `bash -lc "cd x && npx -y
// @playwright/mcp"` is one. The kernel's short name (comm) is never asked where
// an argument vector or an executable can be read: node calls itself MainThread.
//
// A launcher whose program is a server is a server itself, since it is the root
// of that server's tree. A launcher whose program is a session is a wrapper.
//
// Sessions come before servers and servers before wrappers: a client that the
// catalogue takes for a server would be at the mercy of a rule, a server that
// it takes for a client is merely kept. Every entry names the public report or
// page that it rests on.
package catalogue
