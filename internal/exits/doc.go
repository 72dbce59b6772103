// Package exits tells when one of a set of processes ends, so that a daemon
// which sleeps between its sweeps can look at once when a session dies.
//
// Each process is watched by a handle of the kernel's, so waiting costs nothing:
// on Linux a pidfd in the runtime's poller (wake-up in about 0.2 ms), on macOS
// EVFILT_PROC of a kqueue. A PID is no identity: the start mark is read after
// the handle was opened, and where it is another, the process that was meant has
// ended already. From then on the handle and the process are one.
//
// It is a hint and no more. Whoever gets one looks for himself, and what is not
// watched is found by the schedule: beyond [mostWatched] processes, where the kernel
// has no such handle or a sandbox forbids it, where a start mark cannot be read
// or file descriptors run out ([Watcher.Left], [Watcher.Err]).
package exits
