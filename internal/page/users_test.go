package page

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// of makes nodes a user's, with a folder.
func of(user, cwd string, n overview.Node) overview.Node {
	n.User, n.Cwd = user, cwd
	return n
}

func TestWhoseAThingIsWhereSeveralUsersAreSeen(t *testing.T) {
	annsLeak, devsLeak := of("ann", "", pending(51, time.Minute)), of("dev", "", pending(52, 2*time.Minute))
	box := pending(53, time.Minute)
	box.Key, box.Kind, box.Name, box.Handle, box.MemoryBytes = "container:0a", overview.KindContainer, "github", "gh1", 0
	box.Next.Action = policy.ActionRemove
	stray, devsStray := box, devsLeak
	stray.Owner, devsStray.Owner = overview.Owner{Liveness: graph.LivenessGone}, overview.Owner{Liveness: graph.LivenessGone}
	nobodys := gone(0, stray, devsStray)
	nobodys.Name, nobodys.Owner = "", overview.Owner{Liveness: graph.LivenessGone}
	for _, row := range []struct {
		world string
		tree  overview.Tree
		says  []string
		not   []string
	}{
		{"sessions of two, in their homes", tree(sessions(of("ann", "/home/ann/src", session(44, 2, of("ann", "", server(45)))), of("dev", "/home/dev/src", session(46, 1)))),
			[]string{"claude-code 44 1 server · ~ann/src · /dev/pts/3", "claude-code 46 no servers · ~dev/src"}, []string{"user ann"}},
		{"sessions of two, elsewhere", tree(sessions(of("ann", "/srv/x", session(44, 2, of("ann", "", server(45)))), of("root", "/root/x", session(46, 1)))),
			[]string{"claude-code 44 1 server · user ann · /srv/x", "fetch 45 npm exec", "claude-code 46 no servers · user root · ~/x"}, nil},
		{"what one session left", tree(sessions(of("dev", "/home/dev/src", session(46, 1))), leaked(gone(50, annsLeak))),
			[]string{"codex 50 1 server · user ann ended", "fetch 51 npm exec", "left by codex 50, user ann Found"}, nil},
		{"a container that one session left with a server", tree(sessions(of("dev", "/home/dev/src", session(46, 1))), leaked(gone(50, annsLeak, box))),
			[]string{"github gh1 is removed in 1m left by codex 50, user ann"}, nil},
		{"what nobody knows who left, of two", tree(leaked(gone(50, annsLeak, devsLeak))),
			[]string{"codex 50 2 servers ended", "fetch 51 user ann · npm exec", "fetch 52 user dev · npm exec", "user dev Found"}, nil},
		{"a container that nobody is known to have started, beside a server of one user", tree(sessions(of("ann", "/home/ann/src", session(46, 1))), leaked(nobodys)),
			[]string{"github gh1 is removed in 1m nobody is known who started it Found", "fetch 52 user dev"}, nil},
		{"a single user", tree(sessions(of("ann", "/srv/x", session(44, 2))), leaked(gone(50, annsLeak))), []string{"1 server ended"}, []string{"user ann"}},
	} {
		got := text(t, whole(t, Input{Tree: row.tree, Home: "/root"}))
		for _, says := range row.says {
			if !strings.Contains(got, says) {
				t.Errorf("%s: no %q in\n%s", row.world, says, got)
			}
		}
		for _, not := range row.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in\n%s", row.world, not, got)
			}
		}
	}
}

// TestWhatAnEndedSessionLeftIsCountedAsOnTheTile: without what may be in use, which is told apart.
func TestWhatAnEndedSessionLeftIsCountedAsOnTheTile(t *testing.T) {
	for _, row := range []struct {
		totals overview.Totals
		want   string
	}{
		{overview.Totals{Servers: 4, Containers: 1, UnseenServers: 2, UnseenContainers: 1}, "2 servers, 3 more may be in use"},
		{overview.Totals{Servers: 2, UnseenServers: 2}, "2 servers that may be in use"},
		{overview.Totals{Servers: 2}, "2 servers"},
	} {
		if got := countsOf(&overview.Node{Kind: overview.KindGone, Totals: row.totals}); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
