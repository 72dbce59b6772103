// Package reap makes a plan happen: it ends process trees and containers, and
// says what came of each.
//
// A process is never signalled by its number. For each member of a tree a handle
// is opened first (a pidfd; on macOS a kqueue that watches for the exit, with the
// unique id, by which the kernel itself then tells whom a signal is for), then
// the process table is read again and the start mark compared, and only then is
// the handle signalled. A handle that was opened before a reading that still
// shows the decided process can only be that process. Evidence is looked at once
// more in between; where anything is not the same any more, the tree is left
// alone.
//
// A tree is frozen top-down (SIGSTOP) until two readings in a row show everything
// still and no new child; then every member is asked to end (SIGTERM), continued,
// watched through its grace, frozen again, and what is left is killed. Asking
// first and freezing later leaves survivors of a fork storm in ten of ten runs,
// this order in none. Only direct descent from a verified member makes a process
// part of the tree while it is asked. What was born meanwhile and is adopted by
// another is looked for afterwards: it is frozen and killed without being asked
// where it is proven to come from the tree (it is in a session that a member led, or
// [Reaper].Kin proves it), and reported where that is likely. A tree that has a
// control group of its own is frozen and killed by it. Whatever was stopped and is not killed is continued, also
// when the context ends, on an error and on a panic; what was stopped before is
// left stopped. Process groups are never signalled: they may hold strangers.
//
// A container is ended by its full id and before its client, the `docker run`:
// the client then exits by itself, whereas killing the client is what leaves the
// container behind. A client whose container could not be ended is left. A gateway
// is frozen first, so that it starts nothing anew, then what lies below it is
// ended, then it.
//
// Trees and containers that do not depend on each other are ended side by side and
// share the readings of the process table. Up to [Options.Concurrency] are worked on
// at a time, and their users take turns. Whoever waits gives its place back: a tree
// through its grace, and whatever waits for the kernel or for an engine for longer
// than half a second. The intention is journalled before the first signal, the outcome
// after; what the journal does not take is not begun.
//
// A plan may begin while an earlier one is still carried out ([Reaper.Begin]). Both
// then share places, readings, and the knowledge which act has which process
// ([Shared]): no process is ever in the hands of two acts.
package reap
