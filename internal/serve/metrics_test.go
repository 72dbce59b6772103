package serve

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// full is an update in which everything happens.
func full() Update {
	w := &world{}
	claude, codex := w.session("claude-code"), w.session("codex")
	w.target(graph.KindServer, claude)
	w.target(graph.KindServer, codex)
	gateway := w.target(graph.KindGateway, claude)
	gateway.Zombies = 526
	behind := graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}
	w.target(graph.KindServer, behind)
	w.judged(gone("claude-code"), graph.FindingOrphaned, policy.Reap)
	w.judged(gone("claude-code"), graph.FindingOrphaned, policy.Reap)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).DueAt = noon.Add(10 * time.Second)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep).Vetoes = []graph.Veto{{Guard: graph.GuardPinned}, {Guard: graph.GuardPinned}}
	box := w.target(graph.KindContainer, claude)
	box.Finding = graph.FindingAmbiguous
	stranger := w.target(graph.KindContainer, graph.Owner{})
	stranger.Incidental = true

	u := w.update()
	first, second := w.targets[4], w.targets[5]
	u.Outcomes = []Outcome{
		{Target: first.ID, Name: "fetch", Kind: graph.KindServer, Rule: "orphaned-servers", Action: policy.ActionTerminate, Result: "exited", FreedBytes: 900, OwnerGoneSince: noon.Add(-time.Minute), Ended: noon},
		{Target: second.ID, Name: "fetch", Kind: graph.KindServer, Rule: "orphaned-servers", Action: policy.ActionTerminate, Result: "refused", Ended: noon},
	}
	u.Result = ResultIncomplete
	u.Pins, u.Paused = 2, true
	u.Respawns = map[string]int{gateway.ID: 3}
	u.Events = map[string]bool{"docker": true, "processes": false}
	u.JournalWriteErrors = 4
	u.Report = func() ([]byte, error) { return []byte(`{"version":1}`), nil }
	return u
}

func TestPublishShowsTheSweep(t *testing.T) {
	m := published(t, full())
	expect(t, m, map[string]float64{
		`sweeps_total{result="incomplete",trigger="schedule"}`: 1,
		`sweep_duration_seconds`:                               1,
		`sweep_interval_seconds`:                               30,
		`last_successful_sweep_timestamp_seconds`:              float64(noon.UnixMilli()+40) / 1000,
		`mode{mode="enforce"}`:                                 1,
		`mode{mode="report"}`:                                  0,
		`processes`:                                            412,
		`sessions{client="claude-code"}`:                       1,
		`sessions{client="codex"}`:                             1,
		`servers{client="claude-code",liveness="live"}`:        3,
		`servers{client="claude-code",liveness="gone"}`:        2,
		`servers{client="codex",liveness="live"}`:              1,
		`servers{client="codex",liveness="unknown"}`:           0,
		`containers{finding="ambiguous"}`:                      1,
		`containers{finding="none"}`:                           0,
		`findings{client="claude-code",decision="reap",finding="orphaned",kind="server"}`: 2,
		`findings{client="codex",decision="pending",finding="orphaned",kind="server"}`:    1,
		`findings{client="codex",decision="keep",finding="orphaned",kind="server"}`:       1,
		`pending`:                              1,
		`zombies{client="claude-code"}`:        526,
		`respawns_total{client="claude-code"}`: 3,
		`respawns_total{client="codex"}`:       0,
		`actions_total{action="terminate",outcome="exited",rule="orphaned-servers"}`:  1,
		`actions_total{action="terminate",outcome="refused",rule="orphaned-servers"}`: 1,
		`actions_total{action="terminate",outcome="killed",rule="orphaned-servers"}`:  0,
		`vetoes_total{guard="pinned"}`:  1,
		`reclaimable_bytes`:             1000,
		`reclaimed_bytes_total`:         900,
		`time_to_reap_seconds`:          1,
		`source_up{source="processes"}`: 1,
		`source_up{source="docker"}`:    1,
		`events_up{source="docker"}`:    1,
		`events_up{source="processes"}`: 0,
		`policy_info{sha256="` + strings.Repeat("ab", 32) + `",source="user"}`: 1,
		`pins`:                       2,
		`paused`:                     1,
		`journal_write_errors_total`: 4,
		`build_info{goversion="go1.26",revision="abc",version="v1.2.3"}`: 1,
	})
}

func TestCountersBeginAtZeroBeforeAnythingHappens(t *testing.T) {
	m, _ := newTestMetrics()
	m.PolicyReloaded(shipped(), noon)
	want := map[string]float64{
		`vetoes_total{guard="in-use"}`:                 0,
		`reclaimed_bytes_total`:                        0,
		`journal_write_errors_total`:                   0,
		`time_to_reap_seconds`:                         0,
		`source_up{source="docker"}`:                   0,
		`containers{finding="orphaned"}`:               0,
		`zombies{client="none"}`:                       0,
		`policy_last_reload_successful`:                1,
		`policy_last_reload_success_timestamp_seconds`: float64(noon.Unix()),
	}
	for _, trigger := range []string{"schedule", "exit", "docker", "due", "signal", "reload", "start"} {
		for _, result := range []string{"ok", "incomplete", "failed"} {
			want[fmt.Sprintf(`sweeps_total{result=%q,trigger=%q}`, result, trigger)] = 0
		}
	}
	for _, outcome := range done.Results() {
		want[fmt.Sprintf(`actions_total{action="terminate",outcome=%q,rule="orphaned-servers"}`, outcome)] = 0
		want[fmt.Sprintf(`actions_total{action="remove",outcome=%q,rule="orphaned-containers"}`, outcome)] = 0
	}
	expect(t, m, want)
	for series := range scrape(t, m) {
		if strings.Contains(series, `rule="duplicates"`) {
			t.Errorf("a rule that only reports has no acts, got %s", series)
		}
	}
}

func TestARespawnIsTheClientsThatItsGatewayBelongsTo(t *testing.T) {
	w := &world{}
	outer := w.target(graph.KindGateway, w.session("codex"))
	inner := w.target(graph.KindGateway, graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: outer.Root.ID()})
	left := w.target(graph.KindGateway, gone("goose"))
	unit := w.target(graph.KindGateway, graph.Owner{Name: "mcp.service", Kind: graph.OwnerService})
	before, u := w.update(), w.update()
	u.Respawns = map[string]int{outer.ID: 1, inner.ID: 2, left.ID: 4, "7:1": 8}
	m := published(t, before)
	for _, client := range []string{"codex", "goose", "service"} {
		expect(t, m, map[string]float64{`respawns_total{client="` + client + `"}`: 0})
	}
	m.Publish(u)
	expect(t, m, map[string]float64{
		`respawns_total{client="codex"}`: 3, `respawns_total{client="goose"}`: 4, `respawns_total{client="service"}`: 0,
	})
	for series := range scrape(t, m) {
		if strings.HasPrefix(series, "respawns_total") && strings.Contains(series, unit.Name) {
			t.Errorf("%s is no client", series)
		}
	}
}

func TestWhatVanishesGoesToZeroAndStays(t *testing.T) {
	w := &world{}
	w.target(graph.KindServer, w.session("codex"))
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Reap)
	before := w.update()
	m := published(t, before)
	seen := scrape(t, m)
	m.Publish((&world{sources: []inventory.Source{{Name: "docker", Status: inventory.StatusAbsent}}}).update())
	expect(t, m, map[string]float64{
		`sessions{client="codex"}`:                                                  0,
		`servers{client="codex",liveness="live"}`:                                   0,
		`servers{client="codex",liveness="gone"}`:                                   0,
		`findings{client="codex",decision="reap",finding="orphaned",kind="server"}`: 0,
		`source_up{source="docker"}`:                                                0,
		`reclaimable_bytes`:                                                         0,
	})
	after := scrape(t, m)
	for series := range seen {
		if _, there := after[series]; !there {
			t.Errorf("%s is absent now", series)
		}
	}
}

func TestADecisionIsSeenAtZeroBeforeItIsTaken(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	expect(t, published(t, w.update()), map[string]float64{
		`findings{client="codex",decision="pending",finding="orphaned",kind="server"}`: 1,
		`findings{client="codex",decision="reap",finding="orphaned",kind="server"}`:    0,
	})
}

func TestAFailedSweepLeavesOnShowWhatTheOneBeforeSaw(t *testing.T) {
	m := published(t, full(), Update{Trigger: TriggerExit, Result: ResultFailed, Why: "read /proc: permission denied", Started: noon.Add(time.Hour), Pins: 2})
	expect(t, m, map[string]float64{
		`sweeps_total{result="failed",trigger="exit"}`: 1,
		`processes`: 412,
		`servers{client="claude-code",liveness="live"}`: 3,
		`pending`:                                 1,
		`sweep_interval_seconds`:                  30,
		`mode{mode="enforce"}`:                    1,
		`last_successful_sweep_timestamp_seconds`: float64(noon.UnixMilli()+40) / 1000,
		`reclaimed_bytes_total`:                   900,
	})
	if report, err := m.lastReport(); err != nil || len(report) == 0 {
		t.Errorf("the last report stays, got %q, %v", report, err)
	}
}

func TestASweepSucceedsWhereProcessesCouldBeRead(t *testing.T) {
	for _, c := range []struct {
		name      string
		result    Result
		sources   []inventory.Source
		succeeded bool
	}{
		{"everything answered", ResultOK, []inventory.Source{{Name: "processes", Status: inventory.StatusOK}}, true},
		{"the engine hangs", ResultIncomplete, []inventory.Source{{Name: "processes", Status: inventory.StatusOK}, {Name: "docker", Status: inventory.StatusError}}, true},
		{"some processes are another user's", ResultOK, []inventory.Source{{Name: "processes", Status: inventory.StatusPartial}}, true},
		{"the table could not be read", ResultIncomplete, []inventory.Source{{Name: "processes", Status: inventory.StatusError}}, false},
		{"it was ended in the middle", ResultFailed, []inventory.Source{{Name: "processes", Status: inventory.StatusOK}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := (&world{sources: c.sources}).update()
			u.Result = c.result
			if got, _ := published(t, u).Ready(); got != c.succeeded {
				t.Errorf("succeeded %v, want %v", got, c.succeeded)
			}
		})
	}
}

func TestTwoEnginesAreUpOnlyTogether(t *testing.T) {
	ok := inventory.Source{Name: "docker", Status: inventory.StatusOK}
	broken := inventory.Source{Name: "docker", Status: inventory.StatusError}
	absent := inventory.Source{Name: "docker", Status: inventory.StatusAbsent}
	for _, c := range []struct {
		sources []inventory.Source
		up      float64
	}{
		{[]inventory.Source{ok, ok}, 1}, {[]inventory.Source{ok, broken}, 0}, {[]inventory.Source{broken, ok}, 0},
		{[]inventory.Source{ok, absent}, 1}, {[]inventory.Source{absent}, 0}, {[]inventory.Source{}, 0},
	} {
		expect(t, published(t, (&world{sources: c.sources}).update()), map[string]float64{`source_up{source="docker"}`: c.up})
	}
}

func TestAVetoCountsWhenItBegins(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep).Vetoes = []graph.Veto{{Guard: graph.GuardInUse}}
	free := &world{}
	m := published(t, w.update(), w.update(), w.update())
	expect(t, m, map[string]float64{`vetoes_total{guard="in-use"}`: 1})
	m.Publish(free.update())
	m.Publish(w.update())
	expect(t, m, map[string]float64{`vetoes_total{guard="in-use"}`: 2})
}

func TestOnlyWhatWasReapedCountsAsReaped(t *testing.T) {
	for _, c := range []struct {
		name     string
		outcome  Outcome
		observed float64
		today    int
	}{
		{"it exited when asked", Outcome{Result: "exited", OwnerGoneSince: noon.Add(-time.Minute), Ended: noon}, 1, 1},
		{"it had to be killed", Outcome{Result: "killed", OwnerGoneSince: noon.Add(-time.Minute), Ended: noon}, 1, 1},
		{"its owner lives", Outcome{Result: "exited", Ended: noon}, 0, 1},
		{"it had ended by itself", Outcome{Result: "already gone", OwnerGoneSince: noon.Add(-time.Minute), Ended: noon}, 0, 0},
		{"it was another process", Outcome{Result: "changed", OwnerGoneSince: noon.Add(-time.Minute), Ended: noon}, 0, 0},
		{"the clock went back", Outcome{Result: "exited", OwnerGoneSince: noon.Add(time.Minute), Ended: noon}, 0, 1},
		{"it ended yesterday", Outcome{Result: "exited", OwnerGoneSince: noon.Add(-25 * time.Hour), Ended: noon.Add(-24 * time.Hour)}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := (&world{}).update()
			c.outcome.Rule, c.outcome.Action = "orphaned-servers", policy.ActionTerminate
			m, _ := newTestMetrics()
			u.Outcomes = []Outcome{c.outcome}
			m.Publish(u)
			expect(t, m, map[string]float64{`time_to_reap_seconds`: c.observed})
			if got := m.current().ReapedToday; got != c.today {
				t.Errorf("reaped today %d, want %d", got, c.today)
			}
		})
	}
}

func TestTodayEndsAtMidnight(t *testing.T) {
	m, c := newTestMetrics()
	m.Recall(slices.Repeat([]Outcome{{Result: done.Exited, FreedBytes: 1000, Ended: noon.Add(-time.Hour)}}, 7))
	m.Recall([]Outcome{{Result: done.Exited, FreedBytes: 1000, Ended: noon.Add(-13 * time.Hour)}, {Result: done.Escaped, Ended: noon.Add(-time.Hour)}})
	m.Publish(full())
	if s := m.current(); s.ReapedToday != 8 || s.FreedTodayBytes != 7900 {
		t.Errorf("before midnight: %d reaped and %d bytes freed, want 8 and 7900", s.ReapedToday, s.FreedTodayBytes)
	}
	c.at = noon.AddDate(0, 0, 1)
	if s := m.current(); s.ReapedToday != 0 || s.FreedTodayBytes != 0 {
		t.Errorf("after midnight: %d reaped and %d bytes freed, want none", s.ReapedToday, s.FreedTodayBytes)
	}
}

func TestAClientIsWhoeverIsAtTheEndOfTheChain(t *testing.T) {
	w := &world{}
	session := w.session("claude-code")
	outer := w.target(graph.KindGateway, session)
	inner := w.target(graph.KindGateway, graph.Owner{Name: "outer", Kind: graph.OwnerGateway, ID: outer.Root.ID(), Liveness: graph.LivenessLive})
	ring := w.target(graph.KindGateway, graph.Owner{})
	ring.Owner = graph.Owner{Name: "ring", Kind: graph.OwnerGateway, ID: ring.Root.ID()}
	who := clients{names: published(t).clients, targets: map[string]*graph.Target{outer.ID: outer, inner.ID: inner, ring.ID: ring}}
	for _, c := range []struct {
		name   string
		target graph.Target
		want   string
	}{
		{"a session's server", graph.Target{Owner: session}, "claude-code"},
		{"a server behind two gateways", graph.Target{Owner: graph.Owner{Name: "inner", Kind: graph.OwnerGateway, ID: inner.Root.ID()}}, "claude-code"},
		{"what a dead session left", graph.Target{Owner: gone("codex")}, "codex"},
		{"a session itself", graph.Target{Kind: graph.KindSession, Name: "goose", Owner: graph.Owner{Kind: graph.OwnerProcess, Name: "sh"}}, "goose"},
		{"nobody is known", graph.Target{}, "none"},
		{"a shell's child", graph.Target{Owner: graph.Owner{Kind: graph.OwnerProcess, Name: "bash"}}, "other"},
		{"a unit's main process", graph.Target{Owner: graph.Owner{Kind: graph.OwnerService, Name: "mcp.service"}}, "service"},
		{"behind a gateway that is gone", graph.Target{Owner: graph.Owner{Kind: graph.OwnerGateway, Name: "docker-mcp"}}, "gateway"},
		{"a gateway that owns itself", graph.Target{Owner: ring.Owner}, "gateway"},
		{"a name that is a path", graph.Target{Owner: gone("/home/dev/agent")}, "other"},
		{"a name that is no text", graph.Target{Owner: gone("\xff\xfe")}, "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := who.of(&c.target); got != c.want {
				t.Errorf("client %q, want %q", got, c.want)
			}
		})
	}
}

func TestLabelsAreBoundedAndTellNothing(t *testing.T) {
	w := &world{}
	for i := range 300 {
		owner := w.session(fmt.Sprintf("agent-%d", i))
		w.target(graph.KindServer, owner)
		w.judged(gone(fmt.Sprintf("/opt/agents/%d", i)), graph.FindingOrphaned, policy.Reap)
		w.sources = append(w.sources, inventory.Source{Name: fmt.Sprintf("source-%d", i), Status: inventory.StatusOK})
	}
	u := w.update()
	u.Trigger, u.Policy.Source, u.Policy.Origin = "by /bin/hand", "/etc/reaperd/policies.yaml", "somewhere"
	for i := range 300 {
		u.Policy.Rules = append(u.Policy.Rules, policy.Rule{Name: fmt.Sprintf("rule-%d", i), Action: policy.ActionTerminate})
		u.Outcomes = append(u.Outcomes, Outcome{Rule: fmt.Sprintf("rule-%d", i), Action: "wipe", Result: done.Result(fmt.Sprintf("result-%d", i))})
	}
	m := published(t, u)
	families, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[string]map[string]bool{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, pair := range metric.GetLabel() {
				name, value := pair.GetName(), pair.GetValue()
				if distinct[name] == nil {
					distinct[name] = map[string]bool{}
				}
				distinct[name][value] = true
				if strings.ContainsAny(value, "/\\:") || strings.Contains(value, "hunter2") {
					t.Errorf("%s has %s=%q", family.GetName(), name, value)
				}
			}
		}
	}
	for name, most := range map[string]int{"client": MaxClients + 4, "rule": maxRules + 1, "source": maxSources + 4, "outcome": 8, "action": 3, "trigger": 8, "guard": maxGuards + 14, "decision": 3} {
		if n := len(distinct[name]); n > most {
			t.Errorf("%d distinct values of %s, at most %d are allowed", n, name, most)
		}
	}
	expect(t, m, map[string]float64{`sessions{client="agent-0"}`: 1, `sessions{client="other"}`: 250})
}

func TestEveryMetricIsDescribedAsItIs(t *testing.T) {
	families, err := published(t, full()).gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]MetricDoc{}
	for _, family := range families {
		doc := MetricDoc{Name: family.GetName(), Type: strings.ToLower(family.GetType().String()), Help: family.GetHelp()}
		for _, pair := range family.GetMetric()[0].GetLabel() {
			doc.Labels = append(doc.Labels, pair.GetName())
		}
		shown[doc.Name] = doc
	}
	for _, doc := range Describe() {
		got, there := shown[doc.Name]
		labels := slices.Sorted(slices.Values(doc.Labels))
		if !there || got.Type != doc.Type || got.Help != doc.Help || !slices.Equal(got.Labels, labels) {
			t.Errorf("described as %+v, shown as %+v", doc, got)
		}
		delete(shown, doc.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		t.Errorf("%s is not described", name)
	}
}

// promised are the metrics that dashboards and alerts rely on.
const promised = `sweeps_total{trigger,result} sweep_duration_seconds sweep_interval_seconds last_successful_sweep_timestamp_seconds
 mode{mode} processes sessions{client} servers{client,liveness} findings{kind,finding,client,decision} zombies{client}
 respawns_total{client} actions_total{rule,action,outcome} vetoes_total{guard} reclaimable_bytes reclaimed_bytes_total
 time_to_reap_seconds source_up{source} policy_last_reload_successful policy_last_reload_success_timestamp_seconds
 policy_info{source,sha256} journal_write_errors_total build_info{version,revision,goversion}`

func TestWhatWasPromisedIsThere(t *testing.T) {
	described := map[string]bool{}
	for _, doc := range Describe() {
		name := strings.TrimPrefix(doc.Name, "reaperd_")
		if len(doc.Labels) > 0 {
			name += "{" + strings.Join(doc.Labels, ",") + "}"
		}
		described[name] = true
	}
	for _, name := range strings.Fields(promised) {
		if !described[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestTheLinterHasNothingToSay(t *testing.T) {
	m := published(t, full())
	problems, err := testutil.GatherAndLint(prometheus.GathererFunc(m.gather))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestPromtoolHasNothingToSay(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	server := httptest.NewServer(New(Options{Metrics: published(t, full())}).portHandler(true))
	defer server.Close()
	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = response.Body
	if said, err := check.CombinedOutput(); err != nil || len(bytes.TrimSpace(said)) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
}

func TestAPolicyIsTakenOrRefused(t *testing.T) {
	m, _ := newTestMetrics()
	m.Publish((&world{}).update())

	m.PolicyRefused([]string{`policies.yaml:14: rule "x": no such finding`, "policies.yaml:20: unknown key"})
	expect(t, m, map[string]float64{`policy_last_reload_successful`: 0, `policy_last_reload_success_timestamp_seconds`: 0})
	if ready, why := m.Ready(); ready || why != "the policy has 2 faults: nothing is acted on until it is mended" {
		t.Errorf("no policy was ever taken: not ready; got %v %q", ready, why)
	}
	if faults := m.current().Policy.Faults; len(faults) != 2 {
		t.Errorf("the status names both faults, got %q", faults)
	}

	m.PolicyReloaded(shipped(), noon.Add(time.Minute))
	expect(t, m, map[string]float64{`policy_last_reload_successful`: 1, `policy_last_reload_success_timestamp_seconds`: float64(noon.Unix() + 60)})
	if ready, why := m.Ready(); !ready {
		t.Errorf("mended: ready, got %q", why)
	}

	m.PolicyRefused([]string{"policies.yaml:1: version is missing"})
	expect(t, m, map[string]float64{`policy_last_reload_successful`: 0, `policy_last_reload_success_timestamp_seconds`: float64(noon.Unix() + 60)})
	if ready, _ := m.Ready(); !ready {
		t.Error("the policy before it holds: still ready")
	}
	if faults := m.current().Policy.Faults; len(faults) != 1 {
		t.Errorf("the status names the fault, got %q", faults)
	}
}

func TestOnlyThePolicyInEffectHasAnInfo(t *testing.T) {
	m, _ := newTestMetrics()
	m.PolicyReloaded(shipped(), noon)
	m.PolicyReloaded(Policy{Source: policy.Builtin, SHA256: "cd", Mode: policy.ModeReport}, noon)
	var infos []string
	for series := range scrape(t, m) {
		if strings.HasPrefix(series, "policy_info") {
			infos = append(infos, series)
		}
	}
	if want := []string{`policy_info{sha256="cd",source="built-in"}`}; !slices.Equal(infos, want) {
		t.Errorf("got %q, want %q", infos, want)
	}
	expect(t, m, map[string]float64{
		`mode{mode="report"}`: 1, `mode{mode="enforce"}`: 0,
		// what a rule of the policy before did stays counted
		`actions_total{action="terminate",outcome="exited",rule="orphaned-servers"}`: 0,
	})
}

func TestReadyAges(t *testing.T) {
	m, c := newTestMetrics()
	for _, step := range []struct {
		name    string
		publish *Update
		after   time.Duration
		ready   bool
		why     string
	}{
		{"nothing was swept yet", nil, 0, false, "no sweep has succeeded yet"},
		{"the first sweep failed", &Update{Result: ResultFailed, Why: "the table could not be read"}, 0, false, "no sweep has succeeded yet: the table could not be read"},
		{"a sweep succeeded", new((&world{}).update()), 0, true, ""},
		{"three periods later", nil, 90 * time.Second, true, ""},
		{"and a little", nil, time.Second, false, "no sweep has succeeded since"},
	} {
		if step.publish != nil {
			m.Publish(*step.publish)
		}
		c.at = c.at.Add(step.after)
		if ready, why := m.Ready(); ready != step.ready || !strings.HasPrefix(why, step.why) {
			t.Errorf("%s: ready %v %q, want %v %q", step.name, ready, why, step.ready, step.why)
		}
	}
}

// sweptAt is a sweep under a schedule that took 40 ms.
func sweptAt(schedule string, result Result, at time.Time) Update {
	u := (&world{}).update()
	u.Schedule, u.Result, u.Started = every(schedule), result, at
	return u
}

func TestAScheduleThatRestsIsReadyWhileItRests(t *testing.T) {
	at := func(day, hour, minute int) time.Time { // of a November that begins on a Sunday
		return time.Date(2026, time.November, day, hour, minute, 0, 0, time.Local)
	}
	const office, early = "*/10 9-17 * * 1-5", "57,58 6 * * *"
	for _, c := range []struct {
		name     string
		schedule string
		success  time.Time
		failed   time.Time // a sweep by an event, after it; zero is none
		now      time.Time
		ready    bool
	}{
		{"four minutes after the last turn of a day", early, at(26, 6, 58), time.Time{}, at(26, 7, 2), true},
		{"just before the first turn of the next day", early, at(26, 6, 58), time.Time{}, at(27, 6, 57), true},
		{"one day missed", early, at(26, 6, 58), time.Time{}, at(27, 12, 0), true},
		{"three turns missed", early, at(26, 6, 58), time.Time{}, at(28, 6, 58), false},
		{"the night", office, at(26, 17, 50), time.Time{}, at(27, 8, 59), true},
		{"the week end", office, at(27, 17, 50), time.Time{}, at(30, 9, 0), true},
		{"two turns missed", office, at(27, 17, 50), time.Time{}, at(30, 9, 15), true},
		{"three turns missed on Monday", office, at(27, 17, 50), time.Time{}, at(30, 9, 21), false},
		{"an event at night succeeded", office, at(26, 23, 0), time.Time{}, at(27, 9, 15), true},
		{"an event at night failed", office, at(26, 17, 50), at(26, 23, 0), at(27, 8, 0), true},
		{"three turns missed, and a failed event does not put that off", office, at(26, 10, 0), at(26, 10, 29), at(26, 10, 31), false},
		{"a period", "@every 30s", at(26, 10, 0), time.Time{}, at(26, 10, 1), true},
		{"four periods", "@every 30s", at(26, 10, 0), time.Time{}, at(26, 10, 2), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, clock := newTestMetrics()
			m.Publish(sweptAt(c.schedule, ResultOK, c.success))
			if !c.failed.IsZero() {
				m.Publish(sweptAt(c.schedule, ResultFailed, c.failed))
			}
			clock.at = c.now
			if ready, why := m.Ready(); ready != c.ready {
				t.Errorf("ready %v %q, want %v", ready, why, c.ready)
			}
		})
	}
}

func TestTheIntervalIsFromTheLastTurnToTheNext(t *testing.T) {
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, time.November, 26, hour, minute, second, int(3*time.Millisecond), time.Local)
	}
	const hour = 60 * 60
	type turn struct {
		at       time.Time
		interval float64
	}
	for _, c := range []struct {
		name, schedule string
		turns          []turn
	}{
		{"a period", "@every 30s", []turn{{at(10, 0, 0), 30}, {at(10, 0, 30), 30}, {at(10, 1, 0), 30}}},
		{"a period that events put off", "@every 30s", []turn{{at(10, 0, 0), 30}, {at(10, 0, 20), 30}, {at(10, 0, 50), 30}, {at(10, 1, 10), 30}, {at(10, 1, 40), 30}}},
		{"a window", "57,58 6 * * *", []turn{{at(6, 57, 0), 60}, {at(6, 58, 0), 24*hour - 60}}},
		{"an event in between", "57,58 6 * * *", []turn{{at(6, 57, 0), 60}, {at(6, 58, 0), 24*hour - 60}, {at(12, 0, 0), 24*hour - 60}}},
		{"the host slept over some turns", "*/10 9-17 * * *", []turn{{at(9, 0, 0), 600}, {at(14, 5, 0), 300}, {at(14, 10, 0), 600}}},
		{"the clock went back", "@hourly", []turn{{at(12, 0, 0), hour}, {at(9, 30, 0), hour / 2}, {at(10, 0, 0), hour}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := newTestMetrics()
			for _, turn := range c.turns {
				m.Publish(sweptAt(c.schedule, ResultOK, turn.at))
				expect(t, m, map[string]float64{`sweep_interval_seconds`: turn.interval})
				if got := m.current().IntervalSeconds; got != turn.interval {
					t.Errorf("the state says %v, want %v", got, turn.interval)
				}
			}
		})
	}
}

func TestTheReportIsEncodedOnceAndOnlyWhenAskedFor(t *testing.T) {
	calls := 0
	u := (&world{}).update()
	u.Report = func() ([]byte, error) { calls++; return []byte("{}"), nil }
	m := published(t, u)
	if calls != 0 {
		t.Errorf("encoded %d times before anybody asked", calls)
	}
	for range 3 {
		if _, err := m.lastReport(); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 1 {
		t.Errorf("encoded %d times, want once", calls)
	}
	if _, err := published(t).lastReport(); !errors.Is(err, errNoReport) {
		t.Errorf("before the first sweep there is none, got %v", err)
	}
}

// A scrape in the middle of an update would see servers of both clients, or none.
func TestAScrapeNeverSeesHalfAnUpdate(t *testing.T) {
	worlds := [2]Update{}
	for i, name := range []string{"codex", "goose"} {
		w := &world{}
		owner := w.session(name)
		for range 20 {
			w.target(graph.KindServer, owner)
		}
		worlds[i] = w.update()
	}
	m := published(t, worlds[0])
	stop := make(chan struct{})
	var publishing sync.WaitGroup
	publishing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				m.Publish(worlds[i%2])
			}
		}
	})
	for range 200 {
		got := scrape(t, m)
		if sum := got[`servers{client="codex",liveness="live"}`] + got[`servers{client="goose",liveness="live"}`]; sum != 20 {
			t.Errorf("%v servers, want 20", sum)
			break
		}
		m.current()
		m.Ready()
	}
	close(stop)
	publishing.Wait()
}

func TestThePendingAreListedByWhenTheyAreDue(t *testing.T) {
	w := &world{}
	for _, in := range []time.Duration{0, 20 * time.Second, 10 * time.Second} {
		v := w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
		if in > 0 {
			v.DueAt = noon.Add(in)
		}
	}
	var due []time.Time
	for _, pending := range published(t, w.update()).current().Pending {
		due = append(due, pending.DueAt)
	}
	if want := []time.Time{noon.Add(10 * time.Second), noon.Add(20 * time.Second), {}}; !slices.Equal(due, want) {
		t.Errorf("due at %v, want %v", due, want)
	}
}
