// Package selftest tries reaperd on the real thing: it starts children of its own
// in known shapes (a stdin whose writer is gone, one that is held, a pair of
// sockets, an orphan, a listener, one that exits while it is being read), looks at
// them with the scanner, compares what it sees with what they are, and ends one
// of them by the real path. Nothing else on the host is touched.
//
// A child plays a part ([Play]): it is the same program, started with the name of
// the part. It holds a lifeline to whoever tests and ends when that does, however
// it ends.
package selftest
