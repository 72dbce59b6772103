package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// unseen is something that the look does not show, and that is known from elsewhere.
type unseen struct {
	name, handle string
	owner        string
	pin          *state.Pin           // nil: it is not pinned
	last         *serve.SeenContainer // as a daemon saw it last; nil: no daemon knows it
}

// NamesContainer reports whether a pin or a daemon says that the subject is a container.
func (f *Fate) NamesContainer() bool {
	return len(f.SeenLast) > 0 || slices.ContainsFunc(f.Pinned, func(p state.Pin) bool { return p.Container != "" })
}

// unseen are the things that are pinned, then those that a daemon alone knows.
func (f *Fate) unseen() []unseen {
	var all []unseen
	for i := range f.Pinned {
		pin := &f.Pinned[i]
		thing := word.Thing{ID: pin.ID, Container: pin.Container}
		all = append(all, unseen{name: pin.Name, handle: thing.Handle(), owner: pin.Owner, pin: pin})
	}
	for i := range f.SeenLast {
		last := &f.SeenLast[i]
		at := slices.IndexFunc(all, func(u unseen) bool { return u.pin != nil && u.pin.ID == last.ID })
		if at < 0 {
			all = append(all, unseen{name: last.Name, handle: last.Handle, owner: last.Owner, last: last})
			continue
		}
		all[at].last, all[at].owner = last, cmp.Or(last.Owner, all[at].owner)
	}
	return all
}

// toldOfUnseen tells what is known of things that the look does not show, and why it may not
// show them.
func (f *Fate) toldOfUnseen() []paragraph {
	var told []paragraph
	for _, u := range f.unseen() {
		absent := u.called() + " is not running here"
		if f.Unread != "" {
			absent = u.called() + " cannot be seen now"
		}
		told = append(told, paragraph{"", f.untouched(absent) + u.pinned() + u.seen() + u.wasWrong(f.Unread == "")})
	}
	told[len(told)-1].text += f.unread()
	return told
}

func (u unseen) called() string { return human.Safe(strings.TrimSpace(u.name + " " + u.handle)) }

// stillPinned tells of the pin of something that has ended. A container may be started again, a
// process is not.
func (f *Fate) stillPinned() string {
	for _, u := range f.unseen() {
		if u.pin == nil {
			continue
		}
		if _, err := inventory.ParseID(u.pin.ID); err == nil {
			return " Its pin holds no longer, and keeps nothing; reaperd unpin " + human.Shell(u.handle) + " removes it."
		}
		return u.pinned()
	}
	return ""
}

func (u unseen) pinned() string {
	if u.pin == nil {
		return ""
	}
	until := ""
	if !u.pin.Until.IsZero() {
		until = " until " + human.Moment(u.pin.Until.Local())
	}
	return " It is pinned" + until + "; reaperd unpin " + human.Shell(u.handle) + " ends that."
}

// seen tells when it was there, and whose it was.
func (u unseen) seen() string {
	text, at := " It was there when it was pinned, ", time.Time{}
	switch {
	case u.last != nil:
		text, at = " The daemon saw it last ", u.last.At
	case u.pin != nil:
		at = u.pin.At
	}
	if at.IsZero() {
		return ""
	}
	text += human.Moment(at.Local())
	if u.owner != "" {
		text += ", of " + human.Safe(u.owner)
	}
	return text + "."
}

// wasWrong tells what was wrong with a container when the daemon saw it last, and what comes
// next if it may still be there.
func (u unseen) wasWrong(gone bool) string {
	if u.last == nil || u.last.Finding == graph.FindingNone {
		return ""
	}
	text := " It was " + finding.As(u.last.Finding.String())
	if !gone {
		text += "; once it is seen again, the daemon counts anew"
	}
	return text + "."
}
