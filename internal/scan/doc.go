// Package scan turns the process table into [inventory.Process] values. A look is
// cheap because little is read twice:
//
//	what is asked of each process, and in this order      what follows from it
//	the inode of /proc/PID, in one listing of /proc       the same PID and inode: the same process, so what was read still holds
//	its processor time (one call, in nanoseconds)         not moved: it runs the same program, since an exec takes time
//	its stat line, if that has moved                      the same program (name, addresses): only its state and figures are new
//	everything, if the program is another                 command line, owner, working directory
//
// A process whose stdin and stdout mattered to the last look is asked at every look, any
// other at every second one. The processor time cannot be asked for where system calls
// know the processes by other PIDs; then the stat lines are read. Cached from look to look:
//
//	fact about a process            valid while                                 at most
//	program, arguments, owner,      its stat line shows the same program        16 looks; 64 if the last look did not need its stdin
//	  working directory
//	what it has open                it has not run, as nobody else can          16 looks; 64 if the look did not read its stdin
//	                                  change that
//	state, figures, what stdin and  it has not run (changes that the kernel     16 looks
//	  stdout are open on              makes meanwhile show later)
//	markers in its environment      its stat line shows the same program        no limit
//	cgroup and container            its program was not read again              as that
//	proportional set size           its resident size is within a sixteenth     16 looks
//
//	fact about the table            valid while                                 at most
//	main processes of services      no process below a service manager is       16 looks
//	                                  new or under a minute old
//	an open end that no process     (only if the process is anchored)           64 looks
//	  of the table holds
//
// Facts that decide about a reaping and that somebody else could change are never
// cached: whether other ends are open, who is connected, what is on its way to a socket,
// who the parent is. [Scanner.Process], which is asked right before an act, reads
// everything again, but not with whom other descriptors are shared.
//
// The caller says which processes matter: candidates ([Options].Candidate), with
// everything above and below them and every holder of an end of their stdin or
// stdout. Only of these are stdin and stdout recorded: whether the other end is open,
// and who holds it. With a [Selection] the others are not even listed.
//
// Holders are searched only where they could change a verdict; see [look.isAnchored]. A
// list of them is to be whole, so a walk over all processes asks for whatever a table does
// not show:
//
//	where an end may be             what shows it
//	a thread's own table            kcmp(2) tells which threads have one; its links
//	registered with an io_uring     fdinfo of the ring's descriptor names it
//	on its way to a socket          fdinfo of the socket counts what is in its queue: [inventory.Process.UnseenFDs]. sock_diag
//	                                  tells first which sockets have a queue
//
// What could not be asked makes the process's descriptors unreadable. Nothing shows the
// descriptors of an io_uring that nobody has as a descriptor any more (it is mapped, or
// registered itself), of requests that the kernel is busy with, and of the kernel's own
// services (a mount of 9p, a network block device).
//
// Of a server of which stdin and stdout do not show that it is used, other descriptors are
// asked about too: with whom it shares unnamed pipes and sockets, and whom it has called
// ([look.attachOthers]).
//
// Whatever a stranger can make long is read up to a limit: of a command line 32 KiB
// and 256 arguments (a hash stands for the rest), 8 MiB of all command lines
// together, of any other file 1 MiB. A process's memory is read by a goroutine that
// is given a second. A fact that could not be read is unreadable, never empty, and
// the source says "partial" and why. A process that ends during the look is left out.
//
// macOS has a reader of its own ([Mac]), built and tested on every system. Parsers
// have no build tags and are tested on recorded bytes.
package scan
