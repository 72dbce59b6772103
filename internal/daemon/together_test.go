package daemon

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
)

func TestWhatIsEndedByHandAndByTheDaemonAtTheSameTimeIsReapedOnce(t *testing.T) {
	noon := time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)
	own := func(ends, took time.Duration, result done.Result) sweep.Outcome {
		return sweep.Outcome{
			Outcome: reap.Outcome{TargetID: "50:100", Result: result, Detail: "it was asked", FreedBytes: 899, Took: took},
			Act:     policy.Act{ID: "own", TargetID: "50:100"}, At: noon.Add(ends),
		}
	}
	hand := func(ends, took time.Duration, result done.Result) journal.Entry {
		return journal.Entry{ID: "hand", Phase: journal.PhaseOutcome, TargetID: "50:100", Time: noon.Add(ends), TookSeconds: took.Seconds(), Result: string(result), Detail: "it was killed", FreedBytes: 901}
	}
	const second = time.Second
	type round struct {
		own  []sweep.Outcome
		hand []journal.Entry
	}
	for _, row := range []struct {
		world     string
		rounds    []round
		own, hand done.Result
	}{
		{"the sweep by hand killed it, and the daemon's act ended a moment later", []round{{[]sweep.Outcome{own(5100*time.Millisecond, 4600*time.Millisecond, done.Exited)}, []journal.Entry{hand(5*second, 5*second, done.Killed)}}}, done.AlreadyGone, done.Killed},
		{"the daemon was first", []round{{[]sweep.Outcome{own(4900*time.Millisecond, 4600*time.Millisecond, done.Exited)}, []journal.Entry{hand(5*second, 5*second, done.Killed)}}}, done.Exited, done.AlreadyGone},
		{"what is by hand is read a round later", []round{{own: []sweep.Outcome{own(5*second, 4*second, done.Exited)}}, {hand: []journal.Entry{hand(5100*time.Millisecond, 5*second, done.Killed)}}}, done.Exited, done.AlreadyGone},
		{"the daemon's act ends a round later", []round{{hand: []journal.Entry{hand(5*second, 5*second, done.Killed)}}, {own: []sweep.Outcome{own(5100*time.Millisecond, 4*second, done.Exited)}}}, done.AlreadyGone, done.Killed},
		{"a container that was started again is reaped again", []round{{[]sweep.Outcome{own(30*second, 2*second, done.Exited)}, []journal.Entry{hand(5*second, 5*second, done.Killed)}}}, done.Exited, done.Killed},
		{"the sweep by hand was refused", []round{{[]sweep.Outcome{own(5*second, 4*second, done.Exited)}, []journal.Entry{hand(4*second, 2*second, done.Refused)}}}, done.Exited, done.Refused},
		{"the daemon found it gone by itself", []round{{[]sweep.Outcome{own(5*second, 4*second, done.AlreadyGone)}, []journal.Entry{hand(6*second, 2*second, done.Killed)}}}, done.AlreadyGone, done.Killed},
	} {
		var reaped reapedAt
		var outcomes []sweep.Outcome
		var entries []journal.Entry
		for _, r := range row.rounds {
			given, read := slices.Clone(r.own), slices.Clone(r.hand)
			told, byHand := reaped.once(r.own, r.hand)
			outcomes, entries = append(outcomes, told...), append(entries, byHand...)
			if len(given) > 0 && given[0].Result != r.own[0].Result || len(read) > 0 && read[0].Result != r.hand[0].Result {
				t.Errorf("%s: what was handed over has changed", row.world)
			}
		}
		if outcomes[0].Result != row.own || done.Result(entries[0].Result) != row.hand {
			t.Errorf("%s: the daemon's %s, by hand %s; want %s and %s", row.world, outcomes[0].Result, entries[0].Result, row.own, row.hand)
		}
		if outcomes[0].Detail == done.Together && outcomes[0].FreedBytes != 0 || entries[0].Detail == done.Together && entries[0].FreedBytes != 0 {
			t.Errorf("%s: memory is freed twice", row.world)
		}
	}
}

func TestAnIntentionByHandIsNoEnd(t *testing.T) {
	var reaped reapedAt
	intention := journal.Entry{ID: "hand", Phase: journal.PhaseIntend, TargetID: "50:100", Time: time.Now()}
	own := sweep.Outcome{Outcome: reap.Outcome{Result: done.Exited, Took: time.Minute}, Act: policy.Act{TargetID: "50:100"}, At: time.Now().Add(time.Second)}
	if told, _ := reaped.once([]sweep.Outcome{own}, []journal.Entry{intention}); told[0].Result != done.Exited {
		t.Errorf("got %s", told[0].Result)
	}
}
