package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// targetOf returns the id of the first target for which the claim is true.
func targetOf(t *testing.T, in Input, claim func(*policy.Verdict) bool) string {
	t.Helper()
	for i := range in.Verdicts {
		if claim(&in.Verdicts[i]) {
			return in.Verdicts[i].Target.ID
		}
	}
	t.Fatal("the world has no such target")
	return ""
}

func TestExplainSaysWhyAndWhatComesOfIt(t *testing.T) {
	reaped := func(v *policy.Verdict) bool { return v.Decision == policy.Reap }
	tests := []struct {
		name    string
		world   *world
		options Options
		which   func(*policy.Verdict) bool
	}{
		{"explain-orphan", dollhouse(), screenOf(100), reaped},
		{"explain-orphan-60", dollhouse(), Options{Width: 60, Home: "/home/dev"}, reaped},
		{"explain-orphan-40", dollhouse(), Options{Width: 40, Home: "/home/dev"}, reaped},
		{"explain-in-use", dollhouse(), screenOf(100), func(v *policy.Verdict) bool { return shelfOf(v) == inUse }},
		{"explain-unclear", dollhouse(), screenOf(100), func(v *policy.Verdict) bool { return shelfOf(v) == noted }},
		{"explain-pending", hoarder(), screenOf(100), func(v *policy.Verdict) bool { return v.Decision == policy.Pending }},
		{"explain-container", unifi(), screenOf(100), reaped},
		{"explain-duplicate", dialpad(), screenOf(100), func(v *policy.Verdict) bool { return v.Target.Generation > 2 }},
		{"explain-pinned", pinned(), screenOf(100), func(v *policy.Verdict) bool { return len(v.Vetoes) > 0 }},
		{"explain-ends-with", runnerLeft(), screenOf(100), func(v *policy.Verdict) bool { return v.EndsWith != "" }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := test.world.input()
			var b bytes.Buffer
			if err := Explain(&b, in, targetOf(t, in, test.which), test.options); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name, b.Bytes())
		})
	}
}

func TestExplainASession(t *testing.T) {
	in := dollhouse().input()
	var b bytes.Buffer
	if err := Explain(&b, in, in.Graph.Sessions[0].Process.ID().String(), screenOf(100)); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-session", b.Bytes())
	alone := b.String()
	in.Notes = []string{"docker is absent"}
	b.Reset()
	if err := Explain(&b, in, in.Graph.Sessions[0].Process.ID().String(), screenOf(100)); err != nil || b.String() != alone+"\nnote: docker is absent\n" {
		t.Errorf("%v, with a note:\n%s", err, b.String())
	}
}

func TestExplainWhatIsNoServer(t *testing.T) {
	var b bytes.Buffer
	vim := &inventory.Process{PID: 4711, Comm: "vim", Argv: []string{"vim", "mcp-notes.md"}, PPID: inventory.Known(88)}
	if err := (OtherProcess{Process: vim}).Explain(&b, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-vim", b.Bytes())
}

// What becomes of a process in an MCP container is decided about the container: that reaperd
// never touches it would be false.
func TestExplainAProcessOfAContainer(t *testing.T) {
	w := newWorld("linux", 4)
	box := w.container("unifi-mcp", "unifi-a", "mcp/unifi", time.Hour, megabyte)
	w.keep(box)
	other := OtherProcess{Process: &inventory.Process{PID: 307, Comm: "server", Argv: []string{"/server"}, PPID: inventory.Known(1)}, Container: box, In: w.input()}
	var b bytes.Buffer
	if err := other.Explain(&b, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	const want = `307 (server) runs in container unifi-a (unifi-mcp), which is judged as one thing.

what       server
parent     process 1
see also   reaperd explain unifi-a
`
	if b.String() != want || other.Reason() != "it runs in container unifi-a (unifi-mcp), which is judged as one thing" {
		t.Errorf("got\n%s%s", b.String(), other.Reason())
	}
}

// TestWhatRunsInAnUnreadContainerIsNotSaidToBeNoServer: root may be able to tell what it is.
func TestWhatRunsInAnUnreadContainerIsNotSaidToBeNoServer(t *testing.T) {
	const unclear = "runs in container cccccccccccc, and what it is cannot be told: docker could not be read: permission denied"
	for gap, want := range map[inventory.Gap]string{
		inventory.GapDenied: "307 (server) " + unclear + ".\n\nwhat       server\nparent     process 1\nsee also   sudo reaperd explain 307\n",
		"":                  "307 (server) " + unclear + ".\n\nwhat       server\nparent     process 1\n",
	} {
		w := newWorld("linux", 4)
		w.last.Sources[1].Status, w.last.Sources[1].Gaps = inventory.StatusError, []inventory.Gap{gap}
		p := &inventory.Process{PID: 307, Comm: "server", Argv: []string{"/server"}, PPID: inventory.Known(1), ContainerID: strings.Repeat("c", 64)}
		other := OtherProcess{Process: p, Unread: "docker could not be read: permission denied", In: w.input()}
		var b bytes.Buffer
		if err := other.Explain(&b, screenOf(120)); err != nil {
			t.Fatal(err)
		}
		if b.String() != want || other.Reason() != "it "+unclear || other.Brief() != "307 (server) "+unclear {
			t.Errorf("got\n%s%s\n%s", b.String(), other.Reason(), other.Brief())
		}
	}
}

func TestExplainAZombie(t *testing.T) {
	var b bytes.Buffer
	zombie := &inventory.Process{PID: 65, Comm: "node", State: "Z", PPID: inventory.Known(21)}
	other := OtherProcess{Process: zombie, Parent: &inventory.Process{PID: 21, Comm: "codex"}, Told: true}
	if err := other.Explain(&b, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	const want = "65 (node) is a zombie: it has exited, and its parent, codex 21, has not waited for it yet.\n"
	if !strings.HasPrefix(b.String(), want) || strings.Contains(b.String(), "MCP server") || other.Reason() != "it is"+strings.TrimSuffix(want[len("65 (node) is"):], ".\n") {
		t.Errorf("got\n%s%s", b.String(), other.Reason())
	}
}

// One of a gateway's zombies is explained by its gateway.
func TestExplainAZombieOfAGateway(t *testing.T) {
	in := hoarder().input()
	gateway, _ := in.Graph.Target(targetOf(t, in, func(v *policy.Verdict) bool { return v.Target.Zombies > 0 }))
	zombie := &inventory.Process{PID: 65, Comm: "docker", State: "Z", PPID: inventory.Known(gateway.Root.PID), StartedAt: ago(time.Hour)}
	var b bytes.Buffer
	if err := (OtherProcess{Process: zombie, Parent: gateway.Root, Told: true, In: in}).Explain(&b, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-zombie", b.Bytes())
}

// What keeps a target from a rule is a number or a time: both are told.
func TestExplainTellsWhatARuleWaitsFor(t *testing.T) {
	w := newWorld("linux", 40)
	gateway := owned(w.server("docker-mcp", 710, time.Hour, megabyte, "docker", "mcp", "gateway", "run"), w.session("claude-code", 701, time.Hour, "/home/dev/src", 0), "claude-code 701 holds its stdin")
	gateway.Kind, gateway.Zombies = graph.KindGateway, 12
	w.keep(gateway).Threshold = &policy.Threshold{Rule: "zombie-gateways", Origin: policy.Origin{File: "built-in", Line: 107}, Action: policy.ActionTerminate,
		Key: "zombies_over", Wants: "100 zombies", Has: "12"}
	var b bytes.Buffer
	if err := Explain(&b, w.input(), gateway.ID, screenOf(140)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"12 zombies", "rule       none yet: zombie-gateways, built-in:107, would stop it at 100 zombies (zombies_over); it has 12\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestExplainOfWhatIsNotThereIsAnError(t *testing.T) {
	in := dollhouse().input()
	var missing noTargetError
	if err := Explain(&bytes.Buffer{}, in, "1:1", screenOf(100)); !errors.As(err, &missing) || missing.ID != "1:1" {
		t.Errorf("Explain: %v", err)
	}
	if _, err := ExplainJSON(in, "1:1"); !errors.As(err, &missing) {
		t.Errorf("ExplainJSON: %v", err)
	}
}

func TestExplainJSONHoldsTheTargetOfTheScan(t *testing.T) {
	in := dollhouse().input()
	id := targetOf(t, in, func(v *policy.Verdict) bool { return v.Decision == policy.Reap })
	data, err := ExplainJSON(in, id)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version    int
		Target     map[string]any
		RuleOrigin string  `json:"rule_origin"`
		For        float64 `json:"for_seconds"`
		Held       float64 `json:"held_seconds"`
		Looks      int
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != 1 || got.Target["id"] != id || got.RuleOrigin != "built-in:31" || got.For != 30 || got.Held <= 0 || got.Looks != 2 {
		t.Errorf("got %+v", got)
	}
	data, err = ExplainJSON(in, in.Graph.Sessions[0].Process.ID().String())
	var session struct {
		Session map[string]any
		Holds   []struct{ ID, Decision string }
	}
	if err != nil || json.Unmarshal(data, &session) != nil {
		t.Fatalf("session: %s, %v", data, err)
	}
	if len(session.Holds) == 0 || float64(len(session.Holds)) != session.Session["servers"].(float64) {
		t.Errorf("it holds %v, and the session has %v servers", session.Holds, session.Session["servers"])
	}
	for _, held := range session.Holds {
		if _, found := in.Graph.Target(held.ID); !found || held.Decision == "" {
			t.Errorf("no target of the scan: %+v", held)
		}
	}
}

func TestExplainSaysHowLongTheRuleWantsItToHold(t *testing.T) {
	orphan := func(edit func(*policy.Verdict)) *world {
		w := newWorld("linux", 40)
		server := orphaned(w.server("gomcp", 5100, time.Minute, 25*megabyte, "gomcp"), gone("codex", 77, time.Minute))
		server.Held = 24 * time.Second
		v := w.decide(server, policy.Reap, "orphaned-servers", policy.ActionTerminate)
		edit(v)
		return w
	}
	for _, row := range []struct {
		world string
		edit  func(*policy.Verdict)
		want  string
	}{
		{"as seen", func(*policy.Verdict) {}, "rule       orphaned-servers, built-in:31; for: 30s, orphaned for 1m, agreed by 2 looks\n"},
		{"a one-shot", func(v *policy.Verdict) { v.Held = time.Minute }, "; for: 30s; a sweep by hand counts its age, 1m\n"},
		{"its client lives", func(v *policy.Verdict) { v.Decision, v.For, v.Needs = policy.Pending, 5*time.Second, 11*time.Second }, "; for: 5s, but more than 10s while its client lives, held 24s"},
		{"a rule without for", func(v *policy.Verdict) { v.For = 0 }, "; orphaned for 1m, agreed by 2 looks\n"},
		{"with its gateway", func(v *policy.Verdict) { v.With, v.For, v.Held = "9:9", 0, 0 }, "built-in:31\n"},
	} {
		w := orphan(row.edit)
		var out strings.Builder
		if err := Explain(&out, w.input(), w.verdicts[0].Target.ID, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, out.String())
		}
	}
}

func TestExplainHasTheNotesOfTheReport(t *testing.T) {
	in := dollhouse().input()
	in.Notes = []string{"nothing is reaped: paused until noon; reaperd resume ends it"}
	id := targetOf(t, in, func(v *policy.Verdict) bool { return v.Decision == policy.Reap })
	var out strings.Builder
	if err := Explain(&out, in, id, Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if want := "\n\nnote: nothing is reaped: paused until noon; reaperd resume ends it\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("no %q at the end of\n%s", want, out.String())
	}
}

// pinned has an orphan that somebody has pinned.
func pinned() *world {
	w := newWorld("linux", 40)
	t := orphaned(w.server("playwright-mcp", 31877, 26*time.Hour, 90*megabyte, "npx", "@playwright/mcp@latest"), gone("claude-code", 21655, time.Hour))
	v := w.decide(t, policy.Keep, "orphaned-servers", policy.ActionTerminate)
	v.Vetoes = []graph.Veto{{Guard: graph.GuardPinned, Text: "pinned until 18:00"}}
	v.Reason = `rule "orphaned-servers" would stop it, but pinned until 18:00`
	return w
}

// runnerLeft has a container that is reaped. Its runner is kept, since it ends by itself.
func runnerLeft() *world {
	w := newWorld("linux", 40)
	runner := w.server("gomcp", 5100, time.Hour, 25*megabyte, "docker", "run", "--rm", "-i", "mcp/gomcp")
	box := w.container("gomcp", "sad_curie", "mcp/gomcp", time.Hour, 30*megabyte)
	box.Runner, runner.Containers = runner.ID, []string{box.ID}
	w.decide(orphaned(box, gone("codex", 77, time.Minute)), policy.Reap, "orphaned-containers", policy.ActionRemove)
	w.keep(runner).EndsWith = box.ID
	return w
}

func TestTheWayToStopAnIdleSessionActs(t *testing.T) {
	for mode, want := range map[policy.Mode]string{
		policy.ModeEnforce: "\nthis once  reaperd sweep --idle-over 2h 87\nto act ",
		policy.ModeReport:  "\nthis once  reaperd sweep --mode enforce --idle-over 2h 87\nto act ",
	} {
		w := newWorld("linux", 4)
		target := w.server("codex", 87, 5*time.Hour, megabyte, "codex")
		target.Kind, target.Finding, target.Idle = graph.KindSession, graph.FindingIdle, inventory.Known(2*time.Hour+9*time.Minute)
		v := w.keep(target)
		v.Rule, v.Action = "idle-sessions", policy.ActionReport
		in := w.input()
		in.Policy.Mode = mode
		var out strings.Builder
		if err := Explain(&out, in, target.ID, screenOf(120)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", mode, want, got)
		}
	}
}

func TestTheWayToStopAnOlderCopyActs(t *testing.T) {
	const own = "/etc/reaperd/policies.yaml"
	for _, row := range []struct {
		says       string
		mode       policy.Mode
		file       string
		action     policy.Action
		young      bool // it is not idle for long enough
		want, none string
	}{
		{"mode enforce", policy.ModeEnforce, own, policy.ActionReport, false, "this once  reaperd sweep --duplicates 31\nto act     write into the rule at " + own + ":5:\n           action: terminate\n", "mode: enforce"},
		{"mode report", policy.ModeReport, own, policy.ActionReport, false, "this once  reaperd sweep --mode enforce --duplicates 31\nto act     write into the rule at " + own + ":5, and set mode: enforce:\n", "idle_for"},
		{"not idle for long enough", policy.ModeEnforce, own, policy.ActionReport, true, "to act     write into the rule at " + own + ":5:\n           action: terminate\n", "match:"},
		{"and the rule acts", policy.ModeEnforce, own, policy.ActionTerminate, true, "rule ", "to act"},
		{"and the rule is shipped", policy.ModeEnforce, policy.Builtin, policy.ActionReport, true, "match: {idle_for: 5m}", "write into"},
	} {
		w, at := newWorld("linux", 4), policy.Origin{File: row.file, Line: 5}
		target := w.server("memory", 31, time.Hour, megabyte, "memory")
		target.Finding, target.Generation = graph.FindingDuplicate, 2
		v := w.keep(target)
		if row.young {
			v.Threshold = &policy.Threshold{Rule: "duplicates", Origin: at, Action: row.action, Key: keyIdleFor, Wants: "an idle time of 5m", Has: "1m"}
		} else {
			v.Rule, v.RuleOrigin, v.Action = "duplicates", at, row.action
		}
		in := w.input()
		in.Policy.Mode = row.mode
		var out strings.Builder
		if err := Explain(&out, in, target.ID, screenOf(120)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, row.want) || strings.Contains(got, row.none) {
			t.Errorf("%s: want %q and no %q in\n%s", row.says, row.want, row.none, got)
		}
	}
}

// TestAUserIsToldThatRootsDaemonDecidesWhatHeCannotRead: that reaperd leaves it alone would be
// false while that daemon stops it.
func TestAUserIsToldThatRootsDaemonDecidesWhatHeCannotRead(t *testing.T) {
	in := dollhouse().input()
	unclear := targetOf(t, in, func(v *policy.Verdict) bool { return shelfOf(v) == noted })
	for foreign, want := range map[bool]string{
		false: "Nothing proves whose dollhousemcp 77102 is, so reaperd leaves it alone.\n",
		true:  "Nothing that this user may read proves whose dollhousemcp 77102 is. Root's daemon sees more, and\ndecides by that.\n",
	} {
		in.ForeignDaemon = foreign
		var b bytes.Buffer
		if err := Explain(&b, in, unclear, screenOf(100)); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("root's daemon %v: %v\n%s", foreign, err, b.String())
		}
	}
}

// TestAClientThatIsNotKnownIsToldByWhatItOwns: that is kept while it lives.
func TestAClientThatIsNotKnownIsToldByWhatItOwns(t *testing.T) {
	w := newWorld("linux", 4)
	agent := &inventory.Process{PID: 70, Start: 700, Comm: "myagent", Argv: []string{"myagent"}}
	w.keep(owned(w.server("fetch", 40, time.Minute, megabyte, "fetch"), graph.Owner{Name: "myagent", Kind: graph.OwnerSession, ID: agent.ID(), Liveness: graph.LivenessLive}, "myagent 70 holds its stdin"))
	var b strings.Builder
	if err := (OtherProcess{Process: agent, In: w.input()}).Explain(&b, screenOf(100)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reaperd never touches it. It owns 1 MCP server, which is kept while it lives.", "\nowns       fetch 40, in use\n", "sessions: [{name: myagent, match: {exe: myagent}}]\n"} {
		if got := strings.ReplaceAll(b.String(), "\nit. ", " it. "); !strings.Contains(strings.ReplaceAll(got, "It owns\n1", "It owns 1"), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestAContainerThatDoesNotRunIsOnlyRemoved: there is nothing to stop.
func TestAContainerThatDoesNotRunIsOnlyRemoved(t *testing.T) {
	w := newWorld("linux", 6)
	box := w.container("fetch", "ex1", "mcp/fetch", time.Hour, 0)
	box.Container.State, box.Finding = "exited", graph.FindingExited
	w.decide(box, policy.Reap, "exited-containers", policy.ActionRemove).Grace = 5 * time.Second
	if got := explained(t, w.input(), box.ID); !strings.Contains(got, "would do   remove the container, which does not run, then look again\n") {
		t.Error(got)
	}
}
