package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
	"github.com/reaperd/reaperd/internal/word"
)

// Unmeasured says why nobody can tell whether a session is idle, and the command of root that can:
// "process 2066 in container gh1 is root's and cannot be measured here: sudo reaperd explain
// 1800". It is empty for a session that was measured. Without a command it names none.
func Unmeasured(g *graph.Graph, s *graph.Session, command string) string {
	if !isUnmeasured(s) {
		return ""
	}
	p, container := word.Process(g.Snapshot, strconv.Itoa(s.Activity.Last.PID)), containerOf(g, s.Activity.Last.PID)
	switch {
	case isUnreadable(g, p) && command != "":
		return ofProcess(g, p) + ": " + command
	case isUnreadable(g, p):
		return ofProcess(g, p)
	case p == nil && container != nil:
		return "what container " + handle(container) + " does cannot be seen here"
	}
	return s.Activity.Last.String()
}

// isUnmeasured reports a session of which the last look could not measure everything.
func isUnmeasured(s *graph.Session) bool {
	return s.Activity.Last.Sign == usage.SignUnknown && s.Activity.Idle().Or(0) == 0
}

// isUnreadable reports a process that this user may not measure, and root may.
func isUnreadable(g *graph.Graph, p *inventory.Process) bool {
	return p != nil && g.Snapshot.Host.UID.Or(0) != 0 &&
		(!p.CPUSeconds.IsKnown() || !p.IOChars.IsKnown() || p.Listening.IsUnreadable() || p.Connections.IsUnreadable())
}

// ofProcess says whose process cannot be measured.
func ofProcess(g *graph.Graph, p *inventory.Process) string {
	text := fmt.Sprintf("process %d", p.PID)
	if container, known := g.Target(p.ContainerID); known && p.ContainerID != "" {
		text += " in container " + handle(container)
	}
	if uid, known := p.UID.Get(); known && uid != g.Snapshot.Host.UID.Or(uid) {
		text += " is " + cmp.Or(human.Safe(p.User), "another user") + "'s and"
	}
	return text + " cannot be measured here"
}

// containerOf is the container whose first process has that PID; nil if there is none.
func containerOf(g *graph.Graph, pid int) *graph.Target {
	i := slices.IndexFunc(g.Targets, func(t *graph.Target) bool { return t.Container != nil && t.Container.PID == pid })
	if i < 0 {
		return nil
	}
	return g.Targets[i]
}

// unmeasuredText names the sessions shown that could not be measured: "2 more sessions could not be
// measured, and may be idle (codex 12 and codex 31): sudo reaperd scan". It is empty if there are none.
func (v *view) unmeasuredText(noun string) string {
	var names []string
	var first *graph.Session
	isRoots := false
	chosen, sessions := newChoice(v.in, v.options.Names), v.sessions()
	for i := range sessions {
		s := &sessions[i]
		if s.Process == nil || s.Target == nil || !isUnmeasured(s) || !chosen.shows(s.Target) || v.isTooYoung(s) {
			continue
		}
		_, used := v.usedAgo(s)
		if _, idles := v.in.IdleSince[s.Process.ID()]; used || idles { // the daemon could measure it
			continue
		}
		if first == nil {
			first = s
		}
		names = append(names, called(s.Target))
		isRoots = isRoots || isUnreadable(v.in.Graph, word.Process(v.snapshot, strconv.Itoa(s.Activity.Last.PID)))
	}
	if len(names) == 0 {
		return ""
	}
	text := human.Count(len(names), noun) + " could not be measured, and may be idle (" + human.List(firstFew(names)) + ")"
	if isRoots && v.isNotRoot() {
		text += ": " + v.measuredByRoot(first)
	}
	return text
}

// isTooYoung reports a session that has not run for as long as one must do nothing to count as idle.
func (v *view) isTooYoung(s *graph.Session) bool {
	at := s.Process.StartedAt
	return !at.IsZero() && v.at.Sub(at) < v.in.IdleFor
}

// usedAgo is how long ago a session was last seen in use, whatever cannot be measured of it; false if
// that is longer ago than a session must do nothing to count as idle, or was never.
func (v *view) usedAgo(s *graph.Session) (time.Duration, bool) {
	at := s.Activity.UsedAt
	ago := max(0, v.at.Sub(at))
	return ago, !at.IsZero() && ago < v.in.IdleFor
}

// OnlyRootsDaemon says who measures what only root may, and for longer than a person waits.
const OnlyRootsDaemon = "only a daemon of root can tell (sudo reaperd run)"

// measuredByRoot is the command of root that tells whether a session is idle: root's daemon knows, else
// root has to look for as long as a session must do nothing by the policy here, which root's may differ from.
func (v *view) measuredByRoot(s *graph.Session) string {
	_, roots := v.in.Beside.Of(0)
	switch {
	case roots:
		return literal("sudo " + v.scan().AsRoot().Scan())
	case v.in.IdleFor > asked.LongestSettle:
		return OnlyRootsDaemon
	}
	settle := human.Exact(v.in.IdleFor)
	if v.in.IdleFor == 0 {
		settle = cmp.Or(v.in.Asked.Settle, human.Exact(usage.LeastIdle))
	}
	return literal("sudo " + v.in.Asked.AsRoot().Explain(pidText(s.Process.ID())) + " --settle " + settle)
}

// noteUnmeasured says which sessions could not be measured where no idle one has a row, and some
// look was long enough to find one.
func (v *view) noteUnmeasured(s *screen) {
	watched := v.in.Daemon && !v.in.ForeignDaemon || v.settle() >= usage.LeastIdle
	if text := v.unmeasuredText("session"); text != "" && watched && (v.options.Wide || len(v.restingShown()) == 0) {
		s.wrap("note: ", text)
	}
}
