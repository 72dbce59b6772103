// Package idle finds out how long sessions have done nothing, and what each of them
// holds meanwhile.
//
// A session is idle while nothing in its tree shows a sign of use. Its tree is the
// client's own processes, its servers and gateways with all below them, the processes
// in its containers, and the tools that it runs.
//
//	sign of use               remark
//	processor time or I/O     more than a trickle since the look before ([usage.Activity]); timers and pings are less
//	a start or an end         of any process of the tree
//	a connection              to a port or socket that the tree listens on
//	the terminal              typed on or written to; the kernel updates that time only every eight seconds
//	a running tool            any process that is neither the client nor a server's, nor a shell without a child
//	a fact that is unknown    in doubt the session is in use
//
// A session is idle since it was last seen in use, or at least since the first look
// at it. A daemon that starts again begins anew.
package idle
