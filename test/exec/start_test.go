//go:build linux

package exec_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
)

// TestHowMuchLaterTheServerStarts starts a program in turns as it is and below
// reaperd exec, and tells how much later its first word comes. It holds no time: the
// machine is others' too.
func TestHowMuchLaterTheServerStarts(t *testing.T) {
	within(t, func(t *testing.T, _ *world) {
		var plain, below []time.Duration
		for range 2 * rounds() {
			plain = append(plain, firstWord(t, "echo", "ready"))
			below = append(below, firstWord(t, farm.Program("reaperd"), "exec", "--", "echo", "ready"))
		}
		slices.Sort(plain)
		slices.Sort(below)
		if os.Getenv("REAPERD_EXEC") != "full" {
			return // a few tell more about the machine
		}
		later := func(part float64) float64 {
			at := int(part * float64(len(plain)-1))
			return float64((below[at] - plain[at]).Microseconds()) / 1000
		}
		farm.Figure(t, "of %d starts the first word comes later by %.1f ms at best, %.1f at a quarter, %.1f in the middle", len(plain), later(0), later(0.25), later(0.5))
	})
}

// firstWord is how long it takes from the start of a program to what it says.
func firstWord(t *testing.T, argv ...string) time.Duration {
	t.Helper()
	command := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	if _, err := command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 16)
	n, err := out.Read(said)
	took := time.Since(began)
	if err != nil || string(said[:n]) != "ready\n" {
		t.Fatalf("it says %q %v", said[:n], err)
	}
	_ = command.Wait()
	return took
}
