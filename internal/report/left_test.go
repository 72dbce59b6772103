package report

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestWhatIsPendingIsShownWithTheSessionThatLeftIt(t *testing.T) {
	in := waitingForTheDaemon(policy.ActionTerminate)
	for name, want := range map[string]bool{"the evidence does not name it": true, "the evidence names it": false} {
		for i := range in.Verdicts {
			for j := range in.Verdicts[i].Target.Evidence {
				e := &in.Verdicts[i].Target.Evidence[j]
				*e = graph.Evidence{Check: e.Check, Says: e.Says, Proof: e.Proof, Text: "nobody holds the other end of its stdin"}
				if !want {
					e.Text = "the claude-code 44 that started it is gone"
				}
			}
		}
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "   left by claude-code 44\n"); got != want {
			t.Errorf("%s, said %t:\n%s", name, got, out.String())
		}
	}
}
