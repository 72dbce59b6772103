package ownfile

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hung never answers before the test lets it.
func hung(until chan struct{}) func() string {
	return func() string { <-until; return "late" }
}

func quick() string { return "now" }

func TestWhatNeverAnswersCostsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, release := &Asker[string]{Within: time.Second, Most: 2, Rest: time.Minute}, make(chan struct{})
		one, two, three := Question[string]{"one", 1}, Question[string]{"two", 1}, Question[string]{"three", 1}
		if got, ok := Ask(a, one, quick); !ok || got != "now" {
			t.Fatalf("got %q, %v", got, ok)
		}
		before := time.Now()
		if _, ok := Ask(a, one, hung(release)); ok || time.Since(before) != time.Second {
			t.Errorf("answered %v after %s", ok, time.Since(before))
		}
		before = time.Now()
		if _, ok := Ask(a, one, quick); ok || time.Since(before) != 0 {
			t.Error("it is asked again while it does not answer")
		}
		if got, ok := Ask(a, two, quick); !ok || got != "now" {
			t.Error("another of its group is not asked")
		}
		Ask(a, two, hung(release))
		if _, ok := Ask(a, three, quick); ok {
			t.Error("more of one group are asked than may be unanswered")
		}
		if _, ok := Ask(a, Question[string]{"other", 2}, quick); !ok {
			t.Error("another group is not asked")
		}
		if n := len(a.Silent()); n != 2 {
			t.Errorf("%d are silent, want 2", n)
		}
		close(release)
		synctest.Wait()
		if _, ok := Ask(a, one, quick); ok {
			t.Error("what has just answered late is asked again at once")
		}
		<-time.After(time.Minute)
		if got, ok := Ask(a, one, quick); !ok || got != "now" || len(a.Silent()) != 0 {
			t.Error("it is not asked again once it has answered")
		}
	})
}

func TestWithoutARestWhatAnsweredLateIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, release := &Asker[string]{Within: time.Second, Most: 1}, make(chan struct{})
		one, two := Question[string]{"one", 1}, Question[string]{"two", 1}
		Ask(a, one, hung(release))
		for _, q := range []Question[string]{one, two} {
			if _, ok := Ask(a, q, quick); ok {
				t.Errorf("%s is asked while one does not answer", q.Of)
			}
		}
		close(release)
		synctest.Wait()
		for _, q := range []Question[string]{one, two} {
			if _, ok := Ask(a, q, quick); !ok {
				t.Errorf("%s is not asked although all have answered", q.Of)
			}
		}
	})
}

func TestOfManyThingsWhatDoesNotAnswerIsLeftOut(t *testing.T) {
	for _, row := range []struct {
		says    string
		silent  string // the things that hang
		groups  int
		want    string // the things that are answered
		lasts   time.Duration
		waiting string // the things that are silent after it
	}{
		{says: "all answer", want: "abcdef"},
		{says: "the first hangs", silent: "a", want: "bcdef", lasts: time.Second, waiting: "a"},
		{says: "one in the middle hangs", silent: "c", want: "abdef", lasts: time.Second, waiting: "c"},
		{says: "the last hangs", silent: "f", want: "abcde", lasts: time.Second, waiting: "f"},
		{says: "as many of one group hang as may", silent: "bd", want: "ac", lasts: 2 * time.Second, waiting: "bd"},
		{says: "as many of each group hang as may", silent: "abcd", groups: 2, lasts: 4 * time.Second, waiting: "abcd"},
	} {
		t.Run(row.says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, release := &Asker[string]{Within: time.Second, Most: 2, Rest: time.Minute}, make(chan struct{})
				var questions []Question[string]
				for i, thing := range strings.Split("abcdef", "") {
					questions = append(questions, Question[string]{Of: thing, Group: i % max(1, row.groups)})
				}
				answers, before := "", time.Now()
				Each(a, questions, func(i int) string {
					if strings.Contains(row.silent, questions[i].Of) {
						<-release
					}
					return questions[i].Of
				}, func(i int, got string) {
					if got != questions[i].Of {
						t.Errorf("%q was answered for %q", got, questions[i].Of)
					}
					answers += got
				})
				if lasted := time.Since(before); answers != row.want || lasted != row.lasts {
					t.Errorf("%q answered after %s, want %q after %s", answers, lasted, row.want, row.lasts)
				}
				if got := sorted(a.Silent()); got != row.waiting {
					t.Errorf("%q are silent, want %q", got, row.waiting)
				}
				close(release)
				synctest.Wait()
				<-time.After(time.Minute)
				if got := sorted(a.Silent()); got != "" {
					t.Errorf("%q are silent although they answered long ago", got)
				}
			})
		})
	}
}

// TestWhatTakesLongTogetherIsNotSilent asks many things of which each answers just in
// time.
func TestWhatTakesLongTogetherIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Asker[int]{Within: time.Second, Most: 2, Rest: time.Minute}
		questions, answers := make([]Question[int], 20), 0
		for i := range questions {
			questions[i].Of = i
		}
		Each(a, questions, func(int) bool { <-time.After(999 * time.Millisecond); return true }, func(int, bool) { answers++ })
		if answers != len(questions) || len(a.Silent()) > 0 {
			t.Errorf("%d of %d answered, %d are silent", answers, len(questions), len(a.Silent()))
		}
	})
}

// A goroutine of a round may get no processor for longer than an answer may take.
func TestWhatWasNotAskedYetIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Asker[string]{Within: time.Second, Most: 2, Rest: time.Minute}
		questions := []Question[string]{{"one", 1}, {"two", 1}}
		r := &round[string, string]{asker: a, questions: questions, over: make(chan struct{})}
		late := func(when string) {
			t.Helper()
			<-time.After(2 * time.Second)
			if left, _ := r.leave(); left || len(a.Silent()) != 0 {
				t.Errorf("%s: left %v, silent %v", when, left, a.Silent())
			}
		}
		late("before the first question")
		if !r.begin() || !r.end("one") {
			t.Fatal("the first question is not asked and answered")
		}
		late("between two questions")
		if !r.begin() || r.at != 1 {
			t.Fatalf("question %d is asked second", r.at)
		}
		<-time.After(2 * time.Second)
		if left, _ := r.leave(); !left || !a.IsSilent("two") || a.IsSilent("one") {
			t.Errorf("the question that was asked: left %v, silent %v", left, a.Silent())
		}
		if r.end("two") {
			t.Error("a late answer counts")
		}
		if !slices.Equal(r.answers, []answer[string]{{0, "one"}}) {
			t.Errorf("answers %v", r.answers)
		}
	})
}

func sorted(things []string) string {
	slices.Sort(things)
	return strings.Join(things, "")
}

// TestWhoWasLateOnceOnABusyMachineIsSoonAskedAgain, and a user whose processes are late again
// and again is asked less and less.
func TestWhoWasLateOnceOnABusyMachineIsSoonAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rest = 320 * time.Second
		a := &Asker[string]{Within: time.Second, Most: 9, Rest: rest}
		late := func() string { <-time.After(1500 * time.Millisecond); return "late" }
		restOf := func(q Question[string]) time.Duration {
			Ask(a, q, late)
			began := time.Now()
			for a.IsSilent(q.Of) {
				<-time.After(time.Second)
			}
			return time.Since(began)
		}
		for i, want := range []time.Duration{10, 20, 40, 80, 160, 320, 320} {
			thing := Question[string]{strings.Repeat("x", i+1), 1}
			if got := restOf(thing); got != want*time.Second {
				t.Errorf("number %d of its group rests for %s, want %ds", i+1, got, want)
			}
			if _, ok := Ask(a, thing, quick); !ok {
				t.Errorf("number %d is not asked after its rest", i+1)
			}
		}
		if got := restOf(Question[string]{"other", 2}); got != 10*time.Second {
			t.Errorf("one of another group rests for %s, want 10s", got)
		}
		<-time.After(2 * rest)
		if got := restOf(Question[string]{"x", 1}); got != 10*time.Second {
			t.Errorf("after %s without another it rests for %s, want 10s", 2*rest, got)
		}
		if len(a.silent)+len(a.last) > 2 {
			t.Errorf("%d and %d are remembered", len(a.silent), len(a.last))
		}
	})
}
