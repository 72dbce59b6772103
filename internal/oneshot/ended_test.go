package oneshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// leavers are what a daemon tells that has seen claude-code 12 end.
func leavers(since time.Time) []serve.Leaver {
	return []serve.Leaver{{Name: "claude-code", Kind: graph.OwnerSession, PID: 12, ID: "12:900", Since: since, Left: []serve.Left{
		{ID: "22:1000", Kind: overview.KindServer, Name: "fetch", Handle: "22"}, {ID: "31:1001", Kind: overview.KindServer, Name: "git", Handle: "31"},
	}}}
}

func TestASessionThatHasEndedIsExplainedByWhatItLeft(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	told := pastOf(&serve.State{Leavers: leavers(at)}, nil, nil)
	const left = "claude-code 12 ended 2026-11-22 10:06:45, left 2 servers: fetch 22, git 31."
	for word, want := range map[string]string{"claude-code": left, "12": left, "claude*": left, "codex": "", "22": "", "0": ""} {
		if got := told.ended(word).Text; got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if got := pastOf(&serve.State{}, nil, nil).ended("claude-code").Text; got != "" {
		t.Errorf("no daemon answers: %q", got)
	}
}

func TestWhatBecameOfWhatASessionLeft(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself}
	thing := func(id, name, handle string, after time.Duration, how serve.End) serve.Gone {
		return serve.Gone{ID: id, Kind: graph.KindServer, Name: name, Handle: handle, Owner: "claude-code", OwnerID: "12:900", At: at.Add(after), How: how}
	}
	with := leavers(at)
	with[0].Left = append(with[0].Left, serve.Left{ID: "0123", Kind: overview.KindContainer, Name: "weather", Handle: "eager_fermi"})
	const ended = "claude-code 12 ended 2026-11-22 10:06:45"
	for _, row := range []struct {
		world   string
		leavers []serve.Leaver
		gone    []serve.Gone
		acted   bool
		want    string
	}{
		{"all still runs", with, []serve.Gone{session}, false, ended + ", left 2 servers and 1 container: fetch 22, git 31, weather eager_fermi."},
		{"a server ended in the same look", leavers(at), []serve.Gone{session, thing("40:1", "time", "40", 0, serve.EndedByItself)}, false,
			ended + ", left 2 servers: fetch 22, git 31. With it ended time 40."},
		{"one ended later", leavers(at), []serve.Gone{session, thing("40:1", "time", "40", time.Second, serve.EndedByItself)}, false,
			ended + ". Of what it left these still run: fetch 22, git 31. Ended, with no act in the daemon's journal: time 40."},
		{"one was reaped", leavers(at), []serve.Gone{session, thing("40:1", "time", "40", time.Minute, serve.EndedByReaperd)}, true,
			ended + ". Of what it left these still run: fetch 22, git 31."},
		{"the journal tells of it, and the daemon does not know", leavers(at), []serve.Gone{session, thing("40:1", "time", "40", time.Minute, serve.EndedByItself)}, true,
			ended + ". Of what it left these still run: fetch 22, git 31."},
		{"an earlier daemon reaped it", leavers(at), nil, true, ended + ". Of what it left these still run: fetch 22, git 31."},
		{"all ended with it", nil, []serve.Gone{session, thing("40:1", "time", "40", 0, serve.EndedByItself)}, false, ended + " and left no server or container behind. With it ended time 40."},
		{"it had nothing", nil, []serve.Gone{session}, false, ended + " and left no server or container behind."},
		{"all was reaped", nil, []serve.Gone{session, thing("40:1", "time", "40", time.Minute, serve.EndedByReaperd)}, true, ended + ". No server or container that it left runs any more."},
		{"another's server ended", nil, []serve.Gone{session, {ID: "40:1", Kind: graph.KindServer, Name: "time", Handle: "40", OwnerID: "13:900", At: at, How: serve.EndedByItself}}, false, ended + " and left no server or container behind."},
	} {
		var acted map[string]string
		if row.acted {
			acted = map[string]string{"40:1": "12:900"}
		}
		if got := pastOf(&serve.State{Leavers: row.leavers, Gone: row.gone}, nil, acted).ended("12").Text; got != row.want {
			t.Errorf("%s:\n%s, want\n%s", row.world, got, row.want)
		}
	}
	told := pastOf(&serve.State{Gone: []serve.Gone{session, thing("40:1", "time", "40", time.Second, serve.EndedByItself), thing("41:1", "git", "41", time.Second, serve.EndedByReaperd)}}, nil, nil)
	if got, want := told.ended("40").Text, "time 40, left by claude-code 12, ended, as seen 2026-11-22 10:06:46; the daemon's journal names no act on it."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := told.ended("41").Text; got != "" {
		t.Errorf("what was reaped is told by the journal, and also here: %q", got)
	}
}

// TestBesideALiveSessionThoseThatLeftSomethingAreTold, until that is long over.
func TestBesideALiveSessionThoseThatLeftSomethingAreTold(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself}
	const ended = "claude-code 12 ended 2026-11-22 10:06:45"
	for _, row := range []struct {
		world   string
		leavers []serve.Leaver
		acted   map[string]string
		looked  time.Duration // after its end
		name    string
		want    string
	}{
		{"it leaks", leavers(at), nil, 48 * time.Hour, "claude-code", ended + ", left 2 servers: fetch 22, git 31: reaperd explain 12"},
		{"what it left was reaped", nil, map[string]string{"22:1000": "12:900"}, time.Hour, "claude-code", ended + ". No server or container that it left runs any more: reaperd explain 12"},
		{"days ago", nil, map[string]string{"22:1000": "12:900"}, 48 * time.Hour, "claude-code", ""},
		{"it left nothing", nil, nil, time.Minute, "claude-code", ""},
		{"of another name", leavers(at), nil, time.Minute, "codex", ""},
	} {
		p := pastOf(&serve.State{Leavers: row.leavers, Gone: []serve.Gone{session}}, nil, row.acted)
		p.looked = at.Add(row.looked)
		if got := strings.Join(p.also(row.name), "\n"); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatEndedWithItsSessionWasNotLeftByIt: nothing is to be done about it.
func TestWhatEndedWithItsSessionWasNotLeftByIt(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself}
	server := serve.Gone{ID: "40:1", Kind: graph.KindServer, Name: "time", Handle: "40", Owner: "claude-code", OwnerID: "12:900", At: at, How: serve.EndedByItself}
	told := serve.State{Gone: []serve.Gone{session, server}}
	if got, want := pastOf(&told, nil, nil).ended("time").Text, "time 40 ended with its session claude-code 12, as seen 2026-11-22 10:06:45."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOfSeveralOfANameThoseThatReaperdEndedAreToldByItsActs, and the others with their ends, the
// last one at the end.
func TestOfSeveralOfANameThoseThatReaperdEndedAreToldByItsActs(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := func(pid int, after time.Duration, how serve.End) serve.Gone {
		return serve.Gone{ID: fmt.Sprint(pid, ":1"), Kind: graph.KindSession, Name: "gemini", Handle: fmt.Sprint(pid), At: at.Add(after), How: how}
	}
	told := &serve.State{Gone: []serve.Gone{session(30, 2*time.Minute, serve.EndedByItself), session(10, 0, serve.EndedByReaperd), session(20, time.Minute, serve.EndedByItself)}}
	const others = "gemini 20 ended 2026-11-22 10:07:45. No server or container that it left runs any more.\ngemini 30 ended 2026-11-22 10:08:45 and left no server or container behind."
	for word, want := range map[string]string{"gemini": others, "10": ""} {
		if got := pastOf(told, nil, map[string]string{"10:1": "", "21:1": "20:1"}).ended(word).Text; got != want {
			t.Errorf("%s:\n%s, want\n%s", word, got, want)
		}
	}
	s := &Sight{daemon: told}
	for after, want := range map[time.Duration]bool{0: true, 90 * time.Second: true, 3 * time.Minute: false} {
		if got := s.endedSince("gemini", at.Add(after)); got != want {
			t.Errorf("ended since %s: %v", after, got)
		}
	}
	if s.endedSince("10", at.Add(-time.Minute)) {
		t.Error("what reaperd ended counts as ended by itself")
	}
}

// TestWhoeverAsksAfterASessionLearnsWhatBecomesOfWhatItLeft: while that still runs.
func TestWhoeverAsksAfterASessionLearnsWhatBecomesOfWhatItLeft(t *testing.T) {
	in := func(d time.Duration) []serve.Pending {
		due := time.Now().Add(d)
		return []serve.Pending{{ID: "22:1000", DueAt: due}, {ID: "31:1001", DueAt: due}}
	}
	for _, row := range []struct {
		world string
		told  serve.State
		want  string
	}{
		{"it goes later", serve.State{Mode: policy.ModeEnforce, Ready: true, Pending: in(time.Hour + 30*time.Second)}, "left 2 servers: fetch 22, git 31. The daemon stops them in 1h."},
		{"it goes now", serve.State{Mode: policy.ModeEnforce, Ready: true, Pending: in(-time.Second)}, "left 2 servers: fetch 22, git 31. The daemon stops them now."},
		{"it is paused", serve.State{Mode: policy.ModeEnforce, Ready: true, Paused: true, Pending: in(time.Hour)}, "left 2 servers: fetch 22, git 31. It is paused: nothing is stopped before reaperd resume."},
		{"the daemon only reports", serve.State{Mode: policy.ModeReport, Ready: true, Pending: in(time.Hour)}, "left 2 servers: fetch 22, git 31. The daemon only reports, and stops nothing."},
		{"a rule only reports", serve.State{Mode: policy.ModeEnforce, Ready: true}, "left 2 servers: fetch 22, git 31."},
	} {
		row.told.Leavers = leavers(time.Now())
		if got := pastOf(&row.told, nil, nil).ended("12").Text; !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatTheDaemonStopsIsNamedWhereOthersWereNamedInBetween: "it" would be what has ended.
func TestWhatTheDaemonStopsIsNamedWhereOthersWereNamedInBetween(t *testing.T) {
	at := time.Now().Add(-time.Minute)
	ended := serve.Gone{ID: "40:1", Kind: graph.KindServer, Name: "time", Handle: "40", Owner: "claude-code", OwnerID: "12:900", At: at, How: serve.EndedByItself}
	due := time.Now().Add(30*time.Second - time.Millisecond)
	fetch, git := serve.Pending{ID: "22:1000", DueAt: due}, serve.Pending{ID: "31:1001", DueAt: due}
	later := git
	later.DueAt = due.Add(time.Minute)
	for _, row := range []struct {
		pending []serve.Pending
		want    string
	}{
		{[]serve.Pending{fetch}, " With it ended time 40. The daemon stops fetch 22 in 30s."},
		{[]serve.Pending{fetch, git}, " With it ended time 40. The daemon stops fetch 22 and git 31 in 30s."},
		{[]serve.Pending{fetch, later}, " With it ended time 40. The daemon stops the first of fetch 22 and git 31 in 30s."},
	} {
		told := serve.State{Mode: policy.ModeEnforce, Ready: true, Pending: row.pending, Leavers: leavers(at), Gone: []serve.Gone{ended}}
		if got := pastOf(&told, nil, nil).ended("12").Text; !strings.HasSuffix(got, row.want) {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// TestWhereRootsDaemonDecidesTooNothingIsDenied: a user's own daemon only reports beside it.
func TestWhereRootsDaemonDecidesTooNothingIsDenied(t *testing.T) {
	told := serve.State{Mode: policy.ModeReport, Ready: true, Leavers: []serve.Leaver{{Name: "codex", PID: 12, ID: "12:900", Left: []serve.Left{{ID: "22:1", Kind: overview.KindServer, Name: "fetch", Handle: "22"}}}}}
	p := pastOf(&told, nil, nil)
	p.roots, p.besideRoots = beside.Daemon{User: "root", PID: 141}, true
	if got, want := p.ended("12").Text, "Your daemon only reports; root's daemon (process 141) decides by its own policy: sudo reaperd status."; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAServerThatEndedWhileItsSessionLivedWasNotLeft by it, and did not end with it later.
func TestAServerThatEndedWhileItsSessionLivedWasNotLeft(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	server := serve.Gone{ID: "40:1", Kind: graph.KindServer, Name: "time", Handle: "40", Owner: "claude-code", OwnerID: "12:900", At: at, How: serve.EndedByItself, InUse: true}
	pending := server
	pending.ID, pending.Handle, pending.InUse = "41:1", "41", false
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at.Add(time.Minute), How: serve.EndedByItself}
	for word, want := range map[string]string{
		"40": "time 40 of claude-code 12 ended by itself, as seen 2026-11-22 10:06:45: nothing was wrong with it, and the daemon's journal names no act on it.",
		"41": "time 41 of claude-code 12 ended, as seen 2026-11-22 10:06:45; the daemon's journal names no act on it.",
	} {
		if got := pastOf(&serve.State{Gone: []serve.Gone{server, pending}}, nil, nil).ended(word).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := pastOf(&serve.State{Gone: []serve.Gone{server, session}}, nil, nil).ended("12").Text, "claude-code 12 ended 2026-11-22 10:07:45 and left no server or container behind."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAClientThatIsNotKnownCanBeNamed by what it is called, if it owns something.
func TestAClientThatIsNotKnownCanBeNamed(t *testing.T) {
	agent := func(pid int) (inventory.Process, *graph.Target) {
		p := inventory.Process{PID: pid, Start: 7, Comm: "myagent"}
		return p, &graph.Target{ID: fmt.Sprint(pid+100, ":7"), Kind: graph.KindServer, Name: "fetch", Owner: graph.Owner{Name: "myagent", ID: p.ID(), Liveness: graph.LivenessLive}}
	}
	first, its := agent(40)
	second, others := agent(41)
	sight := &Sight{}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{Processes: []inventory.Process{first, second}}, Targets: []*graph.Target{its}}
	explained, err := sight.explainStranger("myagent", report.Input{})
	if err != nil || explained.Process().Process.PID != 40 || sight.NotShown([]string{"myagent", "40"}) != nil {
		t.Errorf("%+v, %v", explained, err)
	}
	if err := sight.Missing([]string{"myagent"}); err == nil || err.Error() != "40 (myagent) is no MCP server: reaperd never touches it" {
		t.Errorf("a sweep of it: %v", err)
	}
	if explained, err := sight.explainStranger("other", report.Input{}); explained != nil || err != nil {
		t.Errorf("%+v, %v", explained, err)
	}
	sight.View.Graph.Targets = append(sight.View.Graph.Targets, others)
	if _, err := sight.explainStranger("myagent", report.Input{}); err == nil || err.Error() != "myagent: 2 run here: 40 and 41" {
		t.Errorf("%v", err)
	}
}

// TestTheProgramOfAClientNamesIt, where nothing else is called that.
func TestTheProgramOfAClientNamesIt(t *testing.T) {
	p := &inventory.Process{PID: 12, Start: 1}
	sight := &Sight{sweeper: &sweep.Sweeper{}}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}, Sessions: []graph.Session{{Name: "claude-code", Process: p}}}
	if got, want := sight.Called([]string{"Claude", "codex", "12"}), []string{"claude-code", "codex", "12"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	sight.View.Graph.Sessions = nil
	if got := sight.Called([]string{"claude"}); got[0] != "claude" {
		t.Errorf("no such client here: %q", got)
	}
	sight.View.Graph.Targets = []*graph.Target{{ID: "13:1", Kind: graph.KindServer, Name: "claude"}}
	if got, want := sight.Called([]string{"claude"}), []string{"claude"}; !slices.Equal(got, want) {
		t.Errorf("a server is called that: %q, want %q", got, want)
	}
}

// TestTheProgramOfAClientThatHasEndedNamesItToo: by what a daemon saw, or by what the journal has.
func TestTheProgramOfAClientThatHasEndedNamesItToo(t *testing.T) {
	sight := &Sight{sweeper: &sweep.Sweeper{}, state: state.Dir(t.TempDir()), host: &host.Host{}, daemon: &serve.State{}}
	sight.View.Graph = &graph.Graph{Snapshot: &inventory.Snapshot{}}
	called := func() string { return sight.Called([]string{"claude"})[0] }
	if got := called(); got != "claude" {
		t.Errorf("nobody knows it: %q", got)
	}
	sight.daemon = &serve.State{Gone: []serve.Gone{{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12"}}}
	if got := called(); got != "claude-code" {
		t.Errorf("the daemon saw its end: %q", got)
	}
	sight.daemon = &serve.State{}
	record, err := journal.Open(sight.journal(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	if err := record.Done(journal.Entry{ID: "a", TargetID: "22:7", Name: "fetch", Owner: "claude-code 12:900", Result: "exited", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if got := called(); got != "claude-code" {
		t.Errorf("the journal has what it left: %q", got)
	}
	if got, want := sight.knownOf("claude-code", sight.daemon), "claude-code is not running here; the journal has what reaperd did to what it had"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOfManyThingsOfOneNameTheLastAreTold(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	var told serve.State
	for i := range 12 {
		told.Gone = append(told.Gone, serve.Gone{ID: fmt.Sprint(40+i, ":1"), Kind: graph.KindSession, Name: "codex", Handle: fmt.Sprint(40 + i), At: at, How: serve.EndedByItself})
	}
	got := pastOf(&told, nil, nil).ended("codex")
	lines := strings.Split(got.Text, "\n")
	if len(lines) != 6 || lines[0] != "7 more of that name ended before." || !strings.HasPrefix(lines[5], "codex 51 ended") || len(got.Gone) != 12 {
		t.Errorf("%d things, told as %q", len(got.Gone), lines)
	}
}

// The daemon looks every half minute: what has ended since then does not still run.
func TestWhatALookDoesNotShowHasEndedSinceTheDaemonLooked(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	look := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at.Add(5 * time.Second)}, Targets: []*graph.Target{{ID: "22:1000"}}}
	told := &serve.State{Leavers: leavers(at)}
	const ended = "claude-code 12 ended 2026-11-22 10:06:45"
	for subject, want := range map[string]string{
		"12": ended + ". Of what it left this still runs: fetch 22. Ended, with no act in the daemon's journal: git 31.",
		"31": "git 31, left by claude-code 12, has ended since the daemon looked last; its journal names no act on it.",
		"22": "",
	} {
		if got := pastOf(told, look, nil).ended(subject).Text; got != want {
			t.Errorf("%s: got %q, want %q", subject, got, want)
		}
	}
	blind := &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusError}}}}
	if got, want := pastOf(told, blind, nil).ended("12").Text, ended+", left 2 servers: fetch 22, git 31."; got != want {
		t.Errorf("Docker cannot be read: got %q, want %q", got, want)
	}
	if got, want := pastOf(told, look, map[string]string{"31:1001": "12:900"}).ended("12").Text, ended+". Of what it left this still runs: fetch 22."; got != want {
		t.Errorf("it was reaped a moment ago: got %q, want %q", got, want)
	}
}

// TestWhatWasPendingHasEndedIfNoLookShowsItAnyMore: the daemon may not know whose it was.
func TestWhatWasPendingHasEndedIfNoLookShowsItAnyMore(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	look := &graph.Graph{Snapshot: &inventory.Snapshot{TakenAt: at.Add(5 * time.Second)}, Targets: []*graph.Target{{ID: "22:1000"}}}
	told := &serve.State{Leavers: leavers(at), Pending: []serve.Pending{{ID: "40:7", Name: "time"}, {ID: "31:1001", Name: "git"}, {ID: "22:1000", Name: "fetch"}, {ID: "41:7", Name: "jira"}}}
	for subject, want := range map[string]string{
		"40": "time 40 has ended since the daemon looked last; its journal names no act on it.",
		"31": "git 31, left by claude-code 12, has ended since the daemon looked last; its journal names no act on it.", // told once
		"22": "",                                                                                                        // it runs
		"41": "",                                                                                                        // reaperd has acted on it
	} {
		if got := pastOf(told, look, map[string]string{"41:7": ""}).ended(subject).Text; got != want {
			t.Errorf("%s: got %q, want %q", subject, got, want)
		}
	}
}

func TestAContainerHasNotEndedWhereNoEngineWasRead(t *testing.T) {
	told := &serve.State{Leavers: leavers(time.Now())}
	told.Leavers[0].Left = append(told.Leavers[0].Left, serve.Left{ID: "0123", Kind: overview.KindContainer, Name: "weather", Handle: "eager_fermi"})
	for status, wantEnded := range map[inventory.Status]bool{inventory.StatusOK: true, inventory.StatusAbsent: false, inventory.StatusPartial: false} {
		look := &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{{Name: inventory.SourceDocker, Status: status}}}}
		if got := pastOf(told, look, nil).ended("eager_fermi").Text; (got != "") != wantEnded {
			t.Errorf("docker %s: got %q", status, got)
		}
	}
}

func TestWhoLeftATargetIsShownAndChangesNoJudgement(t *testing.T) {
	orphan := &graph.Target{ID: "22:1000", Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
	live := &graph.Target{ID: "31:1001", Owner: graph.Owner{Name: "codex", Liveness: graph.LivenessLive}}
	judged := []policy.Verdict{{Target: orphan, Decision: policy.Pending}, {Target: live}}
	shown := report.Attributed(judged, formerOwners(&serve.State{Leavers: leavers(time.Time{})}))
	if o := shown[0].Target.Owner; o.Name != "claude-code" || o.ID.PID != 12 || o.ID.Start != 900 || shown[0].Decision != policy.Pending {
		t.Errorf("the orphan is shown with %+v", o)
	}
	if shown[1].Target != live || judged[0].Target != orphan || orphan.Owner.Name != "" {
		t.Errorf("the look is changed: %+v, %+v", shown[1].Target, orphan)
	}
}

// TestAContainerWhoseDockerRunHasEndedWasItsSessions, while that lives.
func TestAContainerWhoseDockerRunHasEndedWasItsSessions(t *testing.T) {
	told := &serve.State{InUse: []serve.Client{{ID: "12:900", Name: "claude-code"}}, Containers: []serve.SeenContainer{
		{ID: "c1", Owner: "claude-code 12", SessionID: "12:900", Finding: graph.FindingOrphaned},
		{ID: "c2", Owner: "claude-code 12", SessionID: "12:900"},
		{ID: "c3", Owner: "codex 13", SessionID: "13:900", Finding: graph.FindingOrphaned},
		{ID: "c4", Finding: graph.FindingOrphaned},
	}}
	if got, want := hadBy(told), map[string]string{"c1": "claude-code 12"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAContainerIsThatOfTheSessionThatHadItBeforeItsEngineWasGone: the daemon has not looked
// since the engine is back.
func TestAContainerIsThatOfTheSessionThatHadItBeforeItsEngineWasGone(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself}
	seen := serve.SeenContainer{ID: "0123", SessionID: "12:900", UnseenSince: at}
	for _, row := range []struct {
		world string
		told  serve.State
		want  string // the owner of the container
	}{
		{"the daemon saw its session end", serve.State{Gone: []serve.Gone{session}, Containers: []serve.SeenContainer{seen}}, "claude-code 12"},
		{"its session left more, which the daemon sees", serve.State{Leavers: leavers(at), Containers: []serve.SeenContainer{seen}}, "claude-code 12"},
		{"its session lives, as far as the daemon knows", serve.State{Containers: []serve.SeenContainer{seen}}, ""},
		{"another session has ended", serve.State{Gone: []serve.Gone{{ID: "13:900", Kind: graph.KindSession, Name: "codex"}}, Containers: []serve.SeenContainer{seen}}, ""},
		{"whose it was was never known", serve.State{Gone: []serve.Gone{session}, Leavers: []serve.Leaver{{Name: "codex"}}, Containers: []serve.SeenContainer{{ID: "0123"}}}, ""},
	} {
		orphan := &graph.Target{ID: "0123", Kind: graph.KindContainer, Finding: graph.FindingOrphaned, Owner: graph.Owner{Liveness: graph.LivenessGone}}
		shown := report.Attributed([]policy.Verdict{{Target: orphan}}, formerOwners(&row.told))[0].Target.Owner
		if got := shown.Named().String(); shown.Name != "" && got != row.want || shown.Name == "" && row.want != "" {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
		if row.want != "" && (!shown.Since.Equal(at) || shown.Liveness != graph.LivenessGone) {
			t.Errorf("%s: %+v", row.world, shown)
		}
	}
}

// TestAnEndedSessionIsToldWithItsContainersThatCannotBeSeen: the daemon, too, has looked since
// the engine is gone, and lists them no more among what was left.
func TestAnEndedSessionIsToldWithItsContainersThatCannotBeSeen(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 6, 45, 0, time.Local)
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "claude-code", Handle: "12", At: at, How: serve.EndedByItself}
	box := serve.SeenContainer{ID: "0123", Name: "weather", Handle: "eager_fermi", SessionID: "12:900", UnseenSince: at}
	another := serve.SeenContainer{ID: "4567", Name: "weather", Handle: "busy_darwin", SessionID: "13:900", UnseenSince: at}
	fetch := leavers(at)
	fetch[0].Left = fetch[0].Left[:1]
	both := leavers(at)
	both[0].Left = []serve.Left{both[0].Left[0], {ID: "0123", Kind: overview.KindContainer, Name: "weather", Handle: "eager_fermi"}}
	absent := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}
	there := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusOK}
	const ended, unseen = "claude-code 12 ended 2026-11-22 10:06:45", " Of what it had this cannot be seen now: weather eager_fermi (docker is absent: no engine socket found)."
	for _, row := range []struct {
		world   string
		engine  inventory.Source
		leavers []serve.Leaver
		want    string
	}{
		{"the daemon has looked since", absent, fetch, ended + ". Of what it left this still runs: fetch 22." + unseen},
		{"the daemon has not looked since", absent, both, ended + ". Of what it left this still runs: fetch 22." + unseen},
		{"it left nothing else", absent, nil, ended + "." + unseen},
		{"the engine is back, and has it no more", there, fetch, ended + ", left 1 server: fetch 22."},
	} {
		look := &graph.Graph{Snapshot: &inventory.Snapshot{Sources: []inventory.Source{row.engine}}, Targets: []*graph.Target{{ID: "22:1000"}}}
		told := pastOf(&serve.State{Gone: []serve.Gone{session}, Leavers: row.leavers, Containers: []serve.SeenContainer{box, another}}, look, nil).ended("12")
		if told.Text != row.want {
			t.Errorf("%s:\n%s, want\n%s", row.world, told.Text, row.want)
		}
		if isUnseen := len(told.Unseen) == 1 && told.Unseen[0].ID == "0123"; isUnseen != (row.engine.Status == inventory.StatusAbsent) {
			t.Errorf("%s: unseen %+v", row.world, told.Unseen)
		}
	}
}
