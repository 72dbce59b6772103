// Package exits reports the exits of processes, so that a daemon looks at once when a session
// dies. On Linux each process has a pidfd, on macOS one kqueue has all.
//
// After opening a handle the package reads the start mark: if it is another, the process that
// was meant has exited. A report is only a hint: its reader must look. What is not watched
// ([Watcher.Left], [Watcher.Err]) is found by the next sweep.
package exits
