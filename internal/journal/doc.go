// Package journal is reaperd's record of its acts, one JSON object a line. Each act
// has two [Entry] lines with the same id: the intention before the first signal, the
// outcome after. Each is complete, in case the other has been rotated away.
//
//	event                                   what follows
//	an intention cannot be written          it is an error, and the caller must not act
//	a disk fills up during an act           the outcome still fits: the intention has reserved space for it in the file
//	  two writers do this at once           they may use each other's space; the second outcome then waits
//	an outcome cannot be written            the error is returned and counted; the line is written before the next one
//	reaperd is killed during an act         an intention stays without outcome ([History.Unfinished]), until
//	                                        another reaperd closes it ([Journal.Abandon])
//	a crash cuts a line short               the next writer ends the line; readers skip and count it ([History.Torn])
//
// The daemon and the tool may write to one journal. For each line a writer takes a
// lock (flock on a file beside it), rotates the journal if that is due, opens it,
// appends the line in one write, and closes it. No file stays open, so no writer
// writes to one that another has rotated away.
//
// The caller removes secrets first. Only the files' owner can read them.
package journal
