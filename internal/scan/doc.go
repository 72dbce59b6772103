// Package scan turns the process table into [inventory.Process] values: as fast
// and as honest as the system allows.
//
// On Linux a look costs little because little is read twice. Listing /proc
// yields an inode number for every process, and that number is dropped when the
// process is reaped: an unchanged pair of PID and inode is the same process,
// so what was read of it still holds. Read again are the young, whose parent
// has gone, zombies, a rolling sixteenth, and everything that a candidate has
// to do with. An exec keeps the inode: its stat line tells of it.
//
// Of what verdicts rest on nothing is carried from look to look that somebody
// else could have changed: whether other ends are open, who is connected, the
// figures and the parent are read anew or not recorded. What a process alone can
// change stands while it has not run: its descriptors, what its stdin and stdout
// are, what it has read and written. That it has not run its own processor time
// tells, which is one call and counts nanoseconds. Whose a process is, what it
// runs and where stands until the next exec, once it is a minute old. All of
// this is read again after sixteen looks in any case, and anew by
// [Scanner.Process], which is asked before an act.
//
// Four things stand longer. The markers of an environment stand until the next
// exec. A proportional set size, which costs the kernel milliseconds, stands
// while the resident size is within a sixteenth of what it was, and for sixteen
// looks. The main processes of services stand until below a service manager
// somebody is new or under a minute old, and for sixteen looks. That an anchored
// process's end is held outside the table, as by a container's shim, stands for
// sixty-four.
//
// Which processes matter is the caller's question, [Options].Candidate. For
// them, for what is above and below them, and for whoever holds the other end
// of their stdin or stdout, transitively, the look records stdin and stdout:
// whether the other end is open (asked of the kernel in microseconds, without
// any privilege over the other side) and who holds it. For everything else
// stdin and stdout are not recorded.
//
// Holders are looked for among the processes that are read anyway, and only
// where that could leave a verdict open, in one walk over everybody's
// descriptors. A verdict asks whether some live process holds an end that is
// neither part of the process's own tree nor a sibling of it. A process is
// anchored if each on the way up, itself included, has the parent it was first
// seen with, and a stdin that cannot lose its other end (a terminal, /dev/null,
// one that cannot be told) or whose other end an anchored process above it
// holds. Whatever tree it belongs to is rooted on that way: it is live, and
// above all that it started. So an end is settled by any anchored process above
// that holds it; and an anchored process's own ends decide nothing, so that one
// holder to name, or that there is none, is enough. Every other open end is walked for: each holder is
// then listed. Where PIDs may not be told apart by inode, and in
// [Scanner.Process], which is asked before an act, the walk is always made.
//
// What a stranger wrote is read up to a limit. Of a command line the first 32 KiB
// and 256 arguments are kept, 8 MiB of all command lines together, and a hash that
// stands for the whole; an environment is looked through for the markers piece by
// piece; any other file is an error beyond a megabyte. Reading a process's memory,
// or the file that it names, is left to a goroutine that has a second.
//
// Could not look is never an empty answer: such a fact is unreadable, and the
// source says "partial" and why. A process that ends while it is being read is
// no error; it is left out. What is read through a descriptor of /proc/PID can
// never be another process's that got the same PID meanwhile.
//
// macOS has a reader of its own ([Mac]), which asks package darwin's kernel and is
// built, and tested on a played kernel, on every system.
//
// Parsers and decoders carry no build tags and are tested on recorded bytes.
// Of the environment only the names in [inventory.Markers] are ever kept.
package scan
