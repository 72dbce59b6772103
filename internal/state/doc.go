// Package state is the small files that the tool and the daemon share in a state
// directory: [Dir.Pin] ("not this one"), [Dir.Pause] ("not now") and [Dir.Lock] ("one
// is running already").
//
// A pin names processes by PID, start mark and boot, and containers by their full id,
// so it never passes to another. It covers the whole tree and the tree's containers.
// It ends at its time, with the boot, or with [Dir.Unpin].
//
// Files have mode 0600, in a directory of mode 0700. They are replaced as a whole,
// under a lock, so readers need no lock. Entries that no longer hold are dropped at
// the next change.
//
// A file that is damaged, too large, not regular, or that somebody else could have
// written is an error, and never means "nothing is pinned": the caller must act on
// nothing until it is repaired. A bad file of another user, whose directory a root
// daemon reads too ([UserDir]), only keeps that user's processes, so that no user can
// stop the daemon for others.
//
// The package reads neither processes nor the clock: callers pass in boot and time.
package state
