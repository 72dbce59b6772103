// Package state is what the tool and the daemon share: small files in a state
// directory that say "not this one" ([Dir.Pin]), "not now" ([Dir.Pause]) and
// "one is running already" ([Dir.Lock]).
//
// A pin names processes by identity (PID, start mark and boot) and containers by
// their full id, so it can never pass to whatever gets a number or a name later.
// It holds for the whole tree and for the containers of that tree, and ends at
// its time, with the boot, or with [Dir.Unpin].
//
// Files are of mode 0600 in a directory of mode 0700. They are replaced as a
// whole, under a lock, so a reader sees one version or the other and needs no
// lock. What no longer holds is dropped with the next change.
//
// Could not look is never "nothing is pinned": a file that is damaged, too
// large, not regular, or that somebody else could have written is an error, and
// whoever gets it must act on nothing until it is mended. That of another user's
// directory, which a root daemon reads too ([Homes]), keeps what is that
// user's and nothing else, so that nobody can stop the daemon for others.
//
// Nothing here looks at processes or at the clock: the boot and the time are
// handed in.
package state
