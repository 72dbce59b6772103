package state

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/human"
)

func TestWhatAStayHasNotThatTheOneBeforeHad(t *testing.T) {
	limited, reasoned := Stay{Until: noon}, Stay{Reason: "a demo"}
	both := Stay{Until: noon, Reason: "a demo"}
	for _, row := range []struct {
		says          string
		before, after Stay
		text, unlike  string
	}{
		{"all is dropped", both, Stay{}, "until " + human.Moment(noon.Local()) + ` ("a demo")`, "no end and no reason"},
		{"the end alone", both, reasoned, "until " + human.Moment(noon.Local()) + ` ("a demo")`, "no end"},
		{"all is new", Stay{}, both, "without an end", "another end (" + human.Moment(noon.Local()) + ") and another reason"},
		{"the reason alone", limited, both, "until " + human.Moment(noon.Local()), "another reason"},
		{"nothing", both, both, "until " + human.Moment(noon.Local()) + ` ("a demo")`, ""},
	} {
		if got := row.before.String(); got != row.text {
			t.Errorf("%s: it was %q, want %q", row.says, got, row.text)
		}
		if got := row.after.Unlike(row.before); got != row.unlike || row.after.Same(row.before) != (got == "") {
			t.Errorf("%s: now %q, want %q", row.says, got, row.unlike)
		}
	}
}

func TestAReasonIsShownWholeOrRefused(t *testing.T) {
	longest := strings.Repeat("é", mostReason)
	if err := CheckReason(longest); err != nil {
		t.Error(err)
	}
	if got := (Pause{Reason: longest}).Sentence(); got != "paused: "+longest {
		t.Errorf("it is cut: %s", got)
	}
	if err := CheckReason(longest + "x"); err == nil || err.Error() != "the reason has 501 characters: want at most 500" {
		t.Errorf("got %v", err)
	}
}
