// Package idle finds out for how long sessions have done nothing, and what they hold meanwhile.
//
// A session is idle while nothing in its tree shows a sign of use: more than a trickle of
// processor time or I/O ([usage.Activity]), a process that starts or ends, a connection, its
// terminal, a running tool. The tree is the client, its servers and gateways with all below
// them and in their containers, and the tools that it runs. What is unknown counts as used.
package idle
