package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/journal"
)

// gitlabs are acts on so many servers of one name, one a minute.
func gitlabs(n int) []journal.Entry {
	var acts []journal.Entry
	for i := range n {
		acts = append(acts, journal.Entry{
			Phase: journal.PhaseOutcome, ID: fmt.Sprint("a", i), Time: time.Date(2026, 11, 22, 18, i, 0, 0, time.Local), Name: "gitlab", TargetID: fmt.Sprintf("%d:7", 201+i),
			Rule: "orphaned-servers", Result: "exited", Owner: "codex 93:5", Evidence: []journal.Evidence{{Check: "stdin", Says: "orphaned", Text: "nobody holds its stdin"}},
		})
	}
	return acts
}

func TestSeveralOfOneNameHaveALineEach(t *testing.T) {
	again := gitlabs(2) // one server, acted on twice
	again[1].TargetID = again[0].TargetID
	begun := gitlabs(2)
	begun[1].Phase, begun[1].Result, begun[1].Owner = journal.PhaseIntend, "", ""
	begun[1].ByHand = "sweep --now"
	for _, row := range []struct {
		world string
		acts  []journal.Entry
		want  string
	}{
		{"two", begun, `gitlab is not running here.
  2026-11-22 18:00:00  gitlab 201 of codex 93: exited (rule orphaned-servers)
  2026-11-22 18:01:00  gitlab 202: begun, and no outcome was written (rule orphaned-servers, by hand: sweep --now)
What was seen of one of them: reaperd explain 202
`},
		{"more than are listed", gitlabs(12), `gitlab is not running here.
2 more before these: reaperd history --name gitlab
  2026-11-22 18:02:00  gitlab 203 of codex 93: exited (rule orphaned-servers)
`},
		{"one, with all that was seen of it", gitlabs(1), `gitlab is not running here.
2026-11-22 18:00:00  gitlab 201 (rule orphaned-servers): exited
  as it was seen before that:
    owner: codex 93
    stdin: nobody holds its stdin (orphaned)
`},
		{"one on which reaperd acted twice", again, `gitlab is not running here.
2026-11-22 18:00:00  gitlab 201 (rule orphaned-servers): exited
  as it was seen before that:
`},
	} {
		var out strings.Builder
		f := Fate{Subject: "gitlab", Entries: row.acts}
		if err := f.Write(&out); err != nil || !strings.HasPrefix(out.String(), row.want) {
			t.Errorf("%s: %v\n%s", row.world, err, out.String())
		}
	}
}

// TestWhatOneSessionLeftIsToldTogether: a sweep's acts end in any order.
func TestWhatOneSessionLeftIsToldTogether(t *testing.T) {
	var h History
	for i, act := range []struct{ sweep, owner, rule string }{
		{"1", "codex 9:1", "servers"}, {"1", "codex 9:1", "containers"}, {"1", "pi 8:1", "servers"}, {"1", "codex 9:1", "servers"},
		{"2", "codex 9:1", "servers"}, {"", "pi 8:1", "servers"}, {"", "codex 9:1", "servers"}, {"", "pi 8:1", "servers"},
	} {
		h.Acts = append(h.Acts, Act{Entry: journal.Entry{Phase: journal.PhaseOutcome, ID: fmt.Sprint(i), TargetID: fmt.Sprintf("%d:7", 30+i), Name: "fetch",
			Sweep: act.sweep, Owner: act.owner, Rule: act.rule, Result: "exited"}})
	}
	if got, want := h.byOwner(), []int{0, 3, 1, 2, 4, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("in the order %v, want %v", got, want)
	}
}
