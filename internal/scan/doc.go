// Package scan turns the process table into [inventory.Process] values: as fast
// and as honest as the system allows.
//
// On Linux a look costs little because little is read twice. Listing /proc
// yields an inode number for every process, and that number is dropped when the
// process is reaped: an unchanged pair of PID and inode is the same process,
// so what was read of it still holds. That it goes on running the same program
// its processor time tells, which is one call and counts nanoseconds: an exec takes
// some. Only where that has moved is the stat line read, and only where that shows
// another program (addresses that the kernel chooses at random, the name) is
// everything read. What the last look had to do with is asked at every look, of the
// rest every second process: an exec is seen within two looks. Where PIDs here are
// not those of system calls there is no such clock, and the same stat lines are read
// instead. The parent of a process changes when its parent ends, and then only.
//
// Which processes matter is the caller's question. For candidates
// ([Options].Candidate), for what is above and below them, and for whoever holds
// the other end of their stdin or stdout, transitively, the look records stdin and
// stdout: whether the other end is open (asked of the kernel in microseconds,
// without any privilege over the other side) and who holds it. For everything else
// stdin and stdout are not recorded. With a [Selection] the rest is not even
// listed: a slot of about a hundred bytes is all that is kept of it.
//
// What is kept from look to look, each in a cached value:
//
//	of a process            while it stands                               at most for
//	what it runs, whose     its stat line shows the same program          16 looks; 64 where no look has to do with it
//	  it is, and where
//	descriptors that a      it has not run                               64 looks
//	  walk has read
//	state, figures,         it has not run (what the kernel takes from   16 looks
//	  descriptors, stdin      its memory meanwhile shows later)
//	  and stdout
//	markers of its          its stat line shows the same program          ever
//	  environment
//	cgroup and container    what it runs was not read again               as that
//	proportional set size   its resident size is within a sixteenth       16 looks
//
//	of the table            while it stands                               at most for
//	main processes of       below a service manager nobody is new or      16 looks
//	  services              under a minute old
//	an end that nobody in   (of an anchored process)                      64 looks
//	  the table holds
//
// Nothing that a verdict rests on is kept where somebody else could have changed it:
// whether other ends are open, who is connected and who the parent is are asked anew.
// All is read anew by [Scanner.Process], which is asked before an act.
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
