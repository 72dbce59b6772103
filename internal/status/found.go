package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/word"
)

// mostNamed is how many pending things, and how many that stay, are shown by name.
const mostNamed = 10

// foundLines tell what is in use, what is wrong, and what becomes of that.
func foundLines(is *serve.State, whose whose, now time.Time) []line {
	if is.LastSweep == nil { // nothing has been looked for yet
		return nil
	}
	lines := append([]line{{"in use", inUseText(is) + ": reaperd scan"}}, sessionLines(is, whose, now)...)
	for _, count := range is.Findings {
		if !isNamed(count, is) {
			lines = append(lines, line{"found", countText(count) + ": " + cameOf(count, is, whose)})
		}
	}
	if n := len(is.UnderWay); n > 0 {
		first := is.UnderWay[0]
		lines = append(lines, line{"acting", fmt.Sprintf("%s under way: %s is %s (rule %s)%s", human.Count(n, "act"), begunText(is), first.Action.Stage(first.Imminent), first.Rule, more(n-1))})
	}
	return slices.Concat(lines, dueLines(is, whose), pendingLines(is, whose, now), restingLines(is, whose, now), handLines(is, whose), unseenLines(is), stayLines(is.Stays, whose))
}

// begunText names the first thing that is being stopped.
func begunText(is *serve.State) string {
	begun := is.UnderWay[0]
	return human.Safe(begun.Name + " " + cmp.Or(begun.Handle, human.Handle(begun.Target)))
}

// isNamed reports that other lines name the things of a count: an idle session has one,
// and so has what stays, if the daemon tells that.
func isNamed(count serve.Count, is *serve.State) bool {
	stays := count.Decision == policy.Keep.String() && !count.Gone && !count.Ends && !count.UnderWay
	return stays && (count.Finding == graph.FindingIdle || is.Stays != nil)
}

// countText is "3 servers of codex 698, orphaned".
func countText(count serve.Count) string {
	text := human.Count(count.Number, string(count.Kind))
	if count.Client != "" && count.Client != "none" {
		text += " of " + cmp.Or(count.Program, count.Client) + numbersOf(count.SessionPIDs)
	}
	if count.Finding == graph.FindingNone {
		return text
	}
	return text + ", " + finding.As(count.Finding.String())
}

// mostSessions is how many sessions of one client are told by their numbers.
const mostSessions = 3

// numbersOf are PIDs behind a name: " 698 and 712"; empty if there are none, or too many.
func numbersOf(pids []int) string {
	if len(pids) == 0 || len(pids) > mostSessions {
		return ""
	}
	texts := make([]string, len(pids))
	for i, pid := range pids {
		texts[i] = strconv.Itoa(pid)
	}
	return " " + human.List(texts)
}

// ownedBy names the ended session that left a pending thing, or the live one that has it: " of codex 698".
func ownedBy(p serve.Pending, leavers []serve.Leaver) string {
	left := leftBy(p.ID, leavers)
	if left == "" && p.Owner != "" {
		return " of " + p.Owner
	}
	return left
}

// leftBy names the ended session that left a target: " of codex 698"; empty if that is not
// known.
func leftBy(target string, leavers []serve.Leaver) string {
	for _, leaver := range leavers {
		if slices.ContainsFunc(leaver.Left, func(left serve.Left) bool { return left.ID == target }) {
			return " of " + strings.TrimSpace(leaver.Name+" "+overview.PIDText(leaver.PID))
		}
	}
	return ""
}

// dueLines name what is due and held back; why it is stands with its count.
func dueLines(is *serve.State, whose whose) []line {
	if unless(is) == "" {
		return nil
	}
	var lines []line
	for i, due := range is.Due {
		if i == mostNamed {
			return append(lines, line{"due", fmt.Sprintf("and %d more", len(is.Due)-i)})
		}
		up := whose.upTo(is)
		if up != "" {
			up = ", " + up
		}
		lines = append(lines, line{"due", whose.goes(due, is.Leavers, up, is.Due)})
	}
	return lines
}

// goes names a thing that goes, and then tells when, how much it holds, and by which rule.
func (w whose) goes(p serve.Pending, leavers []serve.Leaver, when string, beside []serve.Pending) string {
	return fmt.Sprintf("%s %s%s%s%s%s (rule %s%s)", p.Name, handleOf(p), ownedBy(p, leavers), w.of(p.User), when, bytesBehind(p.MemoryBytes), p.Rule, waitsFor(p, beside))
}

func pendingLines(is *serve.State, whose whose, now time.Time) []line {
	var lines []line
	for i, pending := range is.Pending {
		if i == mostNamed {
			lines = append(lines, line{"pending", fmt.Sprintf("and %d more", len(is.Pending)-i)})
			break
		}
		due := ""
		if !pending.DueAt.IsZero() {
			due = dueText(pending.DueAt.Sub(now), unless(is))
			if isAfterPause(is, pending.DueAt) {
				due = dueText(pending.DueAt.Sub(now), "") + ", after the pause"
			}
		}
		if up := whose.upTo(is); up != "" {
			due = ", " + up
		}
		lines = append(lines, line{"pending", whose.goes(pending, is.Leavers, due, is.Pending)})
	}
	return lines
}

// restingLines name the older copies that a rule soon stops if they go on doing nothing.
func restingLines(is *serve.State, whose whose, now time.Time) (lines []line) {
	if unless(is) != "" {
		return nil
	}
	for _, copied := range is.Resting {
		left := copied.DueAt.Sub(now)
		if left > policy.SoonAhead || len(lines) == mostNamed {
			break
		}
		when := " with the next look"
		if left > 0 {
			when = " with the first look after " + human.ToGo(left)
		}
		lines = append(lines, line{"soon", whose.goes(copied, is.Leavers, when+" if it goes on doing nothing", nil) + ": reaperd pin " + human.Shell(handleOf(copied)) + " keeps it"})
	}
	return lines
}

// handLines are the commands that keep what is due or pending, and that stop it now.
func handLines(is *serve.State, whose whose) (lines []line) {
	going := is.Pending
	if unless(is) != "" {
		going = slices.Concat(is.Due, is.Pending)
	}
	if len(going) > 0 && is.NoRoomIn == "" { // else a pin is refused
		lines = append(lines, line{"keep one", whose.pin(going[0])})
	}
	if command := sweepNow(is); command != "" && !is.Paused && is.Ready && is.NoRoomIn == "" && len(is.Policy.Faults) == 0 { // else a sweep is refused too
		lines = append(lines, line{"stop now", command})
	}
	return lines
}

// pin is the command that keeps a pending thing: by root's hand, where root's daemon does not go by a user's pin.
func (w whose) pin(p serve.Pending) string {
	pin := "reaperd pin " + human.Shell(handleOf(p))
	if w.roots != nil && p.Container != "" {
		return w.roots.Command(pin)
	}
	return pin
}

// upTo tells that root's daemon decides what becomes of the things of a daemon which only reports
// beside it; empty if it does not.
func (w whose) upTo(is *serve.State) string {
	if w.roots == nil || is.ModeFrom != policy.BesideSystem {
		return ""
	}
	return overview.UpTo(w.roots.Whose())
}

// waitsFor goes on after the rule of a docker run that waits for its container.
func waitsFor(p serve.Pending, pending []serve.Pending) string {
	at := slices.IndexFunc(pending, func(other serve.Pending) bool { return other.ID == p.WaitsFor && p.WaitsFor != "" })
	if at < 0 {
		return ""
	}
	return "; it waits for its container " + handleOf(pending[at])
}

// unless is why nothing that is due is reaped; empty if it is.
func unless(is *serve.State) string {
	switch {
	case !is.Ready:
		return ", but nothing is acted on"
	case is.Mode == policy.ModeReport:
		return ", but the mode is report"
	case is.Paused:
		return ", but it is paused"
	}
	return ""
}

// isAfterPause reports a time after the end of the pause that holds, and nothing else holds anything back.
func isAfterPause(is *serve.State, due time.Time) bool {
	ends := is.PausedUntil
	return is.Paused && is.Ready && is.Mode == policy.ModeEnforce && !ends.IsZero() && ends.Before(due)
}

// dueText tells when a pending thing goes, or would go but for a reason.
func dueText(left time.Duration, unless string) string {
	switch {
	case unless != "" && left <= 0:
		return " due" + unless
	case unless != "":
		return " due in " + human.ToGo(left) + unless
	case left <= 0:
		return " now"
	}
	return " in " + human.ToGo(left)
}

func handleOf(p serve.Pending) string {
	return word.Thing{ID: p.ID, Container: p.Container}.Handle()
}

// sweepNow is the command that does not let wait what is pending and nobody owns, or that
// stops what is due while the mode is report. It names what is pending if other things are
// too; "" if there is nothing to stop.
func sweepNow(is *serve.State) string {
	var handles []string
	for _, p := range is.Pending {
		if p.AtOnce {
			handles = append(handles, handleOf(p))
		}
	}
	sweep, isDue := "reaperd sweep", false
	if is.Mode == policy.ModeReport {
		if is.ModeFrom != policy.BesideSystem || is.Policy.FileMode != policy.ModeEnforce { // else a sweep goes by the policy
			sweep += " --mode enforce"
		}
		isDue = slices.ContainsFunc(is.Findings, func(c serve.Count) bool { return c.IsDue() && !c.Ends && !c.UnderWay })
	}
	switch {
	case len(handles) == 0 && !isDue:
		return ""
	case len(handles) == 0:
		return sweep
	case isDue || len(handles) == len(is.Pending):
		return sweep + " --now"
	}
	return sweep + " --now " + strings.Join(handles[:min(len(handles), mostNamed)], " ")
}

// stayLines name what has a finding or is pinned and stays, each with the reason.
func stayLines(stays []serve.Stay, whose whose) []line {
	var lines []line
	for i, stay := range stays {
		if i == mostNamed {
			return append(lines, line{"stays", fmt.Sprintf("and %d more: reaperd scan", len(stays)-i)})
		}
		lines = append(lines, line{"stays", stayText(stay, whose)})
	}
	if len(stays) > 0 {
		lines = append(lines, line{"why", "reaperd explain " + human.Safe(stays[0].Handle)})
	}
	return lines
}

// stayText is "fetch 22 of codex 13 is orphaned: rule "listening-orphans" only reports it".
func stayText(s serve.Stay, whose whose) string {
	text := strings.TrimSpace(s.Name + " " + s.Handle)
	if s.Holds != "" {
		text += " with " + s.Holds
	}
	if s.Owner != "" {
		text += " of " + s.Owner
	}
	text += whose.of(s.User)
	if s.Finding != graph.FindingNone {
		text += " " + finding.Is(s.Finding.String())
	}
	switch {
	case whose.roots != nil && s.OwnPolicy:
		return text + ": " + s.Why + beside.OnlyInOwn
	case whose.roots == nil || s.UsersPin == "":
		return text + ": " + s.Why
	case s.UsersPin == s.Handle:
		return text + ": " + whose.roots.IsKeptFrom("your pin") + ": " + whose.roots.Command("reaperd pin "+human.Shell(s.UsersPin))
	}
	return text + ": " + whose.roots.IsKeptFrom("your pin of "+s.UsersPin)
}

// more says that n others are not shown by name.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + human.Number(n) + " more"
}

// cameOf says what becomes of a finding: "would be stopped", or "would be removed", if the daemon does not
// act.
func cameOf(count serve.Count, is *serve.State, whose whose) string {
	came := count.Came()
	switch up := whose.upTo(is); {
	case count.Gone:
		return came
	case count.UnderWay && !count.Ends:
		return count.Action.GoingOn()
	case count.Ends && !count.UnderWay && unless(is) != "" && up == "":
		return "would end with " + human.Verb(count.Number, "its container", "their containers") + unless(is)
	case count.Ends && (count.UnderWay || up == ""):
		return "ending with " + human.Verb(count.Number, "its container", "their containers")
	case came == policy.Keep.String() && !count.Ends:
		return "left alone"
	case up != "":
		return up
	case came != policy.Reap.String():
		return came
	}
	if unless := unless(is); unless != "" {
		return "would be " + count.Action.Done() + unless
	}
	return count.Action.Stage(true)
}

// inUseText counts what is in use, what of that rules stop, and what may be in use: "7 servers and 1 container,
// and rules stop 2 of them; 3 more may be".
func inUseText(is *serve.State) string {
	n, going, stop := is.TargetsInUse, is.TargetsInUseGoing, "stop"
	if unless(is) != "" {
		stop = "would stop"
	}
	text := thingsInUse(is)
	switch {
	case going > 0 && n == 1:
		text += ", and rules " + stop + " it"
	case going > 0 && going == n:
		text += ", and rules " + stop + " all of them"
	case going > 0:
		text += ", and rules " + stop + " " + human.Number(going) + " of them"
	}
	more := " more"
	if n == 0 {
		more = ""
	}
	if maybe := is.TargetsMaybeInUse; maybe > 0 {
		text += "; " + human.Number(maybe) + more + " may be"
	}
	return text
}

// thingsInUse counts servers and containers apart, where the daemon tells that.
func thingsInUse(is *serve.State) string {
	n := is.TargetsInUse
	switch {
	case is.ContainersInUse != nil:
		return human.Servers(n-*is.ContainersInUse, *is.ContainersInUse)
	case n == 1:
		return "1 server or container"
	}
	return human.Number(n) + " servers and containers"
}
