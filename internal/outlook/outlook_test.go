package outlook

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// TestWhoeverEndsAPinLearnsWhatTheDaemonDoesThen: what its time is over for goes at once.
func TestWhoeverEndsAPinLearnsWhatTheDaemonDoesThen(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	pending := func(id string, in time.Duration) serve.Pending { return serve.Pending{ID: id, DueAt: at.Add(in)} }
	session := func(id string, in time.Duration) serve.Client {
		return serve.Client{ID: id, Name: "gemini", PID: 201, StopsAt: at.Add(in), StopsBy: "idle-sessions"}
	}
	one, two := []state.Pin{{ID: "1:1"}}, []state.Pin{{ID: "1:1"}, {ID: "2:1"}}
	for _, row := range []struct {
		world string
		is    serve.State
		ended []state.Pin
		want  []string
	}{
		{"nothing waits", serve.State{Pending: []serve.Pending{pending("9:1", 0)}}, one, nil},
		{"its time is not over", serve.State{Pending: []serve.Pending{pending("1:1", 24*time.Second)}}, one, []string{"note: the daemon stops it in 24s"}},
		{"its time is over", serve.State{Pending: []serve.Pending{pending("1:1", 0)}}, one, []string{"note: the daemon stops it now"}},
		{"its end has begun", serve.State{UnderWay: []serve.Begun{{Target: "1:1"}}}, one, []string{"note: the daemon stops it now"}},
		{"it has ended already", serve.State{LastActs: []serve.Act{{Target: "1:1", At: at.Add(time.Second)}}}, one, []string{"note: the daemon stops it now"}},
		{"an act on it was before", serve.State{LastActs: []serve.Act{{Target: "1:1", At: at.Add(-time.Second)}}}, one, nil},
		{"a rule only reports it", serve.State{Pending: []serve.Pending{{ID: "1:1"}}}, one, nil},
		{"what is left of it is ended too", serve.State{UnderWay: []serve.Begun{{Target: "9:1", Tree: []string{"9:1", "1:1"}}}}, one, []string{"note: the daemon stops it now"}},
		{"both go", serve.State{UnderWay: []serve.Begun{{Target: "1:1"}, {Target: "2:1"}}}, two, []string{"note: the daemon stops them now"}},
		{"one of two goes", serve.State{UnderWay: []serve.Begun{{Target: "1:1"}}, Pending: []serve.Pending{pending("2:1", time.Minute)}}, two, []string{"note: the daemon stops 1 of them now"}},
		{"both wait", serve.State{Pending: []serve.Pending{pending("1:1", time.Minute), pending("2:1", 9*time.Second)}}, two, []string{"note: the daemon stops the first of them in 9s"}},
		{"both wait for the same sweep", serve.State{Pending: []serve.Pending{pending("1:1", 9*time.Second), pending("2:1", 10*time.Second)}}, two, []string{"note: the daemon stops them in 10s"}},
		{"one of two waits", serve.State{Pending: []serve.Pending{pending("2:1", 9*time.Second)}}, two, []string{"note: the daemon stops 1 of them in 9s"}},
		{"a session is stopped if it goes on doing nothing", serve.State{InUse: []serve.Client{session("1:1", 9*time.Second), session("3:1", time.Second)}}, two, []string{"note: the daemon stops gemini 201 in 9s if it goes on doing nothing (rule idle-sessions)"}},
		{"that is far ahead", serve.State{InUse: []serve.Client{session("1:1", time.Hour)}}, one, nil},
		{"no rule stops it", serve.State{InUse: []serve.Client{{ID: "1:1"}}}, one, nil},
	} {
		if got := unpinned(&row.is, row.ended, at, at); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestTheEndOfAPauseIsNoPromiseThatSomethingActs.
func TestTheEndOfAPauseIsNoPromiseThatSomethingActs(t *testing.T) {
	for _, row := range []struct {
		is   *serve.State
		want string
	}{
		{nil, "Resumed: what is due is reaped again."}, // it does not answer in time
		{&serve.State{Ready: true, Mode: policy.ModeReport}, "Resumed. The daemon only reports (mode: report); reaperd sweep --mode enforce stops what is due."},
		{&serve.State{Mode: policy.ModeEnforce}, "Resumed. The daemon is not well and stops nothing; reaperd status says why."},
		{&serve.State{Ready: true, Mode: policy.ModeEnforce}, "Resumed: what is due is reaped again."},
	} {
		if got := resumed(row.is); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// TestADaemonThatDoesNotAnswerIsSaidToReapNothingAfterAPause: nobody accepts, as if a signal had stopped it.
func TestADaemonThatDoesNotAnswerIsSaidToReapNothingAfterAPause(t *testing.T) {
	folder, err := os.MkdirTemp("", "") // short enough for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	dir := state.Dir(folder)
	listener, err := net.Listen("unix", dir.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got, want := Resumed(ctx, dir, nil), "Resumed. The daemon does not answer, and nothing is reaped by itself; reaperd status says more."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWithoutADaemonTheEndOfAPauseNamesTheSweepThatActs: one by a policy that only reports needs
// --mode enforce.
func TestWithoutADaemonTheEndOfAPauseNamesTheSweepThatActs(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	dir := state.Dir(t.TempDir())
	if got, want := Resumed(t.Context(), dir, nil), "Resumed. No daemon runs; reaperd sweep stops what is due."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	file := filepath.Join(config, "reaperd", "policies.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("version: 1\nextends: builtin\nmode: report\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Resumed(t.Context(), dir, nil), "Resumed. No daemon runs; reaperd sweep --mode enforce stops what is due, in spite of mode: report."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAPolicyThatADaemonGoesByWithAnotherModeIsSaidToBe: its own screen says "enforce".
func TestAPolicyThatADaemonGoesByWithAnotherModeIsSaidToBe(t *testing.T) {
	p := &policy.Policy{Mode: policy.ModeEnforce, Hash: "1"}
	besideRoots := serve.State{PID: 7, Mode: policy.ModeReport, ModeFrom: policy.BesideSystem, Policy: serve.PolicyState{SHA256: "1", FileMode: policy.ModeEnforce}}
	for _, hasRoots := range []bool{true, false} {
		want := "note: the daemon (process 7) goes by this policy with its next look: it only reported because root's daemon ran, and that has ended"
		if hasRoots {
			want = "note: the daemon (process 7) goes by this policy with mode report (root's daemon runs): it stops nothing"
		}
		if got := policyOf(&besideRoots, p, hasRoots); !slices.Equal(got, []string{want}) {
			t.Errorf("root's runs %t: %q, want %q", hasRoots, got, want)
		}
	}
	for _, row := range []struct {
		is   serve.State
		want []string
	}{
		{serve.State{Mode: policy.ModeEnforce, Policy: serve.PolicyState{SHA256: "1"}}, nil},
		{serve.State{PID: 7, Mode: policy.ModeReport, ModeFrom: "--mode", Policy: serve.PolicyState{SHA256: "1"}}, []string{"note: the daemon (process 7) goes by this policy with mode report (--mode): it stops nothing"}},
		{serve.State{PID: 7, Mode: policy.ModeEnforce, Policy: serve.PolicyState{SHA256: "2", Source: policy.Builtin}}, []string{"note: the daemon (process 7) goes by the built-in policy, and not by this one"}},
		{serve.State{PID: 7, Mode: policy.ModeEnforce, Policy: serve.PolicyState{SHA256: "2", Source: "/etc/p.yaml"}}, []string{"note: the daemon (process 7) goes by another policy: reaperd policy show /etc/p.yaml"}},
	} {
		if got := policyOf(&row.is, p, false); !slices.Equal(got, row.want) {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// TestSweepsByHandAndRootsDaemonMayNotGoByAPolicy: only where it was not named do sweeps go by it, and never does
// root's daemon.
func TestSweepsByHandAndRootsDaemonMayNotGoByAPolicy(t *testing.T) {
	config, dir := t.TempDir(), state.Dir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", config)
	personal, named := filepath.Join(config, "reaperd", "policies.yaml"), filepath.Join(config, "a b.yaml")
	if err := os.MkdirAll(filepath.Dir(personal), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{personal, named} {
		if err := os.WriteFile(path, []byte("version: 1\nextends: builtin\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := beside.Daemons{{User: "root", PID: 7}}
	for _, row := range []struct {
		source   string
		variable string
		others   beside.Daemons
		want     []string
	}{
		{personal, "", nil, []string{"note: no daemon runs by this policy; sweeps by hand go by it"}},
		{named, "", nil, []string{"note: no daemon runs by this policy; sweeps by hand go by it only with --policies '" + named + "'"}},
		{named, named, nil, []string{"note: no daemon runs by this policy; sweeps by hand go by it"}},
		{policyfile.Stdin, "", nil, []string{"note: no daemon runs by this policy; it is from stdin, and sweeps by hand do not go by it"}},
		{personal, "", roots, []string{
			"note: no daemon of yours runs by this policy; sweeps by hand go by it",
			"note: root's daemon (process 7) chooses its policy by itself: no protect, mode or rule of a user's file binds it: sudo reaperd policy show",
		}},
		{policyfile.System, "", roots, []string{
			"note: no daemon of yours runs by this policy; sweeps by hand go by it only with --policies /etc/reaperd/policies.yaml",
			"note: root's daemon (process 7) chooses its policy by itself: sudo reaperd policy show",
		}},
	} {
		t.Setenv("REAPERD_POLICIES", row.variable)
		p := &policy.Policy{Sources: []policy.Source{{Name: row.source}}}
		if got := Policy(t.Context(), dir, row.others, p); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.source, got, row.want)
		}
	}
	if err := os.Remove(personal); err != nil {
		t.Fatal(err)
	}
	t.Setenv("REAPERD_POLICIES", "")
	if _, err := os.Stat(policyfile.System); err == nil {
		t.Skip("this host has a policy: the built-in one does not hold")
	}
	p, want := &policy.Policy{Sources: []policy.Source{{Name: policy.Builtin}}}, []string{"note: no daemon runs by this policy; sweeps by hand go by it"}
	if got := Policy(t.Context(), dir, nil, p); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWithoutADaemonASweepByHandDecides.
func TestWithoutADaemonASweepByHandDecides(t *testing.T) {
	dir := state.Dir(t.TempDir())
	ended := []state.Pin{{ID: "1:1"}}
	if got, want := Unpinned(t.Context(), dir, nil, ended), []string{"note: no daemon runs: a sweep by hand decides (reaperd sweep)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := dir.Pause(time.Now(), state.Pause{}); err != nil {
		t.Fatal(err)
	}
	if got, want := Unpinned(t.Context(), dir, nil, ended), []string{"note: no daemon runs, and it is paused: nothing is stopped before reaperd resume"}; !slices.Equal(got, want) {
		t.Errorf("it is paused: %q, want %q", got, want)
	}
	devs := beside.Daemons{{User: "dev", UID: 1000, PID: 5770}}
	if got, want := Unpinned(t.Context(), dir, devs, ended), []string{
		"note: no daemon of root runs; your own sweeps are paused, and dev's daemon does not go by it",
		"note: dev's daemon (process 5770) goes by pins of its own: su dev -c 'reaperd pins'",
	}; !slices.Equal(got, want) {
		t.Errorf("beside a user's daemon: %q, want %q", got, want)
	}
	if got, want := Resumed(t.Context(), dir, devs), "Resumed. Only your own sweeps were paused; reaperd sweep stops what is due."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	roots := beside.Daemons{{User: "root", PID: 7}}
	if got, want := Unpinned(t.Context(), dir, roots, ended), []string{"note: root's daemon (process 7) decides now, by its own policy and pins: sudo reaperd status"}; !slices.Equal(got, want) {
		t.Errorf("beside root's daemon: %q, want %q", got, want)
	}
	if got := Unpinned(t.Context(), dir, nil, nil); len(got) > 0 {
		t.Errorf("no pin has ended: %q", got)
	}
}

// TestADaemonThatStopsNothingPromisesNothing about what a session left.
func TestADaemonThatStopsNothingPromisesNothing(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	waits := []serve.Pending{{ID: "1:1", DueAt: now.Add(9 * time.Second)}}
	for _, row := range []struct {
		is   serve.State
		want string
	}{
		{serve.State{Mode: policy.ModeEnforce, Ready: true, Pending: waits}, "the daemon stops it in 9s"},
		{serve.State{Mode: policy.ModeEnforce, Ready: true}, ""},
		{serve.State{Mode: policy.ModeEnforce, Pending: waits}, ""},
		{serve.State{Mode: policy.ModeEnforce, Ready: true, Paused: true, Pending: waits}, ""},
		{serve.State{Mode: policy.ModeReport, Ready: true, Pending: waits}, ""},
	} {
		if got := Next(&row.is, []string{"1:1"}, now); got != row.want {
			t.Errorf("%+v: %q, want %q", row.is, got, row.want)
		}
	}
}

// TestWhatIsFoundIsPendingOrLeftOrLeaked: about anything else a daemon that stops nothing has no word.
func TestWhatIsFoundIsPendingOrLeftOrLeaked(t *testing.T) {
	one := []state.Pin{{ID: "1:1"}}
	for _, row := range []struct {
		is   serve.State
		want bool
	}{
		{serve.State{Pending: []serve.Pending{{ID: "1:1"}}}, true},
		{serve.State{Leavers: []serve.Leaver{{Left: []serve.Left{{ID: "2:1"}, {ID: "1:1"}}}}}, true},
		{serve.State{Pending: []serve.Pending{{ID: "2:1"}}, Leavers: []serve.Leaver{{Left: []serve.Left{{ID: "2:1"}}}}}, false},
		{serve.State{Remembered: map[string]graph.Recalled{"1:1": {Finding: graph.FindingOrphaned}}}, true}, // from before the daemon: nobody knows who left it
		{serve.State{Remembered: map[string]graph.Recalled{"1:1": {Finding: graph.FindingNone}, "2:1": {Finding: graph.FindingOrphaned}}}, false},
	} {
		if got := isFound(&row.is, one); got != row.want {
			t.Errorf("%+v: %v", row.is, got)
		}
	}
}

// TestAPauseThatEndsByItselfIsNotSaidToLastUntilResumed.
func TestAPauseThatEndsByItselfIsNotSaidToLastUntilResumed(t *testing.T) {
	until := time.Date(2026, 11, 23, 14, 53, 1, 0, time.Local)
	for want, end := range map[string]time.Time{
		"it is paused: nothing is stopped before reaperd resume":                                           {},
		"it is paused until 2026-11-23 14:53:01: nothing is stopped before that, or before reaperd resume": until,
	} {
		if got := pausedText(end); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
