// Package idle tells for how long sessions have done nothing, and what each of them
// holds meanwhile.
//
// A session is in use while it or anything that works for it is. What works for it
// is its tree: the processes of the client itself, its servers and gateways with all
// that is below them, the processes in its containers, and the tools that it runs.
// Any of these is use:
//
//   - a process that has used more than a trickle of processor time or input and
//     output since the look before ([usage.Activity] says how much a trickle is);
//   - a process that has started or ended;
//   - a connection to what it listens on;
//   - a terminal of the client that was typed on or written to: idleness begins no
//     earlier than eight seconds after the time that the kernel tells, which it writes
//     down that seldom;
//   - a tool that runs: any process of the tree that is neither the client, nor a
//     server's, nor a shell that has no child. A tool may wait for hours, and its
//     session waits for it;
//   - anything of it that could not be measured.
//
// The timers of an idle runtime and the pings between a client and its servers are
// no use: they stay below the trickle.
//
// What was not looked at is not known. A session is idle since it was last seen in
// use, or at least since it was first looked at. A daemon that starts again begins
// anew.
package idle
