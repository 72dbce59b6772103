package account

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Called is a thing's name with the word that tells it from others of that name.
func (t *Thing) Called() string { return called(t.Name, t.Handle) }

func called(name, handle string) string {
	return strings.TrimSpace(cmp.Or(name, "process") + " " + handle)
}

// State is what is so of a thing, and what comes: "in use", "stops in 24s", "kept".
func (a *Account) State(t *Thing) Text {
	coming := a.Coming(t)
	state := string(t.Fate)
	switch {
	case len(coming) > 0 && (t.Fate == Leaked || t.Fate == Ending):
		return coming
	case t.isOlder():
		state += ", older copy"
	case t.failing() != "":
		state += ", failing"
	}
	return Words(state).And(", ", coming)
}

// Coming is what a decider does to a thing next: "stops in 24s". It is empty for what stays.
func (a *Account) Coming(t *Thing) Text {
	switch {
	case t.Fate == Ending && t.Imminent:
		return Words("about to stop")
	case t.Fate == Ending:
		return Words("stopping")
	case t.DueAt.IsZero() || !a.Decider.acts():
		return nil
	case !t.PausedUntil.IsZero():
		return Text{words("paused until "), clock(t.PausedUntil)}
	}
	if t.Finding == graph.FindingExited {
		return goes("is removed", t.DueAt, a.TakenAt, false)
	}
	return goes("stops", t.DueAt, a.TakenAt, t.IfIdle)
}

// goes is "stops in 24s" or, of what is due, "stops now".
func goes(how string, due, at time.Time, ifIdle bool) Text {
	coming := Text{words(how + " in "), until(due)}
	switch {
	case !due.After(at):
		return Words(how + " now")
	case ifIdle:
		return coming.say(" if it stays idle")
	}
	return coming
}

// name gives a row the title of its head or of its things, if these have one name; else it is what was left
// behind in a folder.
func (a *Account) name(r *row) {
	head := r.head()
	isOther := func(t *Thing) bool { return t.Name != head.Name && !t.Held }
	switch {
	case head.ID == r.ID || r.Servers <= 1:
		r.Title, r.Place, r.Word = head.Called(), head.Cwd, head.Handle
	case slices.ContainsFunc(r.things, isOther):
		r.Title, r.Place = "left behind", head.Cwd
	default:
		r.Title, r.Place, r.Word = head.Name+" × "+human.Number(r.Servers), head.Cwd, head.Name
	}
}

// stateOf is what is so of a row, and what comes.
func (a *Account) stateOf(r *row) Text {
	switch head := r.head(); {
	case r.fate == Kept && head.isLeftSession():
		return Words(head.Why).And(": ", Words(a.stopping(head)))
	case r.fate == Kept && head.isLeftListening():
		return Words("it listens"+head.onPorts(" on ")+", nobody connected for ").Then(since(head.FindingSince)).And(" · ", Words(head.lastUser()))
	case r.fate == Kept:
		return Words(head.Why)
	case r.fate == Leaked && len(head.left()) > 0:
		return head.left().And(" · ", a.next(r))
	case r.fate == Leaked:
		return a.ages(r.things).And(" · ", a.next(r))
	case r.session == nil:
		return head.use().And(" · ", a.news(r))
	}
	return a.sessionState(r.session).And(" · ", a.news(r))
}

// head is the thing that a row is about, else the first that a person counts.
func (r *row) head() *Thing {
	head := slices.IndexFunc(r.things, func(t *Thing) bool { return t.ID == r.ID })
	if head < 0 {
		head = slices.IndexFunc(r.things, (*Thing).Counts)
	}
	if len(r.things) == 0 {
		return nil
	}
	return r.things[max(0, head)]
}

// isLeftListening reports a server that nobody owns and that somebody could still call.
func (t *Thing) isLeftListening() bool {
	isUnused := t.Finding == graph.FindingOrphaned || t.Finding == graph.FindingAmbiguous && t.Owner.Liveness == graph.LivenessGone
	return isUnused && t.Listening != nil && *t.Listening && !t.FindingSince.IsZero()
}

// lastUser is who had a thing last.
func (t *Thing) lastUser() string {
	if t.Owner.Kind == graph.OwnerSession {
		return prefixed("left by ", t.Owner.String())
	}
	return prefixed("last used by ", t.Owner.String())
}

// left is what became of the session that left a thing: "ended 21m ago".
func (t *Thing) left() Text {
	switch {
	case t.Owner.Liveness == graph.LivenessLive && t.Finding == graph.FindingDisconnected:
		return Text{words("let go "), since(t.FindingSince), words(" ago")}
	case t.Finding == graph.FindingExited && t.AgeSeconds != nil:
		return Words("exited " + human.Span(time.Duration(*t.AgeSeconds*float64(time.Second))) + " ago")
	case t.Owner.Liveness == graph.LivenessGone && !t.Owner.Since.IsZero() && t.Owner.Name != "":
		return Text{words("ended "), since(t.Owner.Since), words(" ago")}
	}
	return nil
}

// use is who uses a thing that no session has.
func (t *Thing) use() Text {
	switch {
	case t.Owner.Kind == graph.OwnerService:
		return Words("service " + t.Owner.Name)
	case t.Owner.PID != 0:
		return Words("no agent that reaperd knows").And(" · ", Words(t.clients(" to ")))
	case t.Clients > 0:
		return Words(t.clients(" to "))
	}
	return Words("in use")
}

// clients counts the connections to a thing; empty if there is none.
func (t *Thing) clients(to string) string {
	if t.Clients == 0 {
		return ""
	}
	return human.Count(t.Clients, "connection") + t.onPorts(to)
}

// String is an owner's name and PID; empty if its name is not known.
func (o Owner) String() string {
	if o.Name == "" {
		return ""
	}
	return called(o.Name, pidText(o.PID))
}

func pidText(pid int) string {
	if pid == 0 {
		return ""
	}
	return strconv.Itoa(pid)
}

// onPorts names the ports on which a thing listens; empty if none is known.
func (t *Thing) onPorts(before string) string {
	ports := make([]string, 0, len(t.Ports))
	for _, port := range t.Ports {
		ports = append(ports, strconv.Itoa(port))
	}
	return prefixed(before+human.Plural(len(ports), "port")+" ", human.List(ports))
}

// sessionState is how long a live session runs, or has done nothing.
func (a *Account) sessionState(s *Session) Text {
	switch {
	case s.Fate == Ending:
		return Words("stopping")
	case s.Fate != Idle && s.StartedAt.IsZero():
		return nil
	case s.Fate != Idle:
		return Text{since(s.StartedAt)}
	}
	state := Words("idle")
	if !s.IdleSince.IsZero() {
		state = state.say(map[bool]string{true: " ≥ ", false: " "}[s.IdleAtLeast]).Then(since(s.IdleSince))
	}
	if s.Resume != "" {
		state = state.say(" · resume: " + s.Resume)
	}
	if !s.StopsAt.IsZero() {
		state = state.And(" · ", goes("stops", s.StopsAt, a.TakenAt, true))
	}
	return state
}

// next is what comes first of the things in a row.
func (a *Account) next(r *row) Text {
	var next *Thing
	for _, t := range r.things {
		if len(a.Coming(t)) > 0 && (next == nil || t.Fate == Ending || next.Fate != Ending && t.DueAt.Before(next.DueAt)) {
			next = t
		}
	}
	if next == nil {
		return nil
	}
	return a.Coming(next)
}

// news is what is wrong below a live owner, and what comes of it: "docker-mcp 587: 120 zombies, stops
// in 20s", "12 older copies, the first stops now".
func (a *Account) news(r *row) (text Text) {
	older, first := 0, Text(nil)
	for _, t := range r.things {
		switch coming := a.Coming(t); {
		case t.isOlder():
			older++
			first = Words("the first ").Then(a.next(r)...)
		case t.failing() != "":
			text = Words(t.Called()+": "+t.failing()).And(", ", coming)
		case t.Kind != graph.KindSession && t.Head == "" && t.Finding != graph.FindingDuplicate && len(coming) > 0:
			text = Words(t.Called() + " ").Then(coming...)
		}
	}
	if len(a.next(r)) == 0 {
		first = nil
	}
	if older > 0 {
		text = Words(human.Count(older, "older copy")).And(", ", first).And(" · ", text)
	}
	return text
}

// isOlder reports a copy that a newer one has replaced, and that has done nothing for long enough.
func (t *Thing) isOlder() bool {
	return t.Finding == graph.FindingDuplicate && (t.Rule != "" || t.IfIdle) && t.Counts()
}

// failing is what is wrong with a gateway; empty if nothing is.
func (t *Thing) failing() string {
	switch t.Finding {
	case graph.FindingZombies:
		return human.Count(t.Zombies, "zombie")
	case graph.FindingRespawning:
		return "started " + human.Count(t.Respawns, "server") + " again after they were stopped"
	}
	return ""
}

// ages are for how long these things run: "11h to 4d old".
func (a *Account) ages(things []*Thing) Text {
	oldest, youngest := bounds(things, func(t *Thing) time.Time { return t.StartedAt })
	if oldest.IsZero() {
		return nil
	}
	return Words(human.Ages(a.TakenAt.Sub(youngest), a.TakenAt.Sub(oldest)) + " old")
}

// bounds are the first and the last of some times that are known.
func bounds(things []*Thing, of func(*Thing) time.Time) (first, last time.Time) {
	for _, t := range things {
		at := of(t)
		if first.IsZero() || !at.IsZero() && at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return first, last
}
