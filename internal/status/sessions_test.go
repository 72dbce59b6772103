package status

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

func TestASessionIsToldWithItsContainersAlsoWhereTheyCannotBeSeen(t *testing.T) {
	now := time.Now()
	session := serve.Client{Name: "claude-code", PID: 141, ID: "141:9", Servers: 3, MemoryBytes: 68_000_000}
	with := func(containers int, idle time.Duration) serve.Client {
		c := session
		c.Containers = containers
		if idle > 0 {
			c.Idle, c.IdleSeconds = true, new(idle.Seconds())
		}
		return c
	}
	unmeasured := func(c serve.Client) serve.Client {
		c.Unmeasured = 1
		return c
	}
	ending := func(c serve.Client, left time.Duration) serve.Client {
		c.StopsAt, c.StopsBy = now.Add(left), "idle-sessions"
		return c
	}
	leaving := func(c serve.Client) serve.Client {
		c.UnderWay = true
		return c
	}
	imminent := func(c serve.Client) serve.Client {
		c.ID = "141:8"
		return c
	}
	seen := serve.SeenContainer{ID: "01", SessionID: "141:9", At: now}
	unseen := serve.SeenContainer{ID: "02", SessionID: "141:9", At: now, UnseenSince: now}
	another := serve.SeenContainer{ID: "03", SessionID: "145:9", At: now, UnseenSince: now}
	watched := serve.Begun{Target: "141:8", Rule: "idle-sessions", Imminent: true}
	for _, row := range []struct {
		world      string
		client     serve.Client
		containers []serve.SeenContainer
		want       line
	}{
		{"all was seen", with(1, 0), []serve.SeenContainer{seen, another}, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB"}},
		{"the engine is gone", with(0, 0), []serve.SeenContainer{unseen, another}, line{"session", "claude-code 141 with 3 servers, 68 MB; 1 container of it cannot be seen now"}},
		{"one of two engines is", with(1, 0), []serve.SeenContainer{seen, unseen, unseen}, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB; 2 containers of it cannot be seen now"}},
		{"the memory of its container is not known", unmeasured(with(1, 0)), nil, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB, not counting 1 container whose memory is not known"}},
		{"an idle session", with(0, time.Hour), []serve.SeenContainer{unseen}, line{"idle", "claude-code 141 for 1h at the last look, with 3 servers, 68 MB; 1 container of it cannot be seen now"}},
		{"a rule stops it soon", ending(with(1, 0), 6*time.Second), nil, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB; stops in 6s if it goes on doing nothing (rule idle-sessions; reaperd pin 141 keeps it)"}},
		{"in less than a second", ending(with(1, 0), 200*time.Millisecond), nil, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB; stops in 1s if it goes on doing nothing (rule idle-sessions; reaperd pin 141 keeps it)"}},
		{"an idle one", ending(with(1, time.Hour), 0), nil, line{"idle", "claude-code 141 for 1h at the last look, with 3 servers and 1 container, 68 MB; stops at the next look if it goes on doing nothing (rule idle-sessions; reaperd pin 141 keeps it)"}},
		{"a rule stops it in a while", ending(with(1, 0), time.Hour), nil, line{"session", "claude-code 141 with 3 servers and 1 container, 68 MB"}},
		{"it is being stopped", leaving(with(1, time.Hour)), nil, line{"idle", "claude-code 141 for 1h at the last look, with 3 servers and 1 container, 68 MB; being stopped"}},
		{"it is watched a last time", imminent(with(1, time.Hour)), nil, line{"idle", "claude-code 141 for 1h at the last look, with 3 servers and 1 container, 68 MB; about to be stopped (rule idle-sessions; reaperd pin 141 keeps it)"}},
		{"whose they are is not known", serve.Client{Name: "codex", PID: 5}, []serve.SeenContainer{{ID: "04", UnseenSince: now}}, line{"session", "codex 5 with no servers"}},
	} {
		got := sessionLines(&serve.State{InUse: []serve.Client{row.client}, Containers: row.containers, UnderWay: []serve.Begun{watched}, Ready: true}, whose{}, now)
		if len(got) != 1 || got[0] != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestInModeReportASessionWouldBeStopped, and under a pause.
func TestInModeReportASessionWouldBeStopped(t *testing.T) {
	now := time.Now()
	client := serve.Client{Name: "codex", PID: 5, StopsAt: now.Add(6 * time.Second), StopsBy: "idle-sessions"}
	for _, row := range []struct {
		world string
		is    serve.State
		want  string
	}{
		{"mode report", serve.State{Ready: true, Mode: policy.ModeReport}, "codex 5 with no servers; would stop in 6s if it goes on doing nothing, but the mode is report (rule idle-sessions; reaperd pin 5 keeps it)"},
		{"paused", serve.State{Ready: true, Mode: policy.ModeEnforce, Paused: true}, "codex 5 with no servers; would stop in 6s if it goes on doing nothing, but it is paused (rule idle-sessions; reaperd pin 5 keeps it)"},
		{"not well", serve.State{Mode: policy.ModeEnforce}, "codex 5 with no servers"},
	} {
		row.is.InUse = []serve.Client{client}
		if got := sessionLines(&row.is, whose{}, now); len(got) != 1 || got[0].text != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestAContainerThatCannotBeSeenDoesNotVanish: with its engine it would be gone from all that is
// pending.
func TestAContainerThatCannotBeSeenDoesNotVanish(t *testing.T) {
	now := time.Now()
	live := serve.Client{Name: "claude-code", PID: 141, ID: "141:9"}
	leaked := serve.SeenContainer{ID: "02", Name: "gitlab", Handle: "keen_bell", Owner: "codex 12", SessionID: "12:9", Finding: graph.FindingOrphaned, UnseenSince: now}
	ofLive, seen, quiet := leaked, leaked, leaked
	ofLive.SessionID, seen.UnseenSince = "141:9", time.Time{}
	quiet.Owner, quiet.SessionID, quiet.Finding = "", "", graph.FindingNone
	for _, row := range []struct {
		world     string
		container serve.SeenContainer
		want      []line
	}{
		{"nobody's", leaked, []line{{"unseen", "gitlab keen_bell of codex 12 cannot be seen now; it was orphaned, and its wait begins anew once it is seen"}}},
		{"nothing was wrong with it", quiet, []line{{"unseen", "gitlab keen_bell cannot be seen now"}}},
		{"a live session's, which has a line of its own", ofLive, nil},
		{"the last look shows it", seen, nil},
	} {
		if got := unseenLines(&serve.State{InUse: []serve.Client{live}, Containers: []serve.SeenContainer{row.container}}); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
	many := &serve.State{}
	for range mostNamed + 2 {
		many.Containers = append(many.Containers, leaked)
	}
	if got := unseenLines(many); len(got) != mostNamed+1 || got[mostNamed].text != "and 2 more" {
		t.Errorf("%q", got)
	}
}
