package demo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

func TestAProcessPlaysOnlyAPartThatThereIs(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		given          bool
		code           int
	}{
		{name: "no part: an ordinary reaperd"},
		{name: "a part that nobody knows", variable: `{"role":"ghost"}`, given: true, code: 1},
		{name: "no part in it", variable: `{}`, given: true, code: 1},
		{name: "the first process, that is not the first", variable: `{"role":"first","story":{}}`, given: true, code: 1},
		{name: "a wrapper of nothing", variable: `{"role":"wrapper"}`, given: true, code: 1},
		{name: "a director without a story", variable: `{"role":"director"}`, given: true, code: 1},
		{name: "something else", variable: `first`, given: true, code: 1},
	} {
		code, plays := Play(func(string) (string, bool) { return c.variable, c.given })
		if code != c.code || plays != c.given {
			t.Errorf("%s: %d %v, want %d %v", c.name, code, plays, c.code, c.given)
		}
	}
}

func TestADemoForAProgramThatIsNotHereIsNotBegun(t *testing.T) {
	for program, isHere := range map[string]bool{"": true, "reaperd": true, "sh": true, "no-such-program": false, "/no/such/program": false} {
		var o Options
		if program != "" {
			o.Command = []string{program, "top"}
		}
		var advised *advice.Error
		if err := o.checkCommand(); (err == nil) != isHere || !isHere && (!errors.As(err, &advised) || !advised.Misuse) {
			t.Errorf("%q: %v", program, err)
		}
	}
}

func TestAWorldThatIsDeniedSaysWhereItIsAllowed(t *testing.T) {
	var advised *advice.Error
	if err := advise(&DeniedError{"unshare", fs.ErrPermission}); !errors.As(err, &advised) || advised.Hint == "" || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestTheCountdownGoesInStepsOfTwoSecondsAndEndsInSilence(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		answer, want string
	}{
		{`{"pending":[]}`, ""},
		{`{"pending":[{"name":"memory","due_at":"2026-11-22T12:00:09.4Z"},{"name":"github","due_at":"2026-11-22T12:00:04Z"}]}`, "memory in 10s, github in 4s"},
		{`{"pending":[{"name":"memory","due_at":"2026-11-22T12:00:00.9Z"}]}`, ""},
		{`{"pending":[{"name":"memory","due_at":"2026-11-22T11:59:58Z"}]}`, ""},
	} {
		var is status
		if err := json.Unmarshal([]byte(c.answer), &is); err != nil {
			t.Fatal(err)
		}
		if got := is.countdown(now); got != c.want {
			t.Errorf("%s: %q, want %q", c.answer, got, c.want)
		}
	}
}

func TestThePolicyWritesTimesAsPeopleDo(t *testing.T) {
	for _, row := range []struct {
		world story
		want  string
	}{
		{story{Options: Options{Hold: true}}, "  - {name: orphaned-servers, for: 30m, grace: 2s}\n  - {name: idle-sessions, match: {idle_for: 10s}}\n"},
		{story{}, "  - {name: orphaned-servers, for: 10s, grace: 2s}\n"},
	} {
		if got := row.world.policy(); !strings.HasSuffix(got, row.want) {
			t.Errorf("%+v: no %q in\n%s", row.world, row.want, got)
		}
	}
}

// TestItIsSaidWhichTimesDiffer, each of them: a server that ignores SIGTERM is killed after 2s on the screens.
func TestItIsSaidWhichTimesDiffer(t *testing.T) {
	const want = "it looks every 1s, not every 30s, reaps what nobody owns after 3s, not 30s, and kills what does not end after 2s, not 5s."
	fast := story{Options: Options{Fast: true}}
	if got := fast.aboutTimes(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	played, err := policy.Load(policy.File{Name: "demo", Data: []byte(fast.policy())}, builtin)
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range policyfile.Shipped().Rules {
		if its := played.Rules[i]; rule.Name == orphaned {
			if its.For != 3*time.Second || its.Grace != 2*time.Second || rule.For != 30*time.Second || rule.Grace != 5*time.Second {
				t.Errorf("rule %s: for %s and grace %s, shipped %s and %s", rule.Name, its.For, its.Grace, rule.For, rule.Grace)
			}
		} else if its.For != rule.For || its.Grace != rule.Grace {
			t.Errorf("rule %s differs too", rule.Name)
		}
	}
}

func TestWhatTheDaemonHasFoundCountsWhereverItIsByNow(t *testing.T) {
	for answer, want := range map[string]int{
		`{}`: 0,
		`{"pending":[{"name":"memory"},{"name":"github"}]}`:                                   2,
		`{"pending":[{"name":"memory"}],"under_way":[{"target":"7:1"}]}`:                      2,
		`{"under_way":[{"target":"7:1"}],"last_acts":[{"name":"memory","outcome":"exited"}]}`: 2,
	} {
		var is status
		if err := json.Unmarshal([]byte(answer), &is); err != nil || is.Found() != want {
			t.Errorf("%s: %d, want %d (%v)", answer, is.Found(), want, err)
		}
	}
}

func TestNothingIsWaitedForOnceTheDaemonHasEnded(t *testing.T) {
	for _, c := range []struct {
		name  string
		ended func() chan struct{}
		waits bool
	}{
		{"it has ended", func() chan struct{} { ended := make(chan struct{}); close(ended); return ended }, false},
		{"it runs", func() chan struct{} { return make(chan struct{}) }, true},
		{"it has not started", func() chan struct{} { return nil }, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			d, began := &director{story: &story{}, ended: c.ended()}, time.Now()
			err := d.becomes("it rains", func() (bool, error) { return false, nil })
			if waited := time.Since(began) >= patience; err == nil || !strings.Contains(err.Error(), "it rains") || waited != c.waits {
				t.Errorf("%s: %v after %s", c.name, err, time.Since(began))
			}
		})
	}
}

// TestAHintToTypeDiesWithItsWorld, and only reaperd gives such hints.
func TestAHintToTypeDiesWithItsWorld(t *testing.T) {
	for command, want := range map[string]bool{"": false, "sh": false, "reaperd scan": true} {
		if got := (Options{Command: strings.Fields(command)}).Farewell() != ""; got != want {
			t.Errorf("%q: %t, want %t", command, got, want)
		}
	}
}
