// Package journal is reaperd's record of its acts, one JSON object a line. Each act has two
// [Entry] lines with one id: the intention before the first signal, the outcome after. An
// intention that cannot be written is an error, and the caller must not act.
//
// The outcome fits on a disk that fills up: the intention has reserved its space. One whose
// writer was killed is closed by the next ([Journal.Abandon]). Each line is written under a
// lock into a file that is opened for it, so that several programs may write and rotate. The
// caller removes secrets first.
package journal
