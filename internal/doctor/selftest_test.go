package doctor

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TestMain plays a child's part where the test binary is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == PartCommand {
		if err := PlayPart(os.Args[2]); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(runAll(m))
}

var runAll = (*testing.M).Run

func TestTheRealThingIsSeenAsItIs(t *testing.T) {
	checks, err := tryAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(checks) < 20 {
		t.Errorf("%d checks", len(checks))
	}
	for _, check := range checks {
		if check.State != stateOK {
			t.Errorf("%s: %s", check.Check, check.Text)
		}
	}
}

func TestASelfTestThatIsToldToStopLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tryAll(ctx); err == nil {
		t.Error("it went on")
	}
}

func TestWhatCannotBeSeenIsNoMatch(t *testing.T) {
	seen := inventory.Process{PID: 7, Stdin: inventory.Unreadable[inventory.Stdio](), Stdout: inventory.Unreadable[inventory.Stdio]()}
	for _, p := range []inventory.Process{{}, seen, {PID: 7}} {
		got := streamsOf(p)
		if slices.ContainsFunc(shapes(), func(s shape) bool { return s.want == got }) {
			t.Errorf("%+v passes as %q", p, got)
		}
	}
}
