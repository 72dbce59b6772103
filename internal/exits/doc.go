// Package exits reports the exits of processes, so that a daemon that sleeps between
// its sweeps looks at once when a session dies.
//
//	system   handle                       how an exit is noticed
//	Linux    a pidfd for each process     the Go runtime's poller; wake-up in about 0.2 ms
//	macOS    one kqueue                   EVFILT_PROC
//
// A PID may be reused, so after opening a handle the package reads the start mark of the
// process. If the mark differs, the expected process has exited already. If it is equal,
// the handle refers to that process for as long as it is open.
//
// A report is only a hint: its reader must look. Processes that are not watched are
// found by the next sweep. That happens beyond [mostWatched] processes, without
// kernel support, in a sandbox that forbids it, and if a start mark cannot be read or
// descriptors run out ([Watcher.Left], [Watcher.Err]).
package exits
