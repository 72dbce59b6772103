package status

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

// besideRoots is a daemon that only reports because root's runs, with one thing pending.
func besideRoots(files policy.Mode) serve.State {
	now := time.Now()
	return serve.State{
		Ready: true, LastSweep: &serve.Sweep{At: now}, NextSweep: now.Add(7900 * time.Millisecond), Mode: policy.ModeReport, ModeFrom: policy.BesideSystem,
		Policy:  serve.PolicyState{SHA256: strings.Repeat("ab", 32), FileMode: files},
		Pending: []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", AtOnce: true, DueAt: now.Add(5900 * time.Millisecond)}},
		InUse:   []serve.Client{{Name: "codex", PID: 6, ID: "6:1", StopsAt: now.Add(time.Minute)}},
	}
}

func written(t *testing.T, is serve.State, view View) string {
	t.Helper()
	view.Now, view.Width = time.Now(), 200
	var out strings.Builder
	if err := Write(&out, &is, view); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestWhatRootsDaemonDecidesHasNoTime, in no form: nobody but root is told it.
func TestWhatRootsDaemonDecidesHasNoTime(t *testing.T) {
	for _, row := range []struct {
		beside beside.Daemons
		times  int
	}{{beside.Daemons{{User: "root", PID: 12}}, 0}, {nil, 2}} {
		is := besideRoots(policy.ModeEnforce)
		data, err := json.Marshal(is)
		if err != nil {
			t.Fatal(err)
		}
		got, err := JSON(data, &is, View{Beside: row.beside})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(got), `"due_at"`) + strings.Count(string(got), `"stops_at"`); n != row.times || !strings.Contains(string(got), `"40:1"`) {
			t.Errorf("%v: %d times in %s", row.beside, n, got)
		}
	}
}

// TestWhatOnlyAPolicyOfTheUsersOwnKeepsIsNotKeptFromRootsDaemon, in no form.
func TestWhatOnlyAPolicyOfTheUsersOwnKeepsIsNotKeptFromRootsDaemon(t *testing.T) {
	is := besideRoots(policy.ModeReport)
	is.Stays = []serve.Stay{
		{Name: "memory", Handle: "7480", Finding: "orphaned", Why: `protected by "mine"`, OwnPolicy: true},
		{Name: "fetch", Handle: "22", Finding: "orphaned", Why: "reaperd pin keeps it"},
	}
	data, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	for limit, view := range map[string]View{" (for your own sweeps only)": {Beside: beside.Daemons{{User: "root", PID: 12}}}, "": {}} {
		text := written(t, is, view)
		for _, want := range []string{`memory 7480 is orphaned: protected by "mine"` + limit + "\n", "fetch 22 is orphaned: reaperd pin keeps it\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		got, err := JSON(data, &is, view)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"why":"protected by \"mine\"` + limit + `"`, `"why":"reaperd pin keeps it"`} {
			if !strings.Contains(string(got), want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
	}
}

// TestBesideRootsDaemonStatusNamesTheSweepThatIsEnough: a sweep by hand goes by the policy.
func TestBesideRootsDaemonStatusNamesTheSweepThatIsEnough(t *testing.T) {
	for files, want := range map[policy.Mode]string{
		policy.ModeEnforce: "stop now  reaperd sweep --now\n",
		policy.ModeReport:  "stop now  reaperd sweep --mode enforce --now\n",
		"":                 "stop now  reaperd sweep --mode enforce --now\n", // an older daemon tells no more
	} {
		if got := written(t, besideRoots(files), View{Beside: beside.Daemons{{User: "root", PID: 12}}}); !strings.Contains(got, want) {
			t.Errorf("%q: no %q in\n%s", files, want, got)
		}
	}
}

// TestOnceRootsDaemonHasEndedTheNextLookGoesByThePolicy: until then the daemon still has the mode that it had beside it.
func TestOnceRootsDaemonHasEndedTheNextLookGoesByThePolicy(t *testing.T) {
	for files, wants := range map[policy.Mode][]string{
		policy.ModeEnforce: {"mode report (root's daemon has ended: it goes by its policy again, mode enforce, with the next look, in 6s): it is well\n", "pending   git 40 in 6s (rule r)\n", "stop now  reaperd sweep --now\n"},
		policy.ModeReport:  {"mode report, with the next look, in 6s): it is well\n", "pending   git 40 due in 6s, but the mode is report (rule r)\n", "stop now  reaperd sweep --mode enforce --now\n"},
	} {
		got := written(t, besideRoots(files), View{})
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", files, want, got)
			}
		}
	}
}
