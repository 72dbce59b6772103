// Package state is the files of a decider in its state directory, and where it answers:
// [Dir.Pin] ("not this one"), [Dir.Pause] ("not now"), [Dir.Lock] ("one is running
// already"), what it remembers over its restarts ([Dir.KeepLeft], [Dir.KeepBegan], [Dir.KeepShapes]), and its
// socket ([Dir.Sockets]).
//
// A pin names processes by PID, start mark and boot, and containers by their full id,
// so it never passes to another. It covers the whole tree and the tree's containers.
// It ends at its time, with the boot, or with [Dir.Unpin].
//
// What other users ask of root's daemon is kept by that, in a directory for each of them
// ([Dir.Of]), and is about that user's things alone.
//
// Files have mode 0600, in a directory of mode 0700. They are replaced as a whole,
// under a lock, so readers need no lock. Entries that no longer hold are dropped at
// the next change.
//
// A file that is damaged, too large, not regular, or that somebody else could have
// written is an error, and never means "nothing is pinned": the caller must act on
// nothing until it is repaired. A bad file of another user's wishes only keeps that user's
// things, so that no user can stop the daemon for others.
//
// The package reads neither processes nor the clock: callers pass in boot and time.
package state
