package host

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestAConfiguredServerIsKnownByItsCommandOrItsAddress(t *testing.T) {
	c := &configuration{set: discover.NewSet([]discover.Server{
		{Name: "dial", Command: "/usr/local/bin/dialpad-messaging", Folder: "/home/dev", Owner: inventory.Known(1000)},
		{Name: "web", URL: "http://localhost:8931/mcp", Owner: inventory.Known(1000)},
		{Name: "jobs", Command: "/srv/train", Args: []string{"--all"}, Folder: "/home/dev/clone", Project: true, Owner: inventory.Known(1000)},
	}, nil)}
	dial := []string{"/usr/local/bin/dialpad-messaging"}
	processes := []inventory.Process{
		{PID: 7, Start: 1, UID: inventory.Known(1000), Argv: []string{"/usr/local/bin/dialpad-messaging"}},
		{PID: 8, Start: 1, UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, Listening: inventory.Known(true), ListenPorts: []int{22, 8931}},
		{PID: 9, Start: 1, UID: inventory.Known(1000), Argv: []string{"node", "server.js"}, Listening: inventory.Known(true), ListenPorts: []int{8930}},
		{PID: 10, Start: 1, UID: inventory.Known(1001), Argv: []string{"node", "server.js"}, ListenPorts: []int{8931}}, // another user's
		{PID: 11, Start: 1, UID: inventory.Known(1000), Argv: []string{"/srv/train", "--all"}},
		{PID: 12, Start: 1, UID: inventory.Known(1000), Argv: dial, ContainerID: "c1"},
		{PID: 13, Start: 1, UID: inventory.Known(1000), Argv: dial, UserNamespace: 8},
		{PID: 14, Start: 1, UID: inventory.Known(1000), Argv: dial, PIDNamespace: 8},
		{PID: 15, Start: 1, UID: inventory.Known(1000), Argv: dial, ContainerID: "c1", ListenPorts: []int{8931}},
		{PID: 1, Start: 1, UserNamespace: 7, PIDNamespace: 7}, // reaperd
	}
	c.label(&inventory.Snapshot{Host: inventory.Host{SelfPID: 1}, Processes: processes})
	for i, want := range []struct{ name, by, in string }{
		{"dial", "command", ""}, {"web", "url", ""}, {"", "", ""}, {"web", "elsewhere", ""}, {"jobs", "command", "/home/dev/clone"},
		{}, {}, {}, {"web", "elsewhere", ""}, {},
	} {
		if got := processes[i]; got.Configured != want.name || got.ConfiguredBy != want.by || got.ConfiguredIn != want.in {
			t.Errorf("process %d is %q by %q in %q, want %+v", got.PID, got.Configured, got.ConfiguredBy, got.ConfiguredIn, want)
		}
	}
}

// project is a folder whose configuration names one server.
func project(t *testing.T, server string) discover.Workdir {
	t.Helper()
	folder := t.TempDir()
	configure(t, folder, server)
	return discover.Workdir{Dir: folder, UID: os.Getuid()}
}

func configure(t *testing.T, folder, server string) {
	t.Helper()
	text := `{"mcpServers": {"` + server + `": {"command": "/opt/` + server + `"}}}`
	if err := os.WriteFile(filepath.Join(folder, ".mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// names reports whether the configuration names a server.
func (c *configuration) names(server string) bool {
	return c.set.Match(&inventory.Process{PID: 7, Start: 1, UID: inventory.Known(os.Getuid()), Argv: []string{"/opt/" + server}}) != nil
}

// discovering is a policy that has the configuration read, or not.
func discovering(does bool) *policy.Policy { return &policy.Policy{Discover: does} }

func newTestConfiguration() *configuration {
	return newConfiguration(Options{Policy: discovering(true), Log: slog.New(slog.DiscardHandler)})
}

func TestConfigurationStandsWhileTheSameSessionsRun(t *testing.T) {
	for _, row := range []struct {
		says  string
		age   time.Duration
		other bool // sessions in another folder
		read  bool
	}{
		{says: "read lately", age: configurationStands / 2},
		{says: "read long ago", age: configurationStands, read: true},
		{says: "other sessions", age: configurationStands / 2, other: true, read: true},
	} {
		t.Run(row.says, func(t *testing.T) {
			here, there := project(t, "before"), project(t, "after")
			synctest.Test(t, func(t *testing.T) {
				c := newTestConfiguration()
				if !c.refresh(t.Context(), []discover.Workdir{here}) || !c.names("before") {
					t.Fatal("not read at first")
				}
				time.Sleep(row.age) // the bubble's clock
				folders := []discover.Workdir{here}
				if row.other {
					folders = []discover.Workdir{there}
				}
				configure(t, here.Dir, "after")
				changed := c.refresh(t.Context(), folders)
				if read := c.names("after"); read != row.read {
					t.Errorf("read anew: %v, want %v", read, row.read)
				}
				if changed != row.other {
					t.Errorf("comes from other files: %v, want %v", changed, row.other)
				}
			})
		})
	}
}

// TestWhoMayEndWhatListensReadsTheConfigurationOften: a client that somebody has just
// configured to use an address keeps the server there.
func TestWhoMayEndWhatListensReadsTheConfigurationOften(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		says  string
		rule  policy.Rule
		often bool
	}{
		{"ends what does not listen", policy.Rule{Action: policy.ActionTerminate, Match: policy.Match{Listening: &no}}, false},
		{"reports what listens", policy.Rule{Action: policy.ActionReport, Match: policy.Match{Listening: &yes}}, false},
		{"ends containers", policy.Rule{Action: policy.ActionRemove, Match: policy.Match{Kinds: []graph.Kind{graph.KindContainer}}}, false},
		{"ends what listens", policy.Rule{Action: policy.ActionTerminate, Match: policy.Match{Listening: &yes}}, true},
		{"ends all", policy.Rule{Action: policy.ActionTerminate}, true},
	} {
		t.Run(row.says, func(t *testing.T) {
			here := project(t, "before")
			synctest.Test(t, func(t *testing.T) {
				p := &policy.Policy{Discover: true, Rules: []policy.Rule{row.rule}}
				opened := newConfiguration(Options{Policy: p, Log: slog.New(slog.DiscardHandler)})
				for _, c := range []*configuration{opened, newTestConfiguration().under(p)} {
					configure(t, here.Dir, "before")
					c.refresh(t.Context(), []discover.Workdir{here})
					time.Sleep(standsForListeners) // the bubble's clock
					configure(t, here.Dir, "after")
					if c.refresh(t.Context(), []discover.Workdir{here}); c.names("after") != row.often {
						t.Errorf("read again after %s: %v, want %v", standsForListeners, c.names("after"), row.often)
					}
				}
			})
		})
	}
}

// late is a discoverer with a folder that did not answer, and that answers again or not.
type late struct {
	again bool
	asked int
}

func (l *late) Configured(context.Context, []discover.Home, []discover.Workdir) discover.Set {
	l.asked++
	return discover.Set{}
}
func (l *late) Unread() []discover.Warning {
	return []discover.Warning{{File: "/usr/games", Text: discover.NoAnswer()}}
}
func (l *late) AnswersAgain() bool { return l.again }

func TestWhatWasLateIsReadAgainOnceItAnswers(t *testing.T) {
	for _, row := range []struct {
		says  string
		again bool
		want  int
	}{{"it is still silent", false, 1}, {"it answers again", true, 2}} {
		t.Run(row.says, func(t *testing.T) {
			read := &late{}
			c := newTestConfiguration()
			c.discoverer = read
			c.refresh(t.Context(), nil)
			read.again = row.again
			if c.refresh(t.Context(), nil); read.asked != row.want {
				t.Errorf("read %d times, want %d", read.asked, row.want)
			}
			const want = "/usr/games did not answer within 0.5 s; what was known of it stays"
			if gaps := c.gaps(); len(gaps) != 1 || gaps[0].Reason != want {
				t.Errorf("told %+v, want %q", gaps, want)
			}
		})
	}
}

func TestAnotherPolicyHasTheConfigurationReadAtOnceOrNotAtAll(t *testing.T) {
	here := project(t, "before")
	synctest.Test(t, func(t *testing.T) {
		c := newTestConfiguration()
		folders := []discover.Workdir{here}
		c.refresh(t.Context(), folders)
		configure(t, here.Dir, "after")
		if on := c.under(discovering(true)); !on.names("before") {
			t.Error("what was known is forgotten before it is read again")
		} else if on.refresh(t.Context(), folders); !on.names("after") {
			t.Error("not read at once")
		}
		off := c.under(discovering(false))
		if off.refresh(t.Context(), folders); off.names("before") || off.names("after") {
			t.Error("a policy without discovery knows servers by configuration")
		}
		again := off.under(discovering(true))
		if again.refresh(t.Context(), folders); !again.names("after") {
			t.Error("not read by a policy that turns discovery on again")
		}
	})
}
