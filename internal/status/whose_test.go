package status

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/serve"
)

func TestWhoseThingsAreWhereSeveralUsersAreSeen(t *testing.T) {
	anns := serve.Client{Name: "claude-code", PID: 443, Servers: 2, Cwd: "/home/ann/src/shop", User: "ann"}
	apart := serve.Client{Name: "codex", PID: 5, Servers: 1, Cwd: "/srv/x", User: "dev"}
	idle := serve.Client{Name: "codex", PID: 6, Servers: 1, User: "dev", Idle: true, IdleSeconds: new(time.Hour.Seconds())}
	own := serve.Client{Name: "codex", PID: 7, Servers: 1, Cwd: "/root/src", User: "root"}
	pending := []serve.Pending{{ID: "56:1", Name: "fetch", Rule: "r", User: "ann"}}
	stays := []serve.Stay{{Name: "git", Handle: "9", Owner: "codex 13", User: "ann", Finding: graph.FindingOrphaned, Why: "it listens"}}
	for _, row := range []struct {
		world string
		is    serve.State
		want  []line
	}{
		{"of two", serve.State{InUse: []serve.Client{anns, apart, idle, own}, Pending: pending, Stays: stays}, []line{
			{"session", "claude-code 443 in ~ann/src/shop with 2 servers"},
			{"session", "codex 5 of user dev in /srv/x with 1 server"},
			{"session", "codex 7 of user root in ~/src with 1 server"},
			{"idle", "codex 6 of user dev for 1h at the last look, with 1 server"},
			{"pending", "fetch 56 of user ann (rule r)"}, {"keep one", "reaperd pin 56"},
			{"stays", "git 9 of codex 13 of user ann is orphaned: it listens"}, {"why", "reaperd explain 9"}}},
		{"of one", serve.State{InUse: []serve.Client{anns}, Pending: pending, Stays: stays}, []line{
			{"session", "claude-code 443 in ~ann/src/shop with 2 servers"}, {"pending", "fetch 56 (rule r)"}, {"keep one", "reaperd pin 56"},
			{"stays", "git 9 of codex 13 is orphaned: it listens"}, {"why", "reaperd explain 9"}}},
	} {
		who := whoseIn(&row.is, View{Home: "/root"})
		got := slices.Concat(sessionLines(&row.is, who, time.Now()), pendingLines(&row.is, who, time.Now()), handLines(&row.is, who), stayLines(row.is.Stays, who))
		if !slices.Equal(got, row.want) {
			t.Errorf("%s:\n%q, want\n%q", row.world, got, row.want)
		}
	}
}
