package overview

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
)

// Parted is a thing that has ended without the daemon, as that has seen.
type Parted struct {
	Key    string    `json:"key"`             // of the former node
	Title  string    `json:"title,omitempty"` // as of a node
	At     time.Time `json:"at"`              // of the first look without it
	ByHand bool      `json:"by_hand,omitempty"`
}

// Fate tells in one sentence what became of a node that a tree does not have any more: how it
// was reaped, that it ended by itself, or why that is not known. seen is the first look without
// it. clock writes a moment.
func (t *Tree) Fate(key string, seen time.Time, clock func(time.Time) string) string {
	ended := slices.IndexFunc(t.Ended, func(e Ended) bool { return e.Key == key && done.Result(e.Outcome).Gone() })
	parted := slices.IndexFunc(t.Parted, func(p Parted) bool { return p.Key == key })
	kind, id, _ := strings.Cut(key, ":")
	switch {
	case ended >= 0:
		e := t.Ended[ended]
		return "It was reaped " + clock(e.At) + ": " + e.Came() + " (rule " + e.By() + ")."
	case parted >= 0 && t.Parted[parted].ByHand:
		return "It was stopped by a sweep by hand, as seen " + clock(t.Parted[parted].At) + "."
	case parted >= 0:
		return "It ended, as seen " + clock(t.Parted[parted].At) + t.besides(key) + "."
	case human.Handle(id) == "":
		return "This address names nothing here."
	case Kind(kind) == KindGone:
		return "Nothing that it left is here any more."
	case !t.Complete || Kind(kind) == KindContainer && t.LacksContainers():
		return "It cannot be seen: the look of " + clock(seen) + " could not read everything."
	}
	return "It is not there any more, as seen " + clock(seen) + ": reaperd explain " + human.Safe(human.Handle(id)) + " tells what is known of its end."
}

// TitleOf names a node that a tree does not have any more: "fetch 51", or "server 51" if its name is
// not known; empty if the key names nothing.
func (t *Tree) TitleOf(key string) string {
	if i := slices.IndexFunc(t.Ended, func(e Ended) bool { return e.Key == key }); i >= 0 {
		return strings.TrimSpace(t.Ended[i].Name + " " + t.Ended[i].Handle)
	}
	if i := slices.IndexFunc(t.Parted, func(p Parted) bool { return p.Key == key && p.Title != "" }); i >= 0 {
		return t.Parted[i].Title
	}
	kind, id, _ := strings.Cut(key, ":")
	if Kind(kind) == KindGone {
		kind = string(KindSession)
	}
	if handle := human.Handle(id); handle != "" {
		return human.Safe(kind + " " + handle)
	}
	return ""
}

// Came is the result of an act with its detail.
func (e Ended) Came() string { return done.Result(e.Outcome).With(e.Detail) }

// besides tells of a thing that ended by itself what it left as a session, or that an act on it
// had failed.
func (t *Tree) besides(key string) string {
	_, id, _ := strings.Cut(key, ":")
	if gone := t.Find(string(KindGone) + ":" + id); gone != nil {
		return "; it left " + gone.Totals.String()
	}
	if i := slices.IndexFunc(t.Ended, func(e Ended) bool { return e.Key == key }); i >= 0 {
		return ", after an act that did not end it: " + t.Ended[i].Came()
	}
	return "; the daemon's journal names no act on it"
}
