package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// copies is a session with a new copy of a server, and older ones that are idle.
func copies(older int, resting bool) *world {
	w := newWorld("linux", 4)
	owner := w.session("codex", 12, time.Hour, "/home/dev/src", 0)
	w.keep(owned(w.server("fetch", 40, time.Minute, megabyte, "fetch"), owner, "codex 12 holds its stdin"))
	for i := range older {
		t := owned(w.server("fetch", 30+i, time.Hour, megabyte, "fetch"), owner, "codex 12 holds its stdin")
		t.Finding, t.Generation, t.Idle = graph.FindingDuplicate, 2, inventory.Known(26*time.Second)
		v := w.keep(t)
		v.Reason = "no rule acts on it"
		if resting {
			v.Threshold = &policy.Threshold{Rule: "duplicates", Action: policy.ActionReport, Key: keyIdleFor, Wants: "an idle time of 30m", Has: "26s"}
		} else {
			v.Rule, v.Action = "duplicates", policy.ActionReport
		}
	}
	return w
}

// paused is an input in which the older copies did something two seconds ago.
func paused(w *world) Input {
	in := w.input()
	for _, v := range in.Verdicts {
		if v.Rests() {
			v.Target.Idle = inventory.Known(2 * time.Second)
		}
	}
	return in
}

// withoutRule is an input without a rule about older copies.
func withoutRule(w *world) Input {
	in := w.input()
	for _, v := range in.Verdicts {
		if v.Rests() {
			v.Threshold.Rule, v.Threshold.Origin, v.Threshold.Action = "", policy.Origin{}, ""
		}
	}
	return in
}

// TestAnOlderCopyThatNoRuleIsAboutIsExplainedWithoutOne: nothing ends it, and no line says how a rule would.
func TestAnOlderCopyThatNoRuleIsAboutIsExplainedWithoutOne(t *testing.T) {
	var out strings.Builder
	if err := Explain(&out, withoutRule(copies(1, true)), "30:300", Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for want, is := range map[string]bool{
		"It counts as in use until it has an idle time of 30m, and reaperd leaves it alone.\n": true,
		"none acts on it; worth a look at an idle time of 30m, these looks show 26s\n":         true, "--duplicates": false, "to act": false,
	} {
		if strings.Contains(got, want) != is {
			t.Errorf("%q is %t, want %t, in\n%s", want, !is, is, got)
		}
	}
}

// TestAnOlderCopyIsInUseUntilItsRuleNamesIt: as in status, top and on the page.
func TestAnOlderCopyIsInUseUntilItsRuleNamesIt(t *testing.T) {
	for _, row := range []struct {
		world      string
		in         Input
		wide       bool
		want, none string
	}{
		{"one, not idle for long enough", copies(1, true).input(), false, "2 MCP servers, all in use (1 older copy). Nothing to do.", "worth a look"},
		{"its row", copies(1, true).input(), false, "fetch 30  an older copy, idle for 26s ", "2 × fetch"},
		{"two", copies(2, true).input(), false, "2 × fetch 30 31  older copies ", "worth a look"},
		{"by itself", copies(1, true).input(), true, "kept: an older copy, idle for 26s; rule duplicates asks for an idle time of 30m", "no rule acts"},
		{"one that may have paused between two requests", paused(copies(1, true)), false, "fetch 30  an older copy     ", "idle for"},
		{"one that no rule is about, by itself", withoutRule(copies(1, true)), true, "kept: an older copy, idle for 26s; no rule acts on it", "asks for"},
		{"one that the rule names", copies(1, false).input(), false, "2 MCP servers: 1 in use, 1 an older copy.", "idle for 26s"},
	} {
		var out strings.Builder
		if err := Table(&out, row.in, Options{Width: 200, UTF8: true, Wide: row.wide}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, row.want) || strings.Contains(got, row.none) {
			t.Errorf("%s: want %q and no %q in\n%s", row.world, row.want, row.none, got)
		}
	}
	var out strings.Builder
	if err := Explain(&out, copies(1, true).input(), "30:300", Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if want := "fetch 30 is an older copy: its owner has 1 newer one. It counts as in use until it has an idle time of 30m, and reaperd leaves it alone.\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("explained as\n%s, want\n%s", out.String(), want)
	}
}

func TestAnOlderCopyOfAnIdleSessionIsHeldByIt(t *testing.T) {
	w := copies(1, true)
	session := &w.sessions[0]
	session.Members = []*inventory.Process{session.Process}
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle}
	w.keep(session.Target)
	var out strings.Builder
	if err := Table(&out, w.input(), Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "2 MCP servers, all held by idle sessions.") || strings.Contains(got, "IN USE") {
		t.Errorf("got\n%s", got)
	}
}

// holder is a session with two servers and a container.
func holder() (*world, graph.Owner) {
	w := newWorld("linux", 4)
	owner := w.session("codex", 12, time.Hour, "/home/dev/src", 0)
	w.keep(owned(w.server("fetch", 40, time.Minute, megabyte, "fetch"), owner, "codex 12 holds its stdin"))
	w.keep(owned(w.server("github", 41, time.Minute, megabyte, "docker", "run", "-i", "github"), owner, "codex 12 holds its stdin"))
	w.keep(owned(w.container("github", "eager_fermi", "github", time.Minute, megabyte), owner, "its docker run 41 lives"))
	return w, owner
}

// TestEveryScreenCountsWhatASessionHoldsInTheSameWords: of a session that is in use,
// and then idle.
func TestEveryScreenCountsWhatASessionHoldsInTheSameWords(t *testing.T) {
	w, owner := holder()
	id := owner.ID.String()
	var inUse, idle strings.Builder
	if err := Explain(&inUse, w.input(), id, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	session := w.sessions[0].Process
	w.sessions[0].Target = &graph.Target{ID: id, Kind: graph.KindSession, Name: "codex", Root: session, Finding: graph.FindingIdle}
	w.keep(w.sessions[0].Target)
	in := w.input()
	if err := Table(&idle, in, Options{Width: 200, Home: "/home/dev"}); err != nil {
		t.Fatal(err)
	}
	const count = "2 servers and 1 container"
	for screen, want := range map[string]string{
		inUse.String(): "codex 12 is a live session with 2 MCP servers and 1 container. ", idle.String(): "~/src, " + count + " ", HeldBy(in.Graph, id): count,
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("want %q in\n%s", want, screen)
		}
	}
}

// TestAFilterShowsTheSessionThatHoldsWhatItMeans: the first line counts it.
func TestAFilterShowsTheSessionThatHoldsWhatItMeans(t *testing.T) {
	w := newWorld("linux", 4)
	owner := w.session("codex", 12, 2*time.Hour, "/home/dev/src", 0)
	session := &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: w.sessions[0].Process, Members: w.sessions[0].Members, Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour)}
	w.sessions[0].Target = session
	w.keep(session)
	w.keep(owned(w.server("fetch", 40, time.Hour, megabyte, "fetch"), owner, "codex 12 holds its stdin"))
	w.keep(orphaned(w.server("git", 41, time.Hour, megabyte, "git"), gone("pi", 9, time.Hour)))
	for name, isShown := range map[string]bool{"fetch": true, "codex": true, "git": false} {
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: 200, Names: []string{name}}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "IDLE SESSIONS") != isShown || strings.Contains(out.String(), "codex 12  idle ") != isShown {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}

// TestAnOlderCopyThatGoesWithItsSessionIsCountedAsThat: the rows below name the session alone.
func TestAnOlderCopyThatGoesWithItsSessionIsCountedAsThat(t *testing.T) {
	w := copies(1, false)
	session := &w.sessions[0]
	session.Members = []*inventory.Process{session.Process}
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle}
	v := w.keep(session.Target)
	v.Decision, v.Rule, v.Action = policy.Reap, "idle-over", policy.ActionTerminate
	for i := range w.verdicts {
		if copied := &w.verdicts[i]; copied.Target.Kind == graph.KindServer {
			copied.Decision, copied.Rule, copied.Action, copied.With = policy.Reap, "idle-over", policy.ActionTerminate, "12:120"
		}
	}
	in := w.input()
	in.DryRun = true
	var out strings.Builder
	if err := Plan(&out, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, "2 MCP servers and 1 session: 2 going with their session, 1 idle.") || !strings.Contains(got, "\nreaperd sweep   stop these 3, asks first\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestAPinnedIdleSessionNamesItsUnpin: a sweep would find it pinned again.
func TestAPinnedIdleSessionNamesItsUnpin(t *testing.T) {
	w := newWorld("linux", 4)
	w.session("codex", 12, time.Hour, "/home/dev/src", 0)
	session := &w.sessions[0]
	session.Members = []*inventory.Process{session.Process}
	pin := []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour), Vetoes: pin}
	v := w.keep(session.Target)
	v.Rule, v.Action, v.Vetoes = "idle-over", policy.ActionTerminate, pin
	in := w.input()
	in.Nothing, in.Command = Nothing{Text: "codex 12 stays.", Seen: true}, "sweep"
	var out strings.Builder
	if err := Plan(&out, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "reaperd unpin 12   ends its pin") || strings.Contains(got, "--idle-over") {
		t.Errorf("got\n%s", got)
	}
}

// TestAnOlderCopyThatTheDaemonMayStopWithItsNextLookIsNotSaidToBeLeftAlone: by then it may have been idle for long enough.
func TestAnOlderCopyThatTheDaemonMayStopWithItsNextLookIsNotSaidToBeLeftAlone(t *testing.T) {
	const left, stops = ", and reaperd leaves it alone.", "; the daemon looks in 17s, and may stop it then (rule duplicates)."
	for _, row := range []struct {
		world  string
		least  time.Duration
		action policy.Action
		daemon bool
		want   string
	}{
		{"it may", 40 * time.Second, policy.ActionTerminate, true, stops},
		{"it has not been idle for long enough then", 44 * time.Second, policy.ActionTerminate, true, left},
		{"the rule only reports", 40 * time.Second, policy.ActionReport, true, left},
		{"no daemon runs", 40 * time.Second, policy.ActionTerminate, false, left},
	} {
		w := copies(1, true)
		v := &w.verdicts[1]
		v.Threshold.Action, v.Threshold.IdleFor, v.Target.Idle = row.action, row.least, inventory.Known(26*time.Second)
		in := w.input()
		in.Daemon, in.NextLook = row.daemon, noon.Add(17*time.Second)
		var out strings.Builder
		if err := Explain(&out, in, "30:300", Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(out.String(), "\n"); !strings.HasSuffix(first, "It counts as in use until it has an idle time of 30m"+row.want) {
			t.Errorf("%s: %s", row.world, first)
		}
	}
}

// TestAnOlderCopyThatTheDaemonHasNotSeenIdleForLongEnoughMayGoWithItsNextLook: its time counts from when it was used last.
func TestAnOlderCopyThatTheDaemonHasNotSeenIdleForLongEnoughMayGoWithItsNextLook(t *testing.T) {
	w := copies(1, false)
	v := &w.verdicts[1]
	v.Decision, v.Action = policy.Reap, policy.ActionTerminate
	in := w.input()
	in.Daemon, in.NextLook = true, noon.Add(14*time.Second)
	var table, explained strings.Builder
	if err := Table(&table, in, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&explained, in, "30:300", Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if want := "   the daemon looks in 14s, and may stop it then\n"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	if want := "The daemon looks in 14s, and may stop it then (rule duplicates).\n"; !strings.Contains(explained.String(), want) {
		t.Errorf("no %q in\n%s", want, explained.String())
	}
}
