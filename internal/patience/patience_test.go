package patience

import (
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
