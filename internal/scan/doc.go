// Package scan turns the process table into [inventory.Process] values: as fast
// and as honest as the system allows.
//
// On Linux a look costs little because little is read twice. Listing /proc
// yields an inode number for every process, and that number is dropped when the
// process is reaped: an unchanged pair of PID and inode is the same process,
// so what was read of it still holds. Read again are the young, whose parent
// has gone, zombies, a rolling sixteenth, and everything that a candidate has
// to do with. An exec keeps the inode: it is noticed by reading again.
//
// Which processes matter is the caller's question, [Options].Candidate. For
// them, for what is above and below them, and for whoever holds the other end
// of their stdin or stdout, transitively, the look records stdin and stdout:
// whether the other end is open (asked of the kernel in microseconds, without
// any privilege over the other side) and who holds it (one walk over all
// descriptors, done only when an end is open). For everything else stdin and
// stdout are not recorded.
//
// Could not look is never an empty answer: such a fact is unreadable, and the
// source says "partial" and why. A process that ends while it is being read is
// no error; it is left out. What is read through a descriptor of /proc/PID can
// never be another process's that got the same PID meanwhile.
//
// Parsers and decoders carry no build tags and are tested on recorded bytes.
// Of the environment only the names in [Markers] are ever kept.
package scan
