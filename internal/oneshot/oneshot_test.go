package oneshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/usage"
)

// recorded is a recording judged as it was: two orphaned clients, and their containers.
func recorded(t *testing.T, p *policy.Policy) *Sight {
	t.Helper()
	data, err := os.ReadFile("../sweep/testdata/corpus/dockblind-kill9.json")
	if err != nil {
		t.Fatal(err)
	}
	var recording struct{ Snapshots []json.RawMessage }
	if err := json.Unmarshal(data, &recording); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var files []string
	for i, text := range recording.Snapshots {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.json", i)))
		if err := os.WriteFile(files[i], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sight, err := Replay(p, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sight
}

func TestWhatIsNamedOnlyNarrowsASweep(t *testing.T) {
	for _, row := range []struct {
		name  string
		order Order
		want  []string // the names of what is planned
	}{
		{"all that the policy wants", Order{}, []string{"x", "blind", "x", "blind"}},
		{"a client goes with its container", Order{Named: []string{"57"}}, []string{"blind", "blind"}},
		{"a glob", Order{Named: []string{"BLI*"}}, []string{"blind", "blind"}},
		{"two words mean both", Order{Named: []string{"57", "56"}}, []string{"x", "blind", "x", "blind"}},
		{"a container, after which its client ends", Order{Named: []string{"demo-dockblind-kill9-npmdk"}}, []string{"x", "x"}},
		{"by one rule", Order{Rules: []string{"orphaned-containers"}}, []string{"x", "blind"}},
		{"by a rule and a name", Order{Rules: []string{"orphaned-servers"}, Named: []string{"x"}}, []string{"x"}},
		{"nothing that a rule decides", Order{Rules: []string{"duplicate-servers"}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			sweep := &Sweep{Sight: recorded(t, policyfile.Shipped()), Order: row.order}
			plan, err := sweep.Plan()
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, act := range plan.Acts {
				names = append(names, act.Name)
			}
			if !slices.Equal(names, row.want) {
				t.Errorf("planned %q, want %q", names, row.want)
			}
			if listed := len(sweep.Report().Verdicts); listed < len(names) {
				t.Errorf("%d of %d acts are reported", listed, len(names))
			}
		})
	}
	sweep := &Sweep{Sight: recorded(t, policyfile.Shipped()), Order: Order{Named: []string{"57", "no-such", "4711"}}}
	if _, err := sweep.Plan(); err == nil || !strings.HasPrefix(err.Error(), "no-such, 4711: no such") {
		t.Errorf("what is not here: %v", err)
	}
}

// TestASessionThatHasEndedNamesWhatItLeft: one that only the daemon has seen. It narrows the
// sweep to that, and changes no judgement.
func TestASessionThatHasEndedNamesWhatItLeft(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	left := map[string]bool{}
	for _, v := range sight.View.Verdicts {
		v.Target.Owner = graph.Owner{Liveness: graph.LivenessGone}
		left[v.Target.ID] = v.Target.Name == "blind"
	}
	sight.sweeper.LeftBy = func(id string) (graph.Owner, bool) {
		return graph.Owner{Name: "claude-code", ID: inventory.ID{PID: 12345, Start: 9}, Liveness: graph.LivenessGone}, left[id]
	}
	for words, want := range map[string]string{"claude-code": "blind blind", "12345": "blind blind", "x 12345": "x blind x blind"} {
		sweep := &Sweep{Sight: sight, Order: Order{Named: strings.Fields(words)}}
		plan, err := sweep.Plan()
		var names []string
		for _, act := range plan.Acts {
			names = append(names, act.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: planned %q, %v, want %q", words, got, err, want)
		}
	}
	if err := sight.Missing([]string{"claude-code", "codex"}); err == nil || !strings.HasPrefix(err.Error(), "codex: no such") {
		t.Errorf("another name: %v", err)
	}
}

func TestWhatEndsBetweenTheLooksIsNotSaidNeverToHaveBeenHere(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	last := *sight.View.Graph
	sight.View.First, last.Targets, last.Sessions = sight.View.Graph, nil, nil
	sight.View.Graph = &last
	if err := sight.Missing([]string{"blind"}); err == nil || err.Error() != "blind has ended between the two looks" {
		t.Errorf("got %v", err)
	}
	if err := sight.Missing([]string{"blind", "codex"}); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Errorf("got %v", err)
	}
}

func TestAnOrderThatCannotBeCarriedOutIsRefusedBeforeALook(t *testing.T) {
	paused, free := state.Dir(t.TempDir()), state.Dir(t.TempDir())
	if err := paused.Pause(time.Now(), state.Pause{Reason: "a demo"}); err != nil {
		t.Fatal(err)
	}
	reports := policyfile.Shipped().WithMode(policy.ModeReport, "a test")
	reports.Rules = nil
	record := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(record, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noFolder := filepath.Join(record, "journal.jsonl")
	for _, row := range []struct {
		name   string
		order  Order
		policy *policy.Policy
		dir    state.Dir
		want   string
		misuse bool
	}{
		{"the beginning of a rule", Order{Rules: []string{"orphaned-serv"}, DryRun: true}, policyfile.Shipped(), free, `--rule "orphaned-serv": the policy has no such rule; did you mean "orphaned-servers"?`, true},
		{"a rule that the policy lacks", Order{Rules: []string{"x"}, DryRun: true}, reports, free, `--rule "x": the policy has no such rule`, true},
		{"duplicates without a rule about them", Order{Ends: policy.Switches{Duplicates: true}, DryRun: true}, reports, free, "no rule about duplicates", true},
		{"a policy that only reports", Order{}, reports, free, "the policy (built-in) says mode: report", true},
		{"a sweep that is told only to report", Order{Mode: policy.ModeReport}, policyfile.Shipped(), free, "--mode report: a sweep may not act", true},
		{"a pause", Order{Mode: policy.ModeEnforce}, reports, paused, "nothing is reaped: paused: a demo", false},
		{"a plan alone, under a pause and a policy that reports", Order{DryRun: true}, reports, paused, "", false},
		{"a flag that says enforce", Order{Mode: policy.ModeEnforce, Journal: record}, reports, free, "", false},
		{"a journal that takes no record", Order{Journal: noFolder}, policyfile.Shipped(), free, "nothing is acted on without a record: write journal " + noFolder, false},
		{"a plan alone, which needs no journal", Order{DryRun: true, Journal: noFolder}, policyfile.Shipped(), free, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, _, err := row.order.By(row.policy, row.dir)
			var advised *advice.Error
			switch errors.As(err, &advised); {
			case row.want == "":
				if err != nil || row.order.Mode != "" && p.Mode != row.order.Mode {
					t.Errorf("refused: %v", err)
				}
			case advised == nil || !strings.Contains(err.Error(), row.want) || advised.Misuse != row.misuse:
				t.Errorf("%v (%+v), want %q", err, advised, row.want)
			}
		})
	}
}

func TestTheHintOfARefusedOrderKeepsWhatWasAsked(t *testing.T) {
	paused, free := state.Dir(t.TempDir()), state.Dir(t.TempDir())
	if err := paused.Pause(time.Now(), state.Pause{}); err != nil {
		t.Fatal(err)
	}
	reports := policyfile.Shipped().WithMode(policy.ModeReport, "a test")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noFolder := filepath.Join(file, "journal.jsonl")
	for _, row := range []struct {
		name  string
		order Order
		dir   state.Dir
		want  string
	}{
		{"the policy only reports", Order{Asked: asked.Look{Duplicates: true, Yes: true, Names: []string{"git*"}}}, free, "reaperd sweep --mode enforce --duplicates --yes 'git*'"},
		{"the flag does", Order{Mode: policy.ModeReport, Asked: asked.Look{Mode: "report", IdleOver: "8h"}}, free, "reaperd sweep --mode enforce --idle-over 8h"},
		{"it is paused", Order{Mode: policy.ModeEnforce, Asked: asked.Look{Now: true, Yes: true, Names: []string{"57"}}}, paused, "reaperd sweep --now --dry-run 57   shows the plan"},
		{"the journal takes no record", Order{Mode: policy.ModeEnforce, Journal: noFolder, Asked: asked.Look{Mode: "enforce", Duplicates: true, Names: []string{"57"}}}, free,
			"see to it that the file can be written, or name a journal elsewhere with --journal; reaperd sweep --mode enforce --duplicates --dry-run 57   shows the plan"},
	} {
		_, _, err := row.order.By(reports, row.dir)
		var advised *advice.Error
		if !errors.As(err, &advised) || advised.Hint != row.want {
			t.Errorf("%s: %v, want the hint %q", row.name, err, row.want)
		}
	}
}

func TestASwitchNarrowsTheSweepToTheRulesThatItSwitches(t *testing.T) {
	p, order, err := Order{Ends: policy.Switches{Duplicates: true, IdleOver: time.Hour}, DryRun: true}.By(policyfile.Shipped(), state.Dir(t.TempDir()))
	if err != nil || !slices.Contains(order.Rules, "idle-over") || len(order.Rules) < 2 {
		t.Fatalf("rules %q, %v", order.Rules, err)
	}
	for _, name := range order.Rules {
		i := slices.IndexFunc(p.Rules, func(r policy.Rule) bool { return r.Name == name })
		if i < 0 || p.Rules[i].Action != policy.ActionTerminate {
			t.Errorf("rule %s does not act", name)
		}
	}
}

func TestWhatIsExplained(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	for _, row := range []struct{ name, word, want string }{
		{"a server by its PID", "57", "blind 57"},
		{"a container by its name", "demo-dockblind-kill9-npmdk", "demo-dockblind-kill9-npmdk"},
		{"of a client and its container of one name the container", "blind", "container demo-dockblind-kill9-blind"},
		{"a process that is no server", "1", "1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			explanation, err := sight.Explain(row.word)
			if err != nil || explanation == nil {
				t.Fatalf("%v, %v", explanation, err)
			}
			var text bytes.Buffer
			if err := explanation.Write(&text, report.Options{}); err != nil || !strings.Contains(text.String(), row.want) {
				t.Errorf("%v, want %q in\n%s", err, row.want, text.String())
			}
			if strings.Contains(text.String(), "proof") && strings.Contains(text.String(), "could not be told") {
				t.Errorf("proven, and not told:\n%s", text.String())
			}
			if data, err := explanation.JSON(); err != nil || !json.Valid(data) {
				t.Errorf("as JSON: %v, %s", err, data)
			}
		})
	}
	if explanation, err := sight.Explain("no-such"); explanation != nil || err != nil {
		t.Errorf("what is not here: %v, %v", explanation, err)
	}
}

func TestOfSeveralOfOneNameEachIsToldApart(t *testing.T) {
	server := func(pid int, owner graph.Owner, finding graph.Finding) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1}
		return &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Root: p, Members: []*inventory.Process{p}, Owner: owner, Finding: finding}
	}
	sight := recorded(t, policyfile.Shipped())
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{
		server(10, graph.Owner{Name: "codex", ID: inventory.ID{PID: 5, Start: 1}}, graph.FindingNone),
		server(11, graph.Owner{}, graph.FindingOrphaned), server(12, graph.Owner{}, graph.FindingNone),
	}}
	_, err := sight.Explain("fetch")
	if want := "fetch: 3 run here: 10 (of codex 5), 11 (orphaned) and 12 (owner unknown)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	sight.Asked.Snapshots = []string{"before.json"}
	_, err = sight.Explain("fetch")
	var advised *advice.Error
	if want := "reaperd explain --snapshot before.json 10   one of them; reaperd scan -o wide --snapshot before.json fetch   all"; !errors.As(err, &advised) || advised.Hint != want ||
		!strings.HasPrefix(err.Error(), "fetch: 3 are in the snapshot: ") {
		t.Errorf("of a snapshot: got %v, want the hint %s", err, want)
	}
	sight.Asked.Snapshots = nil
	session := func(pid int, folder string, finding graph.Finding) *graph.Target {
		p := &inventory.Process{PID: pid, Start: 1, Cwd: folder}
		return &graph.Target{ID: p.ID().String(), Kind: graph.KindSession, Name: "codex", Root: p, Finding: finding}
	}
	sight.View.Graph.Targets = append(sight.View.Graph.Targets, session(29, "/srv/site", graph.FindingNone), session(172, "/srv/api", graph.FindingIdle), session(180, "", graph.FindingNone))
	_, err = sight.Explain("codex")
	if want := "codex: 3 run here: 29 (in /srv/site), 172 (idle, in /srv/api) and 180 (owner unknown)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	of := session(181, "", graph.FindingIdle)
	of.Root.User = "dev"
	if got := standing(of); got != "idle of dev" {
		t.Errorf("got %q", got)
	}
	want := []string{"codex: 3 run here:", "  codex 29 (in /srv/site)", "  codex 172 (idle, in /srv/api)", "  codex 180 (owner unknown)"}
	if got := sight.Several([]string{"29", "codex", "fet*", "no-such"}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range []string{"unifi-a", "unifi-b"} {
		id := strings.Repeat(name, 9)
		sight.View.Graph.Targets = append(sight.View.Graph.Targets, &graph.Target{ID: id, Kind: graph.KindContainer, Name: "unifi", Container: &inventory.Container{ID: id, Name: "/" + name}})
	}
	_, err = sight.Explain("unifi")
	if want := "unifi: 2 run here: unifi-a (owner unknown) and unifi-b (owner unknown)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got, want := standing(server(9, graph.Owner{Name: "codex", ID: inventory.ID{PID: 5, Start: 1}}, graph.FindingDuplicate)), "an older copy of codex 5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for pid := 13; pid < 101; pid++ {
		sight.View.Graph.Targets = append(sight.View.Graph.Targets, server(pid, graph.Owner{}, graph.FindingOrphaned))
	}
	_, err = sight.Explain("fetch")
	if want := "fetch: 91 run here: 10 (of codex 5), 11 (orphaned), 12 (owner unknown), 13 (orphaned) and 87 more"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWhatANarrowedSweepDoesNotFindIsNamed(t *testing.T) {
	for want, order := range map[string]Order{
		"":                                      {},
		"No session here was seen idle for 8h.": {Ends: policy.Switches{IdleOver: 8 * time.Hour}},
		"No older copies here.":                 {Ends: policy.Switches{Duplicates: true}},
		"Nothing here for rule exited-leftovers.":                                  {Rules: []string{"exited-leftovers"}},
		"codex stays: it neither is an older copy that does nothing, nor has one.": {Named: []string{"codex"}, Ends: policy.Switches{Duplicates: true}},
	} {
		if got := (&Sweep{Sight: &Sight{}, Order: order}).nothing().Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	idle := policy.Verdict{Target: &graph.Target{Kind: graph.KindSession, Finding: graph.FindingIdle}, Rule: "idle-sessions", Action: policy.ActionReport}
	sight := &Sight{}
	sight.View.Verdicts = []policy.Verdict{idle, idle}
	if got, want := (&Sweep{Sight: sight, Order: Order{Rules: []string{"idle-sessions"}}}).nothing().Text, "2 sessions idle, and rule idle-sessions only reports."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsNamedAndStaysIsCalledAsEverywhere(t *testing.T) {
	target := func(id, name string) *graph.Target {
		return &graph.Target{ID: id, Kind: graph.KindServer, Name: name}
	}
	box := target("0123456789abcdef", "gitlab")
	box.Kind, box.Container = graph.KindContainer, &inventory.Container{ID: box.ID, Name: "/eager_fermi"}
	g := &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{
		target("6883:1", "mcp-server"), target("20:1", "fetch"), target("21:1", "fetch"), box, target("30:1", "git"), target("31:1", "git"), target("32:1", "git"), target("33:1", "git"),
	}}
	for words, want := range map[string]string{
		"6883":            "mcp-server 6883 stays.",
		"fetch":           "fetch 20 and fetch 21 stay.",
		"eager_fermi 20":  "fetch 20 and gitlab eager_fermi stay.",
		"git":             "git stays.", // these are four
		"no-such another": "no-such and another stay.",
	} {
		sight := &Sight{}
		sight.View.Graph, sight.sweeper = g, &sweep.Sweeper{}
		if got := (&Sweep{Sight: sight, Order: Order{Named: strings.Fields(words)}}).nothing().Text; got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}

func TestAnIdleSessionThatAGuardKeepsIsFound(t *testing.T) {
	idle := func(guard graph.Guard) policy.Verdict {
		return policy.Verdict{Target: &graph.Target{Kind: graph.KindSession, Finding: graph.FindingIdle}, Rule: "idle-over", Vetoes: []graph.Veto{{Guard: guard}}}
	}
	holds := func(pinned string) policy.Verdict {
		v := idle(graph.GuardPinned)
		v.Vetoes[0].For = pinned
		return v
	}
	protected := policy.Verdict{Target: &graph.Target{Kind: graph.KindSession, Finding: graph.FindingIdle, Idle: inventory.Known(9 * time.Hour)}, Protected: &policy.Protect{Name: "ours"}}
	early := protected
	early.Target = &graph.Target{Kind: graph.KindSession, Finding: graph.FindingIdle, Idle: inventory.Known(time.Hour)}
	for want, verdicts := range map[string][]policy.Verdict{
		"2 sessions here have done nothing for 8h, and are protected by the policy.": {protected, idle(graph.GuardProtected), early},
		"2 sessions here have done nothing for 8h, and are left alone.":              {protected, idle(graph.GuardPinned)},
		"1 session here has done nothing for 8h, and is pinned.":                     {idle(graph.GuardPinned)},
		"1 session here has done nothing for 8h, and is kept by the pin of 22.":      {holds("22:1")},
		"2 sessions here have done nothing for 8h, and are kept by pins.":            {idle(graph.GuardPinned), holds("22:1")},
		"3 sessions here have done nothing for 8h, and are left alone.":              {idle(graph.GuardPinned), idle(graph.GuardInUse), protected},
		"No session here was seen idle for 8h.":                                      {{Target: &graph.Target{Kind: graph.KindServer, Finding: graph.FindingOrphaned}, Rule: "orphaned-servers"}},
	} {
		sight := &Sight{}
		sight.View.Verdicts = verdicts
		if got := (&Sweep{Sight: sight, Order: Order{Ends: policy.Switches{IdleOver: 8 * time.Hour}, Rules: []string{"idle-over"}}}).nothing().Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheDeadlinesOfADaemonAreByItsOwnPolicy(t *testing.T) {
	due, shipped := time.Now(), policyfile.Shipped()
	daemon := &serve.State{Mode: policy.ModeEnforce, Ready: true, Pending: []serve.Pending{{ID: "22:1", DueAt: due, Rule: "orphaned-servers", With: "0a"}, {ID: "31:1"}}}
	sight := &Sight{Policy: shipped, state: state.Dir(t.TempDir())}
	for name, row := range map[string]struct {
		hash    string
		differs bool
	}{"the same policy": {shipped.Hash, false}, "a file of its own": {"0a1b", true}} {
		daemon.Policy.SHA256 = row.hash
		ends, by, differs := sight.deadlines(daemon)
		if want := (report.DueBy{Rule: "orphaned-servers", With: "0a"}); !differs && by["22:1"] != want || differs && len(by) > 0 {
			t.Errorf("%s: by %v", name, by)
		}
		if differs != row.differs || len(ends) != 1 || !ends["22:1"].Equal(due) {
			t.Errorf("%s: %v, differs %t", name, ends, differs)
		}
	}
	daemon.Mode = policy.ModeReport
	if ends, _, _ := sight.deadlines(daemon); len(ends) > 0 {
		t.Errorf("a daemon that only reports has deadlines: %v", ends)
	}
}

// A pause keeps a sweep from acting also where it began while the sweep was looking, or while
// its question was open.
func TestAPauseIsHeardUntilTheLastAct(t *testing.T) {
	dir := state.Dir(t.TempDir())
	sight := &Sight{Policy: policyfile.Shipped(), state: dir, host: &host.Host{}}
	if why, kept := sight.keptNow(&graph.Target{ID: "22:1"}); kept {
		t.Errorf("nobody has paused it, and it is kept: %s", why)
	}
	if err := dir.Pause(time.Now(), state.Pause{}); err != nil {
		t.Fatal(err)
	}
	if why, kept := sight.keptNow(&graph.Target{ID: "22:1"}); !kept || why != "it was paused since" {
		t.Errorf("kept %t: %q", kept, why)
	}
	sweep := &Sweep{Sight: sight}
	if _, _, err := sweep.Act(t.Context(), policy.Plan{Acts: []policy.Act{{TargetID: "22:1"}}}); err == nil || !strings.Contains(err.Error(), "paused") {
		t.Errorf("it acts while it is paused: %v", err)
	}
	if err := os.WriteFile(filepath.Join(string(dir), "pause.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, kept := sight.keptNow(&graph.Target{ID: "22:1"}); !kept {
		t.Error("whether it is paused cannot be told, and it is not kept")
	}
}

func TestADaemonInModeReportIsTold(t *testing.T) {
	enforce, report := policyfile.Shipped(), policyfile.Shipped().WithMode(policy.ModeReport, "a test")
	for _, row := range []struct {
		world string
		sight Sight
		noted bool
	}{
		{"a daemon that only reports", Sight{Policy: enforce, daemon: &serve.State{Mode: policy.ModeReport}}, true},
		{"the policy here only reports too", Sight{Policy: report, daemon: &serve.State{Mode: policy.ModeReport}}, false},
		{"a daemon that acts", Sight{Policy: enforce, daemon: &serve.State{Mode: policy.ModeEnforce}}, false},
		{"no daemon", Sight{Policy: enforce, daemon: &serve.State{}}, false},
	} {
		row.sight.others = &beside.Daemons{}
		if notes := row.sight.daemonNotes(); (len(notes) == 1 && strings.Contains(notes[0], "mode report")) != row.noted {
			t.Errorf("%s: %q", row.world, notes)
		}
	}
	sight := Sight{Policy: enforce, daemon: &serve.State{Mode: policy.ModeReport}, others: &beside.Daemons{{User: "root", PID: 7}}}
	want := "your daemon runs in mode report and stops nothing; root's daemon (process 7) decides by its own policy: sudo reaperd status"
	if notes := sight.daemonNotes(); !slices.Equal(notes, []string{want}) {
		t.Errorf("root's daemon acts: %q, want %q", notes, want)
	}
	sight.rootsRests = "is paused: it reaps nothing"
	want = "your daemon runs in mode report and stops nothing; root's daemon (process 7) is paused: it reaps nothing: sudo reaperd status"
	if notes := sight.daemonNotes(); !slices.Equal(notes, []string{want}) {
		t.Errorf("root's daemon is paused: %q, want %q", notes, want)
	}
	sight = Sight{Policy: enforce, others: &beside.Daemons{}, daemon: &serve.State{
		LastSweep: &serve.Sweep{}, Mode: policy.ModeReport, ModeFrom: policy.BesideSystem, Policy: serve.PolicyState{FileMode: policy.ModeEnforce},
	}}
	want = "root's daemon has ended: the daemon goes by its policy again, mode enforce, with its next look"
	if notes := sight.daemonNotes(); !slices.Equal(notes, []string{want}) || sight.rests(sight.daemon) != "is in mode report until its next look" {
		t.Errorf("root's daemon has ended: %q, want %q; it %s", notes, want, sight.rests(sight.daemon))
	}
}

// TestAReportIsOfOneAnswerOfTheDaemon: each answer of this daemon is another, so a
// report that asked twice would mix them.
func TestAReportIsOfOneAnswerOfTheDaemon(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sight.state, sight.host = state.Dir(t.TempDir()), &host.Host{}
	orphan := sight.View.Verdicts[0].Target.ID
	noon, asked := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), 0
	answers(t, sight.state.Socket(), func() serve.State {
		asked++
		return serve.State{
			Version: serve.Version, Mode: policy.ModeEnforce, Ready: true,
			Pending: []serve.Pending{{ID: orphan, DueAt: noon.Add(time.Duration(asked) * time.Hour)}},
			Leavers: []serve.Leaver{{Name: fmt.Sprintf("claude-%d", asked), PID: 12, ID: "12:900", Left: []serve.Left{{ID: orphan, Kind: "server", Handle: "56"}}}},
		}
	})
	sight.Recall(t.Context())
	in := sight.Report("scan")
	said := sight.Ended(t.Context(), "12", nil).Text
	if !in.Due[orphan].Equal(noon.Add(time.Hour)) || said != "claude-1 12 ended, left 1 server: 56. The daemon stops it now." || asked != 1 {
		t.Errorf("asked %d times; due %s, %q", asked, in.Due[orphan], said)
	}
	sight.Recall(t.Context())
	if in := sight.Report("scan"); !in.Due[orphan].Equal(noon.Add(2 * time.Hour)) {
		t.Errorf("asked again, it is due %s", in.Due[orphan])
	}
}

func TestAReportTellsOfADaemonThatDoesNotAnswer(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sight.state, sight.host = state.Dir(t.TempDir()), &host.Host{}
	listener, err := net.Listen("unix", sight.state.Socket()) // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	sight.Recall(ctx)
	if in := sight.Report("scan"); len(in.Notes) != 1 || !strings.HasPrefix(in.Notes[0], "a daemon runs and does not answer") || in.Paused || in.DaemonRests != "does not answer" {
		t.Errorf("%+v", in.Notes)
	}
	listener.Close()
	sight.Recall(t.Context())
	if in := sight.Report("scan"); len(in.Notes) > 0 || in.DaemonRests != "" {
		t.Errorf("none runs: %+v", in.Notes)
	}
}

func TestAReportTellsOfADaemonThatActsOnNothing(t *testing.T) {
	why := "nothing is acted on: the journal takes no record"
	for _, row := range []struct {
		world string
		is    serve.State
		want  []string
	}{
		{"it acts", serve.State{Ready: true, Mode: policy.ModeEnforce, LastSweep: &serve.Sweep{}}, nil},
		{"it has just started", serve.State{NotReady: "no sweep has succeeded yet", Mode: policy.ModeEnforce}, nil},
		{"its disk got full", serve.State{NoRoomIn: "/var/lib/reaperd", Mode: policy.ModeEnforce, LastSweep: &serve.Sweep{}}, []string{"the daemon's disk is full, and nothing can be pinned or paused; reaperd status says more"}},
		{"its disk was full from the start", serve.State{NotReady: why, Mode: policy.ModeEnforce, LastSweep: &serve.Sweep{}}, []string{"the daemon is not well, " + why + "; reaperd status says more"}},
	} {
		sight := &Sight{Policy: policyfile.Shipped(), daemon: &row.is}
		if got := sight.daemonNotes(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q", row.world, got)
		}
	}
}

// answers plays the daemon behind a socket.
func answers(t *testing.T, socket string, state func() serve.State) {
	t.Helper()
	listens(t, socket, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(state())
	}))
}

// listens serves a daemon's part behind a socket.
func listens(t *testing.T, socket string, handler http.Handler) {
	t.Helper()
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	daemon := httptest.NewUnstartedServer(handler)
	daemon.Listener.Close()
	daemon.Listener = listener
	daemon.Start()
	t.Cleanup(daemon.Close)
}

func TestANoteSaysWhyNothingIsIdleYet(t *testing.T) {
	sweep := &Sweep{Sight: recorded(t, policyfile.Shipped()), Order: Order{Ends: policy.Switches{IdleOver: 8 * time.Hour}, Asked: asked.Look{IdleOver: "8h", Names: []string{"codex"}}}}
	if notes := sweep.Notes(); len(notes) > 0 {
		t.Errorf("no session runs: %q", notes)
	}
	sweep.View.Verdicts = append(sweep.View.Verdicts, policy.Verdict{Target: &graph.Target{ID: "87:1", Name: "codex", Kind: graph.KindSession}})
	notes := sweep.Notes()
	if len(notes) != 2 || !strings.Contains(notes[0], "No daemon answers, so only the looks of this sweep count, 24s apart") || !strings.HasSuffix(notes[1], "   starts a daemon, which looks all the time") {
		t.Errorf("notes %q", notes)
	}
	p := &inventory.Process{PID: 87, Start: 1, UID: inventory.Known(1000)}
	sweep.View.Graph.Sessions = append(sweep.View.Graph.Sessions, graph.Session{Name: "codex", Process: p})
	for want, others := range map[string]beside.Daemons{
		"only root's daemon knows for how long: sudo reaperd sweep --idle-over 8h --dry-run codex":       {{User: "root", PID: 7}},
		"only dev's daemon knows for how long: su dev -c 'reaperd sweep --idle-over 8h --dry-run codex'": {{User: "ann", UID: 1001, PID: 8}, {User: "dev", UID: 1000, PID: 7}},
	} {
		sweep.others = &others
		if notes := sweep.Notes(); len(notes) != 1 || !strings.HasSuffix(notes[0], want) {
			t.Errorf("another's daemon looks all the time: %q", notes)
		}
	}
	sweep.View.Graph.Sessions[len(sweep.View.Graph.Sessions)-1].Containers = 1
	sweep.others = &beside.Daemons{{User: "dev", UID: 1000, PID: 7}}
	if notes := sweep.Notes(); len(notes) != 2 || !strings.Contains(notes[0], "No daemon of root answers") {
		t.Errorf("a user's daemon cannot measure a container: %q", notes)
	}
	free := &inventory.Process{PID: 88, Start: 1, UID: inventory.Known(1000)}
	both := graph.Session{Name: "goose", Process: free, Target: &graph.Target{ID: "88:1", Name: "goose", Kind: graph.KindSession, Root: free}}
	sweep.View.Graph.Sessions[len(sweep.View.Graph.Sessions)-1].Target = &graph.Target{ID: "87:1", Name: "codex", Kind: graph.KindSession, Root: p}
	sweep.View.Graph.Sessions, sweep.Order.Named = append(sweep.View.Graph.Sessions, both), nil
	const apart = "only dev's daemon knows for how long, but not of codex 87: su dev -c 'reaperd sweep --idle-over 8h --dry-run codex'"
	if notes := sweep.Notes(); len(notes) < 2 || !strings.Contains(notes[0], apart) || !strings.Contains(notes[1], "   starts a daemon of root, which looks all the time, also at what a container does") {
		t.Errorf("of two sessions one holds a container: %q", notes)
	}
	sweep.View.Graph.Sessions, sweep.Order.Named = sweep.View.Graph.Sessions[:len(sweep.View.Graph.Sessions)-1], []string{"codex"}
	sweep.others = &beside.Daemons{{User: "ann", UID: 1001, PID: 8}}
	sweep.Ends.IdleOver, sweep.Order.Asked.IdleOver = 5*time.Minute, "5m"
	if notes := sweep.Notes(); len(notes) != 2 || !strings.HasSuffix(notes[1], "   starts a daemon, which looks all the time; reaperd sweep --idle-over 5m --settle 5m codex   looks for long enough") {
		t.Errorf("a few minutes: %q", notes)
	}
	sweep.Ends.IdleOver = 0
	if notes := sweep.Notes(); len(notes) > 0 {
		t.Errorf("nobody asked about idle sessions: %q", notes)
	}
}

func TestOlderCopiesThatAreNotIdleForLongEnoughAreTold(t *testing.T) {
	older := func(idle time.Duration) *graph.Target {
		return &graph.Target{ID: "10:1", Kind: graph.KindServer, Finding: graph.FindingDuplicate, Idle: inventory.Known(idle)}
	}
	p, order, err := Order{Ends: policy.Switches{Duplicates: true}, DryRun: true, Asked: asked.Look{Duplicates: true, Settle: "10s"}}.By(policyfile.Shipped(), state.Dir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	sight := recorded(t, p)
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{older(time.Minute), older(174 * time.Second)}}
	const want = "2 older copies here, seen idle for 2m 54s so far at the longest; rule duplicates wants 30m (idle_for)."
	if got := (&Sweep{Sight: sight, Order: order}).nothing().Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	alone := (&Sweep{Sight: sight, Order: order}).Notes()
	if len(alone) != 2 || !strings.HasSuffix(alone[1], "   starts a daemon, which looks all the time") {
		t.Errorf("nobody has looked for longer: %q", alone)
	}
	sight.sweeper.Recalled.Sessions = map[inventory.ID]usage.Watched{}
	if notes := (&Sweep{Sight: sight, Order: order}).Notes(); !slices.Equal(notes, []string{"hint: reaperd sweep --duplicates --settle 10s   once the older copies have been idle for 30m"}) {
		t.Errorf("a daemon has looked for longer: %q", notes)
	}
}

// TestASweepKnowsWhatTheDaemonHasSeen: whose the orphans were, for the journal.
func TestASweepKnowsWhatTheDaemonHasSeen(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	sight.state, sight.host = state.Dir(t.TempDir()), &host.Host{}
	gone := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	leaver := serve.Leaver{Name: "claude-code", PID: 12, ID: "12:900", Since: gone}
	for _, v := range sight.View.Verdicts {
		v.Target.Owner = graph.Owner{Liveness: graph.LivenessGone} // the sweep has not seen who had it
		leaver.Left = append(leaver.Left, serve.Left{ID: v.Target.ID})
	}
	answers(t, sight.state.Socket(), func() serve.State { return serve.State{Version: serve.Version, Leavers: []serve.Leaver{leaver}} })
	sight.Recall(t.Context())
	sweep := &Sweep{Sight: sight}
	plan, err := sweep.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range plan.Acts {
		if act.Owner.Name != "claude-code" || act.Owner.ID.PID != 12 || !act.OwnerGoneSince.Equal(gone) {
			t.Errorf("%s: the owner in the plan is %+v, gone since %s", act.Name, act.Owner, act.OwnerGoneSince)
		}
	}
}

func TestANoteSaysWhatNowDoesNotReach(t *testing.T) {
	server := func(pid int, decision policy.Decision, needs time.Duration) policy.Verdict {
		p := &inventory.Process{PID: pid, Start: 1}
		t := &graph.Target{ID: p.ID().String(), Kind: graph.KindServer, Name: "fetch", Root: p, Members: []*inventory.Process{p}}
		return policy.Verdict{Target: t, Decision: decision, Rule: "disconnected-servers", For: 30 * time.Second, Needs: needs}
	}
	sight := recorded(t, policyfile.Shipped())
	sight.View.Verdicts = []policy.Verdict{server(10, policy.Pending, 30*time.Second), server(11, policy.Reap, 0), server(12, policy.Pending, 30*time.Second)}
	sweep := &Sweep{Sight: sight, Order: Order{Named: []string{"10", "11"}, Ends: policy.Switches{Now: true}}}
	want := []string{"note: fetch 10 waits all the same: --now is for what nobody owns; here the 30s of rule disconnected-servers are part of the proof"}
	if got := sweep.Notes(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sweep.Ends.Now = false
	if got := sweep.Notes(); len(got) > 0 {
		t.Errorf("without --now: %q", got)
	}
}

func TestASnapshotThatCannotBeReadIsNamedWithEachFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, filepath.Join(t.TempDir(), "none.json")} {
		var advised *advice.Error
		if _, err := Replay(policyfile.Shipped(), []string{file}, nil); !errors.As(err, &advised) || !advised.Misuse || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A sweep by hand leaves to the daemon what that has begun to end, and says so.
func TestWhatTheDaemonEndsIsNotEndedTwice(t *testing.T) {
	sight := recorded(t, policyfile.Shipped())
	before := len((&Sweep{Sight: sight}).plan().Acts)
	target := (&Sweep{Sight: sight}).plan().Acts[0].TargetID
	sight.daemon = &serve.State{UnderWay: []serve.Begun{{Target: target, Name: "fetch", Rule: "orphaned-containers", Action: policy.ActionRemove}}}
	sight.View.Verdicts = policy.Judge(sight.View.Graph, sight.Policy, policy.JudgeOptions{OneShot: true, UnderWay: sight.underWay()})
	plan := (&Sweep{Sight: sight}).plan()
	if slices.ContainsFunc(plan.Acts, func(a policy.Act) bool { return a.TargetID == target }) || len(plan.Acts) >= before {
		t.Errorf("it is planned again: %d acts, were %d", len(plan.Acts), before)
	}
}

func TestANamedSessionThatIsNotIdleForLongEnoughIsTold(t *testing.T) {
	session := func(idle inventory.Fact[time.Duration]) *graph.Target {
		return &graph.Target{ID: "87:1", Name: "codex", Kind: graph.KindSession, Idle: idle, Incidental: true}
	}
	found := session(inventory.Known(time.Hour)) // by a rule that only reports idle sessions
	found.Finding, found.Incidental = graph.FindingIdle, false
	roots := inventory.Process{PID: 90, Start: 1, UID: inventory.Known(0), IOChars: inventory.Unreadable[uint64]()}
	for _, row := range []struct {
		world  string
		over   time.Duration
		target *graph.Target
		last   usage.Sign
		want   string
	}{
		{"nobody asked about idle sessions", 0, session(inventory.Known(time.Minute)), "", "note: codex 87 is a live session and in use: a sweep stops sessions only with --idle-over, or by a rule of kind session"},
		{"it worked a little while ago", time.Minute, session(inventory.Known(31 * time.Second)), usage.SignIO, "note: codex 87 stays: seen idle for 31s, less than the 1m asked for"},
		{"it works", time.Minute, session(inventory.Fact[time.Duration]{}), usage.SignIO, "note: codex 87 stays: it was at work a moment ago: it reads or writes"},
		{"somebody types on its terminal", time.Minute, session(inventory.Known(time.Duration(0))), usage.SignTerminal, "note: codex 87 stays: it was at work a moment ago: its terminal is used"},
		{"a process of it cannot be read", time.Minute, session(inventory.Fact[time.Duration]{}), usage.SignUnknown, "note: codex 87 stays: process 90 is another user's and cannot be measured here: sudo reaperd sweep --idle-over 1m --settle 1m codex"},
		{"a rule reports that it is idle, and nobody asked", 0, found, usage.SignIO, "note: codex 87 is a live session: a sweep stops sessions, idle ones too, only with --idle-over, or by a rule of kind session"},
		{"a rule reports that it is idle, for less than was asked for", 2 * time.Hour, found, usage.SignIO, "note: codex 87 stays: seen idle for 1h, less than the 2h asked for"},
		{"it is idle for that long, and something else keeps it", time.Minute, session(inventory.Known(time.Hour)), usage.SignIO, "note: codex 87 stays: no rule acts on it"},
	} {
		sight := &Sight{}
		activity := usage.Activity{Last: usage.Use{Sign: row.last}}
		if row.last == usage.SignUnknown {
			activity.Last.PID = roots.PID
		}
		look := &inventory.Snapshot{Host: inventory.Host{UID: inventory.Known(1000)}, Processes: []inventory.Process{roots}}
		sight.View.Graph = &graph.Graph{Snapshot: look, Sessions: []graph.Session{{Target: row.target, Activity: activity}}}
		sight.View.Verdicts = []policy.Verdict{{Target: row.target, Decision: policy.Keep, Reason: "no rule acts on it"}}
		order := Order{Named: []string{"codex"}, Ends: policy.Switches{IdleOver: row.over}, Asked: asked.Look{Names: []string{"codex"}, IdleOver: "1m"}}
		sweep := &Sweep{Sight: sight, Order: order}
		if got := sweep.sessionNotes(); !slices.Equal(got, []string{row.want}) {
			t.Errorf("%s: %q", row.world, got)
		}
		if longer := len(sweep.idleNotes()) > 0; longer != (row.over > 0 && row.last != usage.SignUnknown) {
			t.Errorf("%s: a longer look is offered: %v", row.world, longer)
		}
	}
}

// TestSessionsThatAreNotIdleForLongEnoughAreTold: each with its name, the longest idle first.
// What they did before the first look is not known, and so it is not denied that they did
// nothing.
func TestSessionsThatAreNotIdleForLongEnoughAreTold(t *testing.T) {
	session := func(pid int, idle time.Duration) policy.Verdict {
		target := &graph.Target{ID: fmt.Sprintf("%d:1", pid), Name: "codex", Kind: graph.KindSession, Idle: inventory.Known(idle), Incidental: true}
		return policy.Verdict{Target: target, Decision: policy.Keep}
	}
	server := policy.Verdict{Target: &graph.Target{Kind: graph.KindServer, Idle: inventory.Known(20 * time.Second)}, Decision: policy.Keep}
	due := session(1, 2*time.Minute)
	due.Rule, due.Decision = "idle-over", policy.Reap
	const none = "No session here was seen idle for 1m."
	hint := func(who string) string {
		return "hint: reaperd sweep --idle-over 1m   once " + who + " been idle for 1m"
	}
	early := func(pid int, idle string) string {
		return fmt.Sprintf("note: codex %d stays: seen idle for %s, less than the 1m asked for", pid, idle)
	}
	for _, row := range []struct {
		world    string
		verdicts []policy.Verdict
		want     []string
	}{
		{"two of three", []policy.Verdict{session(3, 14*time.Second), session(2, 0), session(4, 24*time.Second), server},
			[]string{early(4, "24s"), early(3, "14s"), "note: codex 2 stays: it was at work a moment ago", hint("the sessions have")}},
		{"one, beside one at work", []policy.Verdict{session(2, 0), session(3, 14*time.Second)}, []string{early(3, "14s"), "note: codex 2 stays: it was at work a moment ago", hint("the session has")}},
		{"beside one that is stopped", []policy.Verdict{due, session(3, 45*time.Second)}, []string{early(3, "45s")}},
		{"all are at work", []policy.Verdict{session(2, 0), server}, []string{"note: codex 2 stays: it was at work a moment ago"}},
		{"many", []policy.Verdict{session(2, 0), session(3, 0), session(4, 0), session(5, 0), session(6, 30*time.Second)},
			[]string{early(6, "30s"), "note: codex 2 stays: it was at work a moment ago", "note: codex 3 stays: it was at work a moment ago", "note: codex 4 and codex 5 stay too; reaperd explain says why", hint("the session has")}},
		{"there is none", nil, nil},
	} {
		sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: &policy.Policy{}}
		sight.View.Verdicts = row.verdicts
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}}
		s := &Sweep{Sight: sight, Order: Order{Ends: policy.Switches{IdleOver: time.Minute}, Asked: asked.Look{IdleOver: "1m"}, Rules: []string{"idle-over"}}}
		if got := s.nothing().Text; got != none {
			t.Errorf("%s: %q", row.world, got)
		}
		if got := s.Notes(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestTheNextStepForASessionThatIsNotIdleForLongEnough: it names the command to type later. Where
// nobody has watched the session for longer, the note says so.
func TestTheNextStepForASessionThatIsNotIdleForLongEnough(t *testing.T) {
	session := &graph.Target{ID: "87:1", Name: "codex", Kind: graph.KindSession, Incidental: true}
	const hint = "hint: reaperd sweep --idle-over 5m codex   once the session has been idle for 5m"
	for _, row := range []struct {
		world   string
		idle    time.Duration
		atLeast bool
		pins    []graph.Veto
		want    []string
	}{
		{"it was in use a minute ago", time.Minute, false, nil, []string{"note: codex 87 stays: seen idle for 1m, less than the 5m asked for", hint}},
		{"the daemon has just started", time.Minute, true, nil, []string{"note: codex 87 stays: seen idle for 1m so far, since it was first looked at, less than the 5m asked for", hint}},
		{"it works", 0, false, nil, []string{"note: codex 87 stays: it was at work a moment ago: it reads or writes"}},
		{"it is pinned", time.Minute, false, []graph.Veto{{Guard: graph.GuardPinned}},
			[]string{"note: codex 87 stays: seen idle for 1m, less than the 5m asked for; it is pinned too: reaperd unpin 87 ends that"}},
		{"it marks itself as one to keep", time.Minute, false, []graph.Veto{{Guard: graph.GuardPinned, Marked: true, Text: "REAPERD_KEEP is set"}},
			[]string{"note: codex 87 stays: seen idle for 1m, less than the 5m asked for; it is kept too: REAPERD_KEEP is set"}},
	} {
		session.Idle, session.Vetoes = inventory.Known(row.idle), row.pins
		sight := &Sight{sweeper: &sweep.Sweeper{Recalled: sweep.Recalled{Sessions: map[inventory.ID]usage.Watched{}}}, Policy: &policy.Policy{}}
		sight.View.Graph = &graph.Graph{Targets: []*graph.Target{session}, Sessions: []graph.Session{{Target: session, Activity: usage.Activity{AtLeast: row.atLeast, Last: usage.Use{Sign: usage.SignIO}}}}}
		sight.View.Verdicts = []policy.Verdict{{Target: session}}
		order := Order{Named: []string{"codex"}, Ends: policy.Switches{IdleOver: 5 * time.Minute}, Asked: asked.Look{IdleOver: "5m", Names: []string{"codex"}}}
		if got := (&Sweep{Sight: sight, Order: order}).Notes(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q", row.world, got)
		}
	}
}

func TestAProcessInAContainerIsExplainedByIt(t *testing.T) {
	mcp, other, gone := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64)
	sight := &Sight{}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Targets: []*graph.Target{
		{ID: mcp, Kind: graph.KindContainer, Name: "unifi", Container: &inventory.Container{ID: mcp}},
		{ID: other, Kind: graph.KindContainer, Name: "agents", Container: &inventory.Container{ID: other}, Incidental: true},
	}}
	for _, row := range []struct {
		world, container, in, why string
	}{
		{"a process of the host", "", "", ""},
		{"a process of an MCP container", mcp, mcp, ""},
		{"a process of a container in which agents run", other, "", ""},
		{"a process of a container that no engine told of", gone, "", "it runs in container cccccccccccc, which no engine here knows"},
	} {
		got := sight.otherProcess(&inventory.Process{PID: 7, ContainerID: row.container}, report.Input{})
		in := ""
		if got.Container != nil {
			in = got.Container.ID
		}
		if in != row.in || got.Why != row.why {
			t.Errorf("%s: in %q, %q", row.world, in, got.Why)
		}
	}
}

// TestAProcessInAContainerThatNoEngineCouldTellOfIsUnclear: the explanation is as incomplete as the look.
func TestAProcessInAContainerThatNoEngineCouldTellOfIsUnclear(t *testing.T) {
	docker := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "permission denied"}
	podman := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusOK}
	absent := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent}
	inside := inventory.Process{PID: 7, State: "S", ContainerID: strings.Repeat("c", 64)}
	exited := inside
	exited.State = "Z"
	for _, row := range []struct {
		world   string
		sources []inventory.Source
		process inventory.Process
		unread  string
	}{
		{"its engine may be the one that was not read", []inventory.Source{podman, docker}, inside, "docker could not be read: permission denied"},
		{"all were read", []inventory.Source{podman}, inside, ""},
		{"there is none", []inventory.Source{absent}, inside, ""},
		{"it has exited", []inventory.Source{docker}, exited, ""},
		{"it runs on the host", []inventory.Source{docker}, inventory.Process{PID: 7, State: "S"}, ""},
	} {
		sight := &Sight{}
		sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{Sources: row.sources}}
		got := &Explanation{process: sight.otherProcess(&row.process, report.Input{})}
		if got.process.Unread != row.unread || got.RestsOnUnread() != (row.unread != "") {
			t.Errorf("%s: %q, %v", row.world, got.process.Unread, got.RestsOnUnread())
		}
	}
}
