package account

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

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
