package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// idleEnd is a session that a rule stops for being idle, with two copies of a server.
func idleEnd(decision policy.Decision) Input {
	w := copies(1, false)
	session := &w.sessions[0]
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle}
	head := w.decide(session.Target, decision, "idle-end", policy.ActionTerminate)
	if decision == policy.Reap {
		for i := range w.verdicts {
			if v := &w.verdicts[i]; v.Target.Kind == graph.KindServer {
				v.Decision, v.Rule, v.Action, v.Grace, v.With, v.Reason = policy.Reap, "idle-end", policy.ActionTerminate, head.Grace, "12:120", `it goes with codex 12, by rule "idle-end"`
			}
		}
	}
	in := w.input()
	in.Due = map[string]time.Time{"12:120": noon.Add(2 * time.Minute)}
	return in
}

// TestWhatGoesWithItsSessionIsExplainedByIt: nothing says that the session lives on, and the
// command to stop it names the session.
func TestWhatGoesWithItsSessionIsExplainedByIt(t *testing.T) {
	for _, row := range []struct {
		world    string
		decision policy.Decision
		mode     policy.Mode
		want     []string
	}{
		{"its time is over", policy.Reap, policy.ModeEnforce, []string{
			"fetch 30 goes with codex 12, which is idle. reaperd would stop it (rule idle-end).\n", "\nstop now   reaperd sweep 12\n",
			"would do   SIGTERM to 30, SIGKILL after 5s, then look again\n           codex 12 ends, and all that it holds goes with it\n"}},
		{"its time is over, and the policy only reports", policy.Reap, policy.ModeReport, []string{
			"\nstop it    the policy says mode: report, so nothing stops it but reaperd sweep --mode enforce 12\n"}},
		{"its time is not over", policy.Pending, policy.ModeEnforce, []string{
			"fetch 30 is held by codex 12, which is idle, and goes with it in 2m (rule idle-end).\n",
			"rule       idle-end, built-in:31, by way of codex 12\nsee also   reaperd explain 12\nkeep it    reaperd pin 12\n"}},
		{"its time is not over, and the policy only reports", policy.Pending, policy.ModeReport, []string{
			"fetch 30 is held by codex 12, which is idle, and would go with it (rule idle-end).\n"}},
	} {
		in := idleEnd(row.decision)
		if in.Policy.Mode = row.mode; row.mode == policy.ModeReport {
			in.Due = nil
		}
		var out strings.Builder
		if err := Explain(&out, in, "30:300", Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "lives on") || strings.Contains(got, "by rule \"") {
				t.Errorf("%s: no %q in\n%s", row.world, want, got)
			}
		}
	}
}

// TestTheWayToStopWhatIsDueNamesIt: where the policy only reports too.
func TestTheWayToStopWhatIsDueNamesIt(t *testing.T) {
	w := newWorld("linux", 4)
	target := w.decide(orphaned(w.server("git", 41, time.Hour, megabyte, "git"), gone("pi", 9, time.Hour)), policy.Reap, "orphaned-servers", policy.ActionTerminate).Target
	in := w.input()
	in.Policy.Mode = policy.ModeReport
	var out strings.Builder
	if err := Explain(&out, in, target.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "so nothing stops it but reaperd sweep --mode enforce 41\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestWhatGoesWithAnIdleSessionStandsBelowIt, and not under what is in use; so does the session
// of the one thing that was asked for.
func TestWhatGoesWithAnIdleSessionStandsBelowIt(t *testing.T) {
	for _, row := range []struct {
		world    string
		decision policy.Decision
		names    []string
		want     []string
	}{
		{"its time is not over", policy.Pending, nil, []string{
			"2 MCP servers and 1 session: 2 going with their session, 1 idle. Would stop nothing yet: the daemon stops 1 session with 2 servers in 2m.\n",
			"\ncodex 12  idle ", "\n   with it: fetch 30 and fetch 40\n"}},
		{"one thing of it", policy.Pending, []string{"40"}, []string{
			"1 MCP server and 1 session: 1 going with its session, 1 idle. Would stop nothing yet: the daemon stops 1 session with 2 servers in 2m.\n",
			"\ncodex 12  idle ", "Only 40 is shown: 1 other is hidden.", "reaperd pin 12   keep it"}},
		{"one thing of it, and no daemon", policy.Pending, []string{"fetch", "40", "nothing"}, []string{"\nhint: reaperd sweep --settle 2m 12 "}},
		{"its time is over", policy.Reap, nil, []string{"Would stop 2 servers and 1 session", "\n   with it: fetch 30 and fetch 40\n", "reaperd explain 12 ", "reaperd pin 12 "}},
		{"its time is over, and one thing of it", policy.Reap, []string{"40"}, []string{"Would stop 2 servers and 1 session", "reaperd sweep 12 ", "stop these 3, asks first", "reaperd explain 12 "}},
	} {
		in := idleEnd(row.decision)
		if strings.HasSuffix(row.world, "no daemon") {
			in.Due = nil
			for i := range in.Verdicts {
				if v := &in.Verdicts[i]; v.Decision == policy.Pending {
					v.Needs = 2 * time.Minute
				}
			}
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 160, Names: row.names}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "IN USE") || strings.Contains(got, "NOT TOUCHED") {
				t.Errorf("%s: no %q in\n%s", row.world, want, got)
			}
		}
	}
	var wide strings.Builder
	if err := Table(&wide, idleEnd(policy.Pending), Options{Width: 160, Wide: true}); err != nil {
		t.Fatal(err)
	}
	if want := "goes with codex 12, by rule idle-end\n"; strings.Count(wide.String(), want) != 2 {
		t.Errorf("not twice %q in\n%s", want, wide.String())
	}
}

// TestAnIdleSessionIsStoppedNowByItsIdleTime: --now does not mean what somebody owns.
func TestAnIdleSessionIsStoppedNowByItsIdleTime(t *testing.T) {
	in := idleEnd(policy.Pending)
	for i := range in.Verdicts {
		if target := in.Verdicts[i].Target; isIdle(target) {
			target.Idle = inventory.Known(90 * time.Second)
		}
	}
	var explained, table strings.Builder
	if err := Explain(&explained, in, "12:120", Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&table, in, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for screen, want := range map[string]string{explained.String(): "\nstop now   reaperd sweep --idle-over 1m 12\n", table.String(): "reaperd sweep --idle-over 1m   stop idle sessions this once, asks first"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
}

// TestManyServersOfASessionAreCounted beyond the first.
func TestManyServersOfASessionAreCounted(t *testing.T) {
	w := newWorld("linux", 4)
	owner := w.session("codex", 12, time.Hour, "/home/dev/src", 0)
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		w.keep(owned(w.server(name, 30+i, time.Minute, megabyte, name), owner, "codex 12 holds its stdin"))
	}
	session := &w.sessions[0]
	session.Target = &graph.Target{ID: "12:120", Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle}
	w.decide(session.Target, policy.Pending, "idle-end", policy.ActionTerminate)
	var out strings.Builder
	if err := Table(&out, w.input(), Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if want := "with it: a 30, b 31, c 32, d 33, e 34, f 35, g 36, h 37 and 2 more\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// idleHolder is codex 12, which has done nothing for so long, with fetch 40.
func idleHolder(idle time.Duration) (w *world, codex *graph.Target) {
	w, owner := holder()
	session := &w.sessions[0]
	session.Target = &graph.Target{ID: owner.ID.String(), Kind: graph.KindSession, Name: "codex", Root: session.Process, Finding: graph.FindingIdle, Idle: inventory.Known(idle)}
	return w, session.Target
}

// TestAPinnedIdleSessionIsMarked, and one that its server's pin keeps is offered no sweep that
// would leave it.
func TestAPinnedIdleSessionIsMarked(t *testing.T) {
	w, session := idleHolder(time.Hour)
	w.keep(session)
	for _, row := range []struct {
		pinned     *graph.Target
		mark       string
		offersStop bool
	}{{nil, "codex 12  idle 0s  ", true}, {session, "codex 12  idle 0s, pinned  ", false}, {w.verdicts[0].Target, "codex 12  idle 0s, kept  ", false}} {
		head := &w.verdicts[slices.IndexFunc(w.verdicts, func(v policy.Verdict) bool { return v.Target == session })]
		if head.Bound = nil; row.pinned != nil {
			pin := graph.Veto{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}
			row.pinned.Vetoes = []graph.Veto{pin}
			if row.pinned != session {
				head.Bound = &pin
			}
		}
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: 160}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, row.mark) || strings.Contains(got, "--idle-over") != row.offersStop {
			t.Errorf("want %q, offers a sweep: %v\n%s", row.mark, row.offersStop, got)
		}
		if row.pinned != nil {
			row.pinned.Vetoes = nil
		}
	}
}

// TestAnIdleSessionIsExplainedWithTheMemoryOfItsServers: that is what its end gives back.
func TestAnIdleSessionIsExplainedWithTheMemoryOfItsServers(t *testing.T) {
	w, session := idleHolder(time.Hour)
	session.MemoryBytes, w.sessions[0].MemoryBytes, w.sessions[0].Servers = 3*megabyte, 18*megabyte, 1
	in := w.input()
	in.Verdicts = append(in.Verdicts, policy.Verdict{Target: session})
	var out strings.Builder
	if err := Explain(&out, in, session.ID, Options{Width: 120}); err != nil || !strings.Contains(out.String(), "3.0 MB (18 MB with its servers)") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := Explain(&out, in, w.verdicts[0].Target.ID, Options{Width: 120}); err != nil || strings.Count(out.String(), "with its servers") != 1 {
		t.Errorf("its server: %v\n%s", err, out.String())
	}
}

// TestALiveSessionThatDoesNothingIsExplainedWithTheRuleItComesTo.
func TestALiveSessionThatDoesNothingIsExplainedWithTheRuleItComesTo(t *testing.T) {
	w, session := idleHolder(20 * time.Second)
	session.Finding = graph.FindingNone
	for want, ahead := range map[string]*policy.Ahead{
		"reaperd leaves it alone; rule idle-end would stop it once it has been idle for 25s.\n": {Rule: "idle-end", IdleFor: 25 * time.Second, DueAt: noon.Add(5 * time.Second)},
		"reaperd leaves it alone.\n": nil,
	} {
		in := w.input()
		in.Verdicts = append(in.Verdicts, policy.Verdict{Target: session, Ahead: ahead})
		var out strings.Builder
		if err := Explain(&out, in, session.ID, Options{Width: 160}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("want %q, got %v\n%s", want, err, out.String())
		}
	}
}

// TestWhatAnIdleSessionHoldsIsExplainedByIt, as scan counts it.
func TestWhatAnIdleSessionHoldsIsExplainedByIt(t *testing.T) {
	w, session := idleHolder(time.Hour)
	held := w.verdicts[0].Target.ID
	for want, isIdle := range map[string]bool{"fetch 40 is in use. reaperd leaves it alone.\n": false, "fetch 40 is held by codex 12, which is idle. reaperd leaves both alone.\n": true} {
		in := w.input()
		if isIdle {
			in.Verdicts = append(in.Verdicts, policy.Verdict{Target: session})
		}
		var out strings.Builder
		if err := Explain(&out, in, held, Options{Width: 120}); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%v: want %q\n%s", err, want, out.String())
		}
	}
}

// TestADockerRunEndsWithItsContainer: that is stopped first.
func TestADockerRunEndsWithItsContainer(t *testing.T) {
	w := newWorld("linux", 4)
	left := gone("pi", 9, time.Hour)
	container := w.decide(orphaned(w.container("gitlab", "gl1", "mcp/gitlab", time.Hour, megabyte), left), policy.Reap, "orphaned-containers", policy.ActionRemove).Target
	run := w.decide(orphaned(w.server("gitlab", 41, time.Hour, megabyte, "docker", "run"), left), policy.Reap, "orphaned-servers", policy.ActionTerminate).Target
	run.Containers = []string{container.ID}
	var out strings.Builder
	if err := Explain(&out, w.input(), run.ID, Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if want := "would do   stop its container gl1 within 5s, then remove it, on which it exits; SIGTERM to 41 if it does not, then look again\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// TestAnIdleSessionIsToldWithTheRuleThatItComesTo, by scan and by explain.
func TestAnIdleSessionIsToldWithTheRuleThatItComesTo(t *testing.T) {
	w, session := idleHolder(43 * time.Second)
	w.keep(session).Ahead = &policy.Ahead{Rule: "stop", IdleFor: 70 * time.Second}
	var explained, table, held, daemons strings.Builder
	acts := w.input()
	acts.Daemon = true
	if err := Explain(&daemons, acts, session.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&held, w.input(), w.verdicts[0].Target.ID, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if err := Explain(&explained, w.input(), session.ID, Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&table, w.input(), Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for screen, want := range map[string]string{explained.String(): "codex 12 is idle. Rule stop would stop it once it has been idle for 1m10s.", table.String(): "   rule stop would stop codex 12 once it has been idle for 1m10s\n",
		daemons.String(): "codex 12 is idle. Rule stop stops it once it has been idle for 1m10s.",
		held.String():    "fetch 40 is held by codex 12, which is idle. Rule stop would stop codex 12, with all that it holds, once it has been idle for 1m10s."} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
}

// TestTheJSONOfOneThingIsAboutThatAlone, and tells when it goes with its session.
func TestTheJSONOfOneThingIsAboutThatAlone(t *testing.T) {
	for _, row := range []struct {
		names                       []string
		targets, sessions, findings int
	}{
		{nil, 3, 1, 1}, {[]string{"40"}, 2, 1, 1}, {[]string{"codex"}, 3, 1, 1}, {[]string{"nothing"}, 0, 0, 0},
	} {
		in := idleEnd(policy.Pending)
		in.Names = row.names
		data, err := JSON(in)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Sessions []struct{ ID string }
			Targets  []struct {
				ID, Decision, Reason string
				With                 string    `json:"reaped_with"`
				DueAt                time.Time `json:"due_at"`
			}
			Summary struct {
				Sessions, Servers, Pending int
				Findings                   map[string]int
			}
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Targets) != row.targets || len(got.Sessions) != row.sessions || got.Summary.Sessions != row.sessions || got.Summary.Findings["idle"] != row.findings || got.Summary.Pending != row.findings {
			t.Errorf("%q: %+v", row.names, got)
		}
		for _, target := range got.Targets {
			isAlong := target.ID != "12:120"
			if !target.DueAt.Equal(noon.Add(2*time.Minute)) || isAlong && (target.With != "12:120" || target.Reason != `it goes with codex 12, by rule "idle-end"`) {
				t.Errorf("%q: %+v", row.names, target)
			}
		}
	}
}

// TestASessionAtWorkThatARuleReportsIsNotUnclear: a rule with finding: any names it.
func TestASessionAtWorkThatARuleReportsIsNotUnclear(t *testing.T) {
	w := newWorld("linux", 40)
	w.session("codex", 402, time.Hour, "/home/dev/app", 90*megabyte)
	p := w.sessions[0].Process
	target := &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingNone, Age: time.Hour}
	w.sessions[0].Target = target
	w.decide(target, policy.Keep, "fat", policy.ActionReport)
	if got := table(t, w.input()); strings.Contains(got, "unclear") || !strings.Contains(got, "1 session: 1 named by a rule") && !strings.Contains(got, "1 session, named by a rule") {
		t.Errorf("scan:\n%s", got)
	}
	const want = "codex 402 is a live session that rule fat names and only reports. reaperd leaves it alone.\n"
	if got := explained(t, w.input(), target.ID); !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestASessionAtWorkThatARuleWouldStopIsNotUnclear: the guard keeps it, and its client is known.
func TestASessionAtWorkThatARuleWouldStopIsNotUnclear(t *testing.T) {
	w := newWorld("linux", 40)
	w.session("codex", 402, time.Hour, "/home/dev/app", 90*megabyte)
	p := w.sessions[0].Process
	target := &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Finding: graph.FindingNone, Age: time.Hour}
	w.sessions[0].Target = target
	w.decide(target, policy.Keep, "quiet", policy.ActionTerminate).Vetoes = []graph.Veto{{Guard: graph.GuardInUse, Text: "it does not count as idle"}}
	const want = "codex 402 is a live session that rule quiet names. reaperd leaves it alone (it does not count as idle).\n"
	if got := explained(t, w.input(), target.ID); !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A session that a rule would stop, but for what it holds, is not told to be stopped by it, and neither is what it
// holds.
func TestASessionThatIsSparedForWhatItHoldsIsToldSo(t *testing.T) {
	for _, counts := range []bool{true, false} { // whether the session counts as idle yet
		w, session := idleHolder(20 * time.Second)
		if !counts {
			session.Finding = graph.FindingNone
		}
		pinned := w.verdicts[1].Target
		pinned.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "reaperd pin keeps it"}}
		veto := graph.Veto{Guard: graph.GuardPinned, Text: "github 41 would end with it: reaperd pin keeps it", For: pinned.ID}
		verdict := w.keep(session)
		verdict.Bound, verdict.Spared = &veto, &policy.Ahead{Rule: "stop", IdleFor: 70 * time.Second, DueAt: noon.Add(50 * time.Second)}
		in := w.input()
		in.Daemon = true // its acts are told with "stops"
		const but = "once it has been idle for 1m10s, but github 41 would end with it: reaperd pin keeps it"
		want := map[string]string{
			session.ID:              "ule stop would stop it " + but + ".\n",
			w.verdicts[0].Target.ID: "ule stop would stop codex 12, with all that it holds, " + but + ".\n",
		}
		for id, text := range want {
			got, rule := explained(t, in, id), "rule       none yet: stop, default, at an idle time of 1m10s (idle_for)"
			if !strings.Contains(got, text) || !strings.Contains(got, rule) || strings.Contains(got, "stops") || strings.Contains(got, "goes on doing") || strings.Contains(got, "keep it") {
				t.Errorf("counts %v: want %q and %q in\n%s", counts, text, rule, got)
			}
		}
		if got, text := explained(t, in, pinned.ID), " alone. It is pinned. That keeps codex 12 too, which rule stop would stop once it has been idle for 1m10s.\n"; !strings.Contains(got, text) || strings.Contains(got, "would end with it") {
			t.Errorf("counts %v: want %q in\n%s", counts, text, got)
		}
		if got, line := table(t, in), "rule stop would stop codex 12 "+but+"\n"; counts && !strings.Contains(got, line) {
			t.Errorf("want %q in\n%s", line, got)
		}
	}
}

// The rule that a session comes to is named with its place, with when that is, and with what keeps the
// session: for the session, and for what it holds.
func TestTheRuleAheadIsNamedWithItsPlaceAndItsTime(t *testing.T) {
	const rule = "rule       none yet: stop, built-in:31, at an idle time of 1m10s (idle_for)"
	for _, row := range []struct {
		idle   graph.Finding
		daemon bool
		in     string
	}{{graph.FindingIdle, true, ", in 50s if it goes on doing nothing"}, {graph.FindingIdle, false, ""}, {graph.FindingNone, true, ", in 50s if it goes on doing nothing"}} {
		w, session := idleHolder(20 * time.Second)
		session.Finding = row.idle
		w.keep(session).Ahead = &policy.Ahead{Rule: "stop", Origin: policy.Origin{File: "built-in", Line: 31}, IdleFor: 70 * time.Second, DueAt: noon.Add(50 * time.Second)}
		in := w.input()
		in.Daemon = row.daemon
		if got, want := explained(t, in, session.ID), rule+row.in+"\nkeep it    reaperd pin 12\n"; !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
		if got, want := explained(t, in, w.verdicts[0].Target.ID), rule+", by way of codex 12"+row.in+"\nsee also   reaperd explain 12\nkeep it    reaperd pin 12\n"; !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Where a daemon of the user's own runs beside root's, what either decides about a session that does nothing is
// not all.
func TestRootsDaemonDecidesAboutAnIdleSessionToo(t *testing.T) {
	const too = " But root's daemon (process 7) decides too, by a policy of its own: sudo reaperd explain "
	for _, row := range []struct {
		idle   time.Duration
		own    bool
		beside beside.Daemons
		says   bool
	}{
		{time.Minute, true, beside.Daemons{{User: "root", PID: 7}}, true},
		{time.Minute, true, nil, false},
		{time.Minute, false, beside.Daemons{{User: "root", PID: 7}}, false}, // the notes say whose it is
		{time.Second, true, beside.Daemons{{User: "root", PID: 7}}, false},  // it works
	} {
		w, session := idleHolder(row.idle)
		if row.idle < time.Minute {
			session.Finding = graph.FindingNone
		}
		w.keep(session)
		in := w.input()
		in.Daemon, in.Beside = row.own, row.beside
		for id, handle := range map[string]string{session.ID: "12.\n", w.verdicts[0].Target.ID: "40.\n"} {
			if got := explained(t, in, id); strings.Contains(got, too+handle) != row.says {
				t.Errorf("%+v: %s", row, got)
			}
		}
	}
}

// TestNothingIsOfferedThatAPinOfWhatAnIdleSessionHoldsRefuses: no change of a rule that only reports, no sweep; only
// the end of that pin.
func TestNothingIsOfferedThatAPinOfWhatAnIdleSessionHoldsRefuses(t *testing.T) {
	w, session := idleHolder(time.Hour)
	verdict := w.decide(session, policy.Keep, "idle-sessions", policy.ActionReport)
	pinned := w.verdicts[1].Target
	verdict.Bound = &graph.Veto{Guard: graph.GuardPinned, Text: "github 41 would end with it: reaperd pin keeps it", For: pinned.ID}
	got, unpin := explained(t, w.input(), session.ID), "reaperd unpin "+handle(pinned)+"\n"
	for _, want := range []string{"guards     github 41 would end with it: reaperd pin keeps it\n", "unpin      " + unpin} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, never := range []string{"this once", "to act", "sweep", "none applies"} {
		if strings.Contains(got, never) {
			t.Errorf("%q in\n%s", never, got)
		}
	}
	if got := table(t, w.input()); !strings.Contains(got, "one that acts would leave it alone too: github 41 would end with it") || strings.Contains(got, "--idle-over") {
		t.Error(got)
	}
}

// Programs are told what people are: when a rule stops a session that does nothing, or what it is bound to.
func TestForProgramsASessionHasTheRuleThatItComesTo(t *testing.T) {
	ahead := &policy.Ahead{Rule: "stop", IdleFor: 70 * time.Second, DueAt: noon.Add(50 * time.Second)}
	bound := &graph.Veto{Guard: graph.GuardPinned, Text: "github 41 would end with it: reaperd pin keeps it"}
	for _, row := range []struct {
		world   string
		verdict policy.Verdict
		daemon  bool
		want    sessionJSON
	}{
		{"its daemon acts", policy.Verdict{Ahead: ahead}, true, sessionJSON{StopsAt: ahead.DueAt, StopsBy: "stop"}},
		{"no daemon runs", policy.Verdict{Ahead: ahead}, false, sessionJSON{}},
		{"it holds what must stay", policy.Verdict{Spared: ahead, Bound: bound}, true, sessionJSON{Bound: "github 41 would end with it: reaperd pin keeps it"}},
		{"it works", policy.Verdict{}, true, sessionJSON{}},
	} {
		w, session := idleHolder(20 * time.Second)
		row.verdict.Target = session
		in := w.input()
		in.Daemon, in.Verdicts = row.daemon, append(in.Verdicts, row.verdict)
		text, err := JSON(in)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Sessions []sessionJSON }
		if err := json.Unmarshal(text, &got); err != nil || len(got.Sessions) != 1 {
			t.Fatalf("%s: %v: %d sessions", row.world, err, len(got.Sessions))
		}
		if is := got.Sessions[0]; !is.StopsAt.Equal(row.want.StopsAt) || is.StopsBy != row.want.StopsBy || is.Bound != row.want.Bound {
			t.Errorf("%s: stops at %s by %q, bound %q", row.world, is.StopsAt, is.StopsBy, is.Bound)
		}
	}
}

// TestAScanTellsWhenTheDaemonStopsASessionThatDoesNothing, if that is soon: else nothing of it would be said before.
func TestAScanTellsWhenTheDaemonStopsASessionThatDoesNothing(t *testing.T) {
	for _, row := range []struct {
		world  string
		left   time.Duration
		daemon bool
		names  []string
		want   string
	}{
		{"its rule comes soon", 50 * time.Second, true, nil, "Nothing to do. The daemon stops codex 12 in 50s if it goes on doing nothing.\n"},
		{"its rule is far ahead", time.Hour, true, nil, "Nothing to do.\n"},
		{"no daemon runs", 50 * time.Second, false, nil, "Nothing to do.\n"},
		{"a server was asked for that it holds", 50 * time.Second, true, []string{"github"}, "Nothing to do. The daemon stops codex 12, with all that it holds, in 50s if it goes on doing nothing.\n"},
		{"another was asked for", 50 * time.Second, true, []string{"gemini"}, "Nothing to do.\n"},
	} {
		w, session := idleHolder(20 * time.Second)
		session.Finding, session.Incidental = graph.FindingNone, true
		in := w.input()
		in.Verdicts = append(in.Verdicts, policy.Verdict{Target: session, Ahead: &policy.Ahead{Rule: "stop", IdleFor: time.Hour, DueAt: noon.Add(row.left)}})
		w.session("gemini", 13, time.Hour, "/", 0)
		in.Graph.Sessions, in.Daemon, in.Command = w.sessions, row.daemon, "scan"
		options := screenOf(120)
		options.Names = row.names
		var out strings.Builder
		if err := Table(&out, in, options); err != nil || !strings.Contains(out.String(), row.want) {
			t.Errorf("%s, %v: no %q in\n%s", row.world, err, row.want, out.String())
		}
	}
}

// TestAnIdleSessionThatNoRuleNamesIsToldWhatStopsIt: whose it is needs no deciding.
func TestAnIdleSessionThatNoRuleNamesIsToldWhatStopsIt(t *testing.T) {
	w, session := idleHolder(8 * time.Minute)
	w.keep(session)
	if got := explained(t, w.input(), session.ID); !strings.Contains(got, "this once  reaperd sweep --idle-over 8m 12\n") || strings.Contains(got, "decide it") {
		t.Error(got)
	}
}

// TestWhatWaitsForSomethingWhoseEndHasBegunHasBeenSeen: it has no time of its own.
func TestWhatWaitsForSomethingWhoseEndHasBegunHasBeenSeen(t *testing.T) {
	w := newWorld("linux", 4)
	hub := orphaned(w.server("mcp-hub", 50, time.Hour, 0, "mcp-hub"), gone("claude-code", 44, time.Hour))
	w.decide(hub, policy.Pending, "orphaned-gateways", policy.ActionTerminate).Reason = `rule "orphaned-gateways" would stop it, and waits for fetch 51, which is being stopped`
	in := w.input()
	in.Daemon, in.NextLook = true, noon.Add(28*time.Second)
	if got, want := explained(t, in, hub.ID), "mcp-hub 50 is orphaned. Rule \"orphaned-gateways\" would stop it, and waits for fetch 51, which is being stopped.\n"; !strings.HasPrefix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// TestWhatGoesWithAGatewayThatWaitsIsNotSaidToBeLeftAlone: its session lives, and it goes all the same.
func TestWhatGoesWithAGatewayThatWaitsIsNotSaidToBeLeftAlone(t *testing.T) {
	w := newWorld("linux", 4)
	session := w.session("claude-code", 12, time.Hour, "/home/dev/src", 0)
	gateway := owned(w.server("docker-mcp-gateway", 40, time.Hour, 0, "docker-mcp"), session, "")
	gateway.Kind, gateway.Finding, gateway.Zombies = graph.KindGateway, graph.FindingZombies, 120
	head := w.decide(gateway, policy.Pending, "zombie-gateways", policy.ActionTerminate)
	head.DueAt, head.Needs, head.For = noon.Add(119*time.Second), 2*time.Minute, 2*time.Minute
	below := owned(w.server("fetch", 41, time.Hour, 0, "fetch"), graph.Owner{Name: "docker-mcp-gateway", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, "")
	waits := w.decide(below, policy.Pending, "zombie-gateways", policy.ActionTerminate)
	waits.With, waits.DueAt, waits.Needs, waits.For = gateway.ID, head.DueAt, head.Needs, head.For
	in := w.input()
	due := noon.Add(119 * time.Second)
	in.Daemon, in.Due = true, map[string]time.Time{gateway.ID: due, below.ID: due}
	want := "fetch 41 goes with docker-mcp-gateway 40, which is failing: 120 zombies. The daemon stops them in 1m 59s (rule zombie-gateways).\n"
	if got := explained(t, in, below.ID); !strings.HasPrefix(got, want) || !strings.Contains(got, "see also   reaperd explain 40\n") {
		t.Errorf("no %q in\n%s", want, got)
	}
	leaves := "claude-code 12 is a live session with 2 MCP servers. reaperd leaves it alone, but not all that it has.\n"
	if got := explained(t, in, session.ID.String()); !strings.HasPrefix(got, leaves) {
		t.Errorf("no %q in\n%s", leaves, got)
	}
	data, err := ExplainJSON(in, below.ID)
	if err != nil || !strings.Contains(string(data), `"reaped_with": "`+gateway.ID+`"`) || !strings.Contains(string(data), `"due_at": "2026-11-26T09:41:59Z"`) {
		t.Errorf("%v in\n%s", err, data)
	}
}

// TestAProtectedIdleSessionIsLeftAloneForAReason in the plan of a sweep that is about idle sessions.
func TestAProtectedIdleSessionIsLeftAloneForAReason(t *testing.T) {
	w, session := idleHolder(time.Hour)
	verdict := w.keep(session)
	verdict.Protected, verdict.Reason = &policy.Protect{Name: "ours"}, `protected by "ours"`
	in := w.input()
	in.Command = "sweep"
	var out strings.Builder
	if err := Plan(&out, in, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "\nLEFT ALONE ") || !strings.Contains(got, "\ncodex 12  idle 0s, kept") || !strings.Contains(got, `why: protected by "ours"`) {
		t.Error(got)
	}
}
