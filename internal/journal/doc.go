// Package journal is reaperd's written record: what it was about to do and what
// came of it, one JSON object a line, so that "why did it act" has an answer
// after the fact.
//
// An [Entry] is written twice with the same id: as an intention before the first
// signal, as an outcome after. Both are whole, so that one line answers for
// itself when the other has been rotated away; an intention without an outcome
// is what a reaperd that was itself killed left behind ([History.Unfinished]),
// until the next one closes it ([Journal.Abandon]).
//
// The daemon and the tool may write to one journal at the same time. Each write
// therefore takes a lock (flock on a file beside the journal), rotates the file
// where that is due (rotate.go), opens it, appends the line in one write, and
// closes it again. Nothing is kept open between two writes, so no writer holds a
// file that another one has rotated away. Lines are few, two for what is reaped:
// the price of some system calls for each does not matter.
//
// No act without its record: an intention that cannot be written is an error, and
// the caller must not act. The intention also sets the space of its outcome aside,
// so that a disk that fills up meanwhile takes the outcome all the same. What is set
// aside belongs to the file and not to a writer: two writers that act at the same
// time on a full disk may take each other's, and the second outcome then waits.
//
// An outcome that cannot be written is returned and counted; the line waits in
// memory and is written before the next one. A line is written whole or not at
// all. One that a crash cut short is closed by the next writer, skipped by the
// reader and counted ([History.Torn]).
//
// The caller redacts secrets before anything gets here. The files are readable
// by their owner alone, and are made so where they were not.
package journal
