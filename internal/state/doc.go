// Package state is the files of a decider: pins ([Dir.Pin]), the pause ([Dir.Pause]), the lock of
// the one that runs ([Dir.Lock]), what it remembers over a restart, and its sockets.
//
// A pin names a process by PID, start mark and boot, a container by its full id, and covers the
// whole tree. What other users ask of root's daemon is kept for each of them apart ([Dir.Of]).
// Files have mode 0600 and are replaced whole, under a lock. One that is damaged, or that others
// could have written, is an error and never "nothing is pinned": the caller must not act.
// Another user's bad file only keeps that user's things. Boot and time are passed in.
package state
