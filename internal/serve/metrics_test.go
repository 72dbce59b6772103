package serve

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
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
	u.Outcomes = []policy.Outcome{
		{Target: first.ID, Name: "fetch", Kind: graph.KindServer, Rule: "orphaned-servers", Action: policy.ActionTerminate, Result: "exited", FreedBytes: 900, OwnerGoneSince: noon.Add(-time.Minute), At: noon},
		{Target: second.ID, Name: "fetch", Kind: graph.KindServer, Rule: "orphaned-servers", Action: policy.ActionTerminate, Result: "refused", At: noon},
	}
	u.Result = ResultIncomplete
	u.Pins, u.Paused = 2, true
	u.Respawns = map[string]int{gateway.ID: 3}
	u.Events = map[string]bool{"docker": true, "processes": false}
	u.JournalErrors = 4
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
		`reclaimable_bytes`:             2000, // what is pending, and what was refused; what is pinned is kept
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
	m.PolicyReloaded(shipped(), OriginUser, noon)
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
	for _, outcome := range human.Results() {
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

// TestAnOwnerThatCannotBeSeenIsNotCountedAsLive: it may be.
func TestAnOwnerThatCannotBeSeenIsNotCountedAsLive(t *testing.T) {
	w := &world{}
	w.target(graph.KindServer, graph.Owner{Liveness: graph.LivenessLive})
	expect(t, published(t, w.update()), map[string]float64{`servers{client="none",liveness="live"}`: 0, `servers{client="none",liveness="unknown"}`: 1})
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
	m := published(t, full(), Update{Trigger: human.TriggerExit, Result: ResultFailed, Why: "read /proc: permission denied", Started: noon.Add(time.Hour), Pins: 2})
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

// TestWhatIsOverIsNotPending: by the look, or since. What is about to be stopped, and untouched, is.
func TestWhatIsOverIsNotPending(t *testing.T) {
	w := &world{}
	for range 5 {
		w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	}
	id := func(i int) string { return w.verdicts[i].Target.ID }
	ended := func(i int) []policy.Outcome { return []policy.Outcome{{Target: id(i), Result: human.Exited, At: noon}} }
	first, again := w.update(), w.update()
	first.Outcomes, first.UnderWay = ended(0), []Begun{{Target: id(1)}, {Target: "9:9", Tree: []string{id(2)}}, {Target: id(3), Imminent: true}}
	again.Again, again.Outcomes, again.UnderWay = true, ended(1), first.UnderWay[1:]
	for _, row := range []struct {
		world                          string
		updates                        []Update
		pending, reclaimable, goes, on float64
	}{
		{"before the acts", []Update{w.update()}, 5, 5000, 5, 0},
		{"one has ended, and the ends of two have begun", []Update{first}, 2, 4000, 5, 3},
		{"another has ended", []Update{first, again}, 2, 3000, 5, 2},
		{"the next look", []Update{first, again, w.update()}, 5, 5000, 5, 0},
	} {
		m := published(t, row.updates...)
		expect(t, m, map[string]float64{
			`pending`: row.pending, `reclaimable_bytes`: row.reclaimable, `acts_under_way`: row.on,
			`findings{client="codex",decision="pending",finding="orphaned",kind="server"}`: row.goes,
		})
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
		outcome  policy.Outcome
		observed float64
	}{
		{"it exited when asked", policy.Outcome{Result: "exited", OwnerGoneSince: noon.Add(-time.Minute), At: noon}, 1},
		{"it had to be killed", policy.Outcome{Result: "killed", OwnerGoneSince: noon.Add(-time.Minute), At: noon}, 1},
		{"its owner lives", policy.Outcome{Result: "exited", At: noon}, 0},
		{"it had ended by itself", policy.Outcome{Result: "already gone", OwnerGoneSince: noon.Add(-time.Minute), At: noon}, 0},
		{"it was another process", policy.Outcome{Result: "changed", OwnerGoneSince: noon.Add(-time.Minute), At: noon}, 0},
		{"the clock went back", policy.Outcome{Result: "exited", OwnerGoneSince: noon.Add(time.Minute), At: noon}, 0},
		{"it ended yesterday", policy.Outcome{Result: "exited", OwnerGoneSince: noon.Add(-25 * time.Hour), At: noon.Add(-24 * time.Hour)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := (&world{}).update()
			c.outcome.Rule, c.outcome.Action = "orphaned-servers", policy.ActionTerminate
			m, _ := newTestMetrics()
			u.Outcomes = []policy.Outcome{c.outcome}
			m.Publish(u)
			expect(t, m, map[string]float64{`time_to_reap_seconds`: c.observed})
		})
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

	m.PolicyReloaded(shipped(), OriginUser, noon.Add(time.Minute))
	expect(t, m, map[string]float64{`policy_last_reload_successful`: 1, `policy_last_reload_success_timestamp_seconds`: float64(noon.Unix() + 60)})
	if ready, why := m.Ready(); !ready {
		t.Errorf("mended: ready, got %q", why)
	}

	m.PolicyRefused([]string{"policies.yaml:1: version is missing"})
	expect(t, m, map[string]float64{`policy_last_reload_successful`: 0, `policy_last_reload_success_timestamp_seconds`: float64(noon.Unix() + 60)})
	if ready, _ := m.Ready(); !ready {
		t.Error("the policy before it holds: still ready")
	}
}

func TestOnlyThePolicyInEffectHasAnInfo(t *testing.T) {
	m, _ := newTestMetrics()
	m.PolicyReloaded(shipped(), OriginUser, noon)
	m.PolicyReloaded(&policy.Policy{Hash: "cd", Mode: policy.ModeReport}, OriginBuiltin, noon)
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
		// the acts of the previous policy's rule stay counted
		`actions_total{action="terminate",outcome="exited",rule="orphaned-servers"}`: 0,
	})
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
		m.Ready()
	}
	close(stop)
	publishing.Wait()
}
