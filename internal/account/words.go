package account

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
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

// premise is by what was judged, where that is not what holds here.
func (a *Account) premise() Text {
	by := Text{words("the policy "), folder(a.Policy.Source)}
	if a.Policy.Source == policy.Builtin {
		by = Words("the built-in policy")
	}
	switch {
	case a.Decider.Kind == ByReplay:
		return Text{words("What was saved on "), {Date: a.TakenAt}, words(", by ")}.Then(by...).say(".")
	case a.Policy.File:
		return Words("What if, by ").Then(by...).say(".")
	}
	return nil
}

// headline is the answer in one sentence, and why nothing stops by itself.
func (a *Account) headline() Text {
	s := a.Summary
	all := s.InUse + s.Idle
	switch isWell := s.Failing+s.OlderCopies+s.IdleSessions == 0; {
	case s.Leaked+s.Ending > 0:
		return a.Sum().And(" ", a.Resting())
	case s.Kept > 0:
		return a.Sum()
	case all == 0 && s.IdleSessions == 0:
		return Words("No MCP servers here.")
	case !a.Complete:
		return Words(human.Count(all, "MCP server") + " in use, as far as could be read.")
	case !isWell:
		return a.Sum()
	case all == 1:
		return Words("1 MCP server, in use. Nothing to do.")
	}
	return Words(human.Count(all, "MCP server") + ", all in use. Nothing to do.")
}

// Sum is what there is, in one sentence: "42 MCP servers leaked, 1.9 GB: stop in 24s; 2 kept; 12 in use."
func (a *Account) Sum() Text {
	s, text, noun := a.Summary, Text(nil), "MCP server"
	add := func(n int, rest Text) {
		if n == 0 {
			return
		}
		number := human.Number(n)
		if noun != "" {
			number, noun = human.Count(n, noun), ""
		}
		text = text.And("; ", Words(number).Then(rest...))
	}
	add(s.Leaked, Words(" leaked"+size(", ", s.LeakedBytes)).And(": ", a.allStop()))
	add(s.Ending, Words(" stopping"))
	add(s.Kept, Words(" kept"))
	used := " in use"
	if s.Leaked+s.Ending+s.Kept > 0 { // the rows say what else is so of it
		add(s.InUse+s.Idle, Words(used))
		return text.say(".")
	}
	if s.Failing > 0 {
		used += ", " + human.Number(s.Failing) + " of them failing"
	}
	if s.OlderCopies > 0 {
		used += ", " + human.Number(s.OlderCopies) + " of them older copies"
	}
	add(s.InUse, Words(used))
	add(s.Idle, Words(" idle"+size(", ", s.IdleBytes)))
	return text.say(".")
}

// size is a size behind a sign; empty if it is not known.
func size(sign string, bytes uint64) string {
	if bytes == 0 {
		return ""
	}
	return sign + human.Bytes(bytes)
}

// allStop is when a daemon stops what leaks: "stop in 24s", "40 stop in 24s", "stop, the first in 24s".
func (a *Account) allStop() Text {
	var due []*Thing
	n := 0
	for i := range a.Things {
		if t := &a.Things[i]; t.Fate == Leaked && len(a.Coming(t)) > 0 && t.PausedUntil.IsZero() {
			due = append(due, t)
			if t.Counts() {
				n++
			}
		}
	}
	first, last := bounds(due, func(t *Thing) time.Time { return t.DueAt })
	stop := human.Verb(a.Summary.Leaked, "stops", "stop")
	if n > 0 && n < a.Summary.Leaked {
		stop = human.Number(n) + " " + human.Verb(n, "stops", "stop")
	}
	if last.Sub(first) > alike && first.After(a.TakenAt) {
		stop += ", the first"
	}
	if first.IsZero() {
		return nil
	}
	return goes(stop, first, a.TakenAt, false)
}

// alike is by how much times differ that nobody tells apart.
const alike = 3 * time.Second

// Resting is why nothing stops by itself, in a sentence; empty where a daemon acts, or where nobody
// would.
func (a *Account) Resting() Text {
	switch a.Decider.Rests {
	case Paused:
		return a.Decider.paused().say(".")
	case Unrecorded:
		return Words("Nothing is stopped: the journal takes no record.")
	case NoPolicy:
		return Words("Nothing is stopped: the policy has faults.")
	case OnlyReports:
		return Words("The policy only reports.")
	}
	return nil
}

// paused is until when a decider rests, and why: "Paused until 14:02 (a demo)".
func (d *Decider) paused() Text {
	text := Words("Paused")
	if !d.PausedUntil.IsZero() {
		text = Text{words("Paused until "), clock(d.PausedUntil)}
	}
	if d.PauseReason != "" {
		text = text.say(" (" + human.Line(d.PauseReason) + ")")
	}
	return text
}

// Pause is what ends a pause: "Paused until 14:02 (a demo): reaperd resume". It is empty where nothing is
// paused.
func (d *Decider) Pause() Text {
	if d.Rests != Paused {
		return nil
	}
	return d.paused().say(": reaperd resume")
}
