// Package selftest tries reaperd on real processes. It starts children of its own in
// known shapes (a stdin whose writer is gone, one that is held, a socket pair, an
// orphan, a listener, one that exits while it is being read), compares what the
// scanner sees with what they are, and ends one of them as a sweep would. It touches
// nothing else on the host.
//
// A child is this program, started with the name of a part ([Play]). It holds a
// lifeline, a pipe to the tester, and ends when the tester does.
package selftest
