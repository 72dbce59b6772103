package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
)

func TestTheStatusIsWhole(t *testing.T) {
	m := published(t, full())
	m.PolicyReloaded(shipped(), noon)
	server := New(Options{Metrics: m, Listen: "127.0.0.1:0", Explicit: true})
	endpoint, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, endpoint)
	recorder := httptest.NewRecorder()
	server.socketHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/api/v1/status", nil))
	var state State
	if err := json.Unmarshal(recorder.Body.Bytes(), &state); err != nil {
		t.Fatal(err)
	}
	if state.Version != 1 || state.Build.Version != "v1.2.3" || state.PID != os.Getpid() || state.Listen != endpoint.Addr() || !state.StartedAt.Equal(noon) {
		t.Errorf("who answers: %+v", state)
	}
	if state.Mode != policy.ModeEnforce || state.Policy.Source != shipped().Source || state.Policy.SHA256 != shipped().SHA256 || state.Policy.Faults == nil {
		t.Errorf("policy: %+v", state.Policy)
	}
	if state.LastSweep == nil || state.LastSweep.Trigger != trigger.Schedule || !state.NextSweep.Equal(noon.Add(30*time.Second)) || state.IntervalSeconds != 30 {
		t.Errorf("sweeps: %+v, next %v", state.LastSweep, state.NextSweep)
	}
	if len(state.Pending) != 1 || state.Pending[0].Rule != "orphaned-servers" || !state.Pending[0].DueAt.Equal(noon.Add(10*time.Second)) {
		t.Errorf("pending: %+v", state.Pending)
	}
	if state.ReapedToday != 1 || state.FreedTodayBytes != 900 || state.Pins != 2 || !state.Paused || !state.Ready || len(state.Sources) != 2 {
		t.Errorf("state: %+v", state)
	}
	if len(state.LastActs) != 2 || state.LastActs[0].Outcome != "refused" || state.LastActs[0].Handle != human.Handle(state.LastActs[0].Target) {
		t.Errorf("acts %+v", state.LastActs)
	}
	var due []string
	for _, count := range state.Findings {
		if count.Decision == "reap" {
			due = append(due, fmt.Sprintf("%d %s", count.Number, count.Came()))
		}
	}
	if !slices.Equal(due, []string{"1 gone now", "1 reap"}) {
		t.Errorf("what was due: %v", due)
	}
}

func TestAnEmptyStatusHasEmptyListsNotNull(t *testing.T) {
	m, _ := newTestMetrics()
	got := get(t, onPrivate(t, Options{Metrics: m})+"/api/v1/status")
	if strings.Contains(got.body, "null") || !strings.Contains(got.body, `"pending": []`) || !strings.Contains(got.body, `"mode": "report"`) {
		t.Errorf("got %s", got.body)
	}
}

func TestOnlyTheLastActsAreShown(t *testing.T) {
	m, _ := newTestMetrics()
	for range 3 {
		u := full()
		for range 9 {
			u.Outcomes = append(u.Outcomes, u.Outcomes[0])
		}
		m.Publish(u)
	}
	if n := len(m.current().LastActs); n != maxActs {
		t.Errorf("%d acts, want %d", n, maxActs)
	}
}

func TestAPauseIsShownWithItsEndAndItsReason(t *testing.T) {
	u := full()
	u.PausedUntil, u.PauseReason = noon.Add(time.Hour), "release <today>"
	m := published(t, u)
	base := onPrivate(t, Options{Metrics: m})
	var state State
	if err := json.Unmarshal([]byte(get(t, base+"/api/v1/status").body), &state); err != nil {
		t.Fatal(err)
	}
	if !state.Paused || !state.PausedUntil.Equal(noon.Add(time.Hour)) || state.PauseReason != "release <today>" {
		t.Errorf("paused %v until %v (%s)", state.Paused, state.PausedUntil, state.PauseReason)
	}
	if body := get(t, base+"/").body; !strings.Contains(body, "nothing is stopped until "+human.Moment(noon.Add(time.Hour))+" (release &lt;today&gt;)") {
		t.Errorf("the page:\n%s", body)
	}
	u.Paused = false // it ended between the sweep and the question
	m.Publish(u)
	if body := get(t, base+"/api/v1/status").body; strings.Contains(body, "pause_reason") || strings.Contains(body, "paused_until") {
		t.Errorf("no pause holds: %s", body)
	}
}

func TestAPendingContainerHasItsName(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).Target.Container = &inventory.Container{ID: "64hex", Name: "eager_fermi"}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	var names []string
	for _, pending := range published(t, w.update()).current().Pending {
		names = append(names, pending.Container)
	}
	if !slices.Equal(names, []string{"eager_fermi", ""}) {
		t.Errorf("names %q", names)
	}
}

func TestWhatIsPendingNamesTheLiveSessionThatHasIt(t *testing.T) {
	w := &world{}
	session := w.session("claude-code")
	gateway := w.judged(session, graph.FindingZombies, policy.Pending).Target
	gateway.Kind = graph.KindGateway
	w.judged(graph.Owner{Name: "docker-mcp", Kind: graph.OwnerGateway, ID: gateway.Root.ID(), Liveness: graph.LivenessLive}, graph.FindingDuplicate, policy.Pending)
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending)
	var owners []string
	for _, pending := range published(t, w.update()).current().Pending {
		owners = append(owners, pending.Owner)
	}
	if one := fmt.Sprint("claude-code ", session.ID.PID); !slices.Equal(owners, []string{one, one, ""}) {
		t.Errorf("owners %q, want %q twice and none for what a session left", owners, one)
	}
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

// TestWhatIsDueAndHeldBackIsNamed: also the docker run that ends with its container, and nothing whose end has begun.
func TestWhatIsDueAndHeldBackIsNamed(t *testing.T) {
	w := &world{}
	id := func(v *policy.Verdict) string { return v.Target.ID }
	due := func() string { return id(w.judged(gone("codex"), graph.FindingOrphaned, policy.Reap)) }
	held, begun, ended := due(), due(), due()
	runner := w.judged(gone("codex"), graph.FindingOrphaned, policy.Keep)
	runner.Rule, runner.EndsWith = "", held
	ends, endsLater := id(runner), id(w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending))
	earlier := w.judged(gone("codex"), graph.FindingOrphaned, policy.Reap)
	earlier.UnderWay = true
	u := w.update()
	u.UnderWay = []Begun{{Target: begun}}
	u.Outcomes = []policy.Outcome{{Target: ended, Result: done.Exited}}
	listed := map[string]string{}
	for _, one := range published(t, u).current().Due {
		listed[one.ID] = one.Rule
	}
	if want := map[string]string{held: "orphaned-servers", ends: "orphaned-servers"}; !maps.Equal(listed, want) {
		t.Errorf("due, with their rules: %v, want %v; pending is %s", listed, want, endsLater)
	}
}

// TestTheDaemonLooksAsSomethingIsDue, and not by its schedule alone.
func TestTheDaemonLooksAsSomethingIsDue(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		world string
		state State
		want  time.Duration
	}{
		{"by its schedule", State{NextSweep: at.Add(26 * time.Second)}, 26 * time.Second},
		{"an orphan is due before", State{NextSweep: at.Add(26 * time.Second), Pending: []Pending{{DueAt: at.Add(40 * time.Second)}, {}, {DueAt: at.Add(7 * time.Second)}}}, 7 * time.Second},
		{"a session that does nothing comes to its rule", State{NextSweep: at.Add(26 * time.Second), InUse: []Client{{}, {StopsAt: at.Add(3 * time.Second)}}}, 3 * time.Second},
		{"it has no schedule", State{Pending: []Pending{{DueAt: at.Add(7 * time.Second)}}}, 7 * time.Second},
		{"what was due at the last look stays", State{NextSweep: at.Add(26 * time.Second), Pending: []Pending{{DueAt: at.Add(-2 * time.Second)}}}, 26 * time.Second},
	} {
		row.state.LastSweep = &Sweep{At: at.Add(-time.Second)}
		if got := row.state.NextLook(); !got.Equal(at.Add(row.want)) {
			t.Errorf("%s: %s, want %s", row.world, got, at.Add(row.want))
		}
	}
}

// TestAPromptIsNotSentWhatToolsTakeOver: it asks often, and that is most of an answer.
func TestAPromptIsNotSentWhatToolsTakeOver(t *testing.T) {
	w := &world{}
	w.judged(gone("codex"), graph.FindingOrphaned, policy.Pending).Target.Since = noon
	base := onPrivate(t, Options{Metrics: published(t, w.update())})
	var whole, short State
	for query, state := range map[string]*State{"": &whole, "?" + forPrompt: &short} {
		if err := json.Unmarshal([]byte(get(t, base+"/api/v1/status"+query).body), state); err != nil {
			t.Fatal(err)
		}
	}
	if len(whole.Remembered) != 1 || len(short.Remembered) != 0 {
		t.Errorf("%d and %d are remembered", len(whole.Remembered), len(short.Remembered))
	}
	if whole.Remembered = nil; !reflect.DeepEqual(whole.Pending, short.Pending) || len(short.Pending) != 1 {
		t.Errorf("%+v, and for a prompt %+v", whole.Pending, short.Pending)
	}
}
