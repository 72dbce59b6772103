package report

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/usage"
)

// elsewhere returns the time until the daemon stops, by a policy of its own, what the policy used
// here keeps. It returns false if it does not.
func (v *view) elsewhere(t *graph.Target) (left time.Duration, goes bool) {
	if !v.in.DaemonDiffers || v.in.Paused || t == nil {
		return 0, false
	}
	at, known := v.in.Due[t.ID]
	if verdict, found := v.verdict(t.ID); found && (verdict.Decision != policy.Keep || verdict.EndsWith != "") {
		return 0, false
	}
	return max(0, at.Sub(v.at)), known
}

// elsewhereText says of something that the policy used here keeps that the daemon stops it by
// another policy, or the session that holds it; empty if the daemon stops neither.
func (v *view) elsewhereText(t *graph.Target) string {
	what, goingOn := "it", ""
	left, goes := v.elsewhere(t)
	if session := v.holder(t); !goes && session != nil {
		left, goes = v.elsewhere(session.Target)
		what, goingOn = called(session.Target)+" with all that it holds", ifIdle
	}
	if !goes {
		return v.decidesToo(t)
	}
	if t.Kind == graph.KindSession {
		goingOn = ifIdle
	}
	return " But the daemon goes by " + v.daemonPolicy() + ", and stops " + what + dueIn(left) + goingOn + "."
}

// ifIdle is the condition under which a session is stopped.
const ifIdle = " if it goes on doing nothing"

// decidesToo says that root's daemon, too, decides about a session that does nothing, or about what such a session
// holds, by a policy of its own. It is empty where no daemon of root's runs beside one of this user's.
func (v *view) decidesToo(t *graph.Target) string {
	roots, runs := v.in.Beside.Of(0)
	if !runs || !v.in.Daemon || v.in.ForeignDaemon || v.in.Replay || t == nil {
		return ""
	}
	session := t
	if holder := v.holder(t); holder != nil {
		session = holder.Target
	}
	if session.Kind != graph.KindSession || session.Idle.Or(0) < usage.LeastIdle {
		return ""
	}
	return " But " + roots.String() + " decides too, by a policy of its own: " + literal(roots.Command("reaperd explain "+handle(t))) + "."
}

// holder is the session that holds a target; nil if none does.
func (v *view) holder(t *graph.Target) *graph.Session {
	isIt := func(held *graph.Target) bool { return held.ID == t.ID }
	for i := range v.sessions() {
		if s := &v.sessions()[i]; s.Target != nil && s.Process != nil && slices.ContainsFunc(v.held[s.Process.ID()], isIt) {
			return s
		}
	}
	return nil
}

// daemonPolicy names the policy of a daemon that goes by another one than is used here.
func (v *view) daemonPolicy() string {
	if v.in.DaemonPolicy == "" {
		return "the built-in policy"
	}
	return "another policy (" + v.options.Home.Short(human.Safe(v.in.DaemonPolicy), "") + ")"
}

// dueIn is " in 12s", or " now" if the time has come.
func dueIn(left time.Duration) string {
	if left <= 0 {
		return " now"
	}
	return " in " + human.ToGo(left)
}

// stoppedElsewhere says what the daemon stops, by a policy of its own, that the policy used here
// keeps, and the command that shows that; nothing if there is none.
func (v *view) stoppedElsewhere() []string {
	var last time.Duration
	goes := v.shown.where(func(verdict *policy.Verdict) bool {
		left, goes := v.elsewhere(verdict.Target)
		if goes {
			last = max(last, left)
		}
		return goes
	})
	asked := newChoice(v.in, v.options.Names)
	for _, session := range v.sessions() { // a live session that does nothing has no row of its own
		left, isStopped := v.elsewhere(session.Target)
		isShown := func(verdict *policy.Verdict) bool { return verdict.Target == session.Target }
		if isStopped && !slices.ContainsFunc(goes, isShown) && asked.shows(session.Target) {
			goes, last = append(goes, &policy.Verdict{Target: session.Target}), max(last, left)
		}
	}
	if len(goes) == 0 {
		return nil
	}
	text := "But the daemon goes by " + v.daemonPolicy() + ", and stops " + goes.number() + dueIn(last)
	if sessions := goes.where(func(verdict *policy.Verdict) bool { return verdict.Target.Kind == graph.KindSession }); len(sessions) == len(goes) {
		text += human.Verb(len(goes), ifIdle, " if they go on doing nothing")
	}
	if file := v.in.DaemonPolicy; file != "" {
		return []string{text + ": " + literal("reaperd scan --policies "+human.Shell(file))}
	}
	return []string{text + "."}
}
