//go:build linux

package npm_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
)

//go:embed cost.mjs
var costClient []byte

// side is what a server's calls took, with or without reaperd exec.
type side struct {
	Ready   float64   `json:"ready_ms"`
	Calls   int       `json:"calls"`
	Batches []float64 `json:"batches_ms"` // the three sides' stand beside one another in time
	Medians []float64 `json:"medians_ms"` // the middle call of each batch
	Used    float64   `json:"used_ms"`    // reaperd exec's own processor time for all calls
	P50     float64   `json:"p50_ms"`
	P99     float64   `json:"p99_ms"`
}

// round is what the calls of one round took: without reaperd exec, with it, and
// without it again.
type round struct {
	Server              string
	Plain, Below, Again side
	Close               float64 `json:"close_ms"`
}

// TestWhatReaperdExecCosts calls official servers with and without it. It tells
// times and holds none: the machine is others' too. REAPERD_EXEC=full makes ten
// thousand calls of each in five rounds, and only those are told.
func TestWhatReaperdExecCosts(t *testing.T) {
	if want := missing(); want != "" {
		t.Skip("left out: " + want)
	}
	folder := install(t, "servers", packages)
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		place(t, live, folder, nil)
		script := live.Folder.Path("home", "client", "cost.mjs")
		if err := os.WriteFile(script, costClient, 0o644); err != nil {
			t.Fatal(err)
		}
		rounds, callsEach := costRounds()
		command := exec.CommandContext(t.Context(), "node", script, farm.Program("reaperd"), strconv.Itoa(rounds), strconv.Itoa(callsEach))
		command.Env = append(os.Environ(), "HOME="+live.Folder.Path("home"))
		command.Stderr = os.Stderr
		said, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		for server, rounds := range readCosts(t, said) {
			tellCost(t, server, rounds)
		}
	})
}

// costRounds is how many rounds there are, and callsEach how often each of a round's
// three servers is called.
func costRounds() (rounds, callsEach int) {
	if os.Getenv("REAPERD_EXEC") == "full" {
		return 5, 2000
	}
	return 1, 200
}

// readCosts are the rounds of each server; all calls of all must be answered.
func readCosts(t *testing.T, said []byte) map[string][]round {
	t.Helper()
	_, callsEach := costRounds()
	rounds := map[string][]round{}
	for line := range bytes.Lines(said) {
		var r round
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, s := range []side{r.Plain, r.Below, r.Again} {
			if s.Calls != callsEach || len(s.Batches) != len(r.Plain.Batches) || len(s.Medians) != len(s.Batches) {
				t.Errorf("%s: %d calls were answered, want %d", r.Server, s.Calls, callsEach)
			}
		}
		rounds[r.Server] = append(rounds[r.Server], r)
	}
	if len(rounds) != 2 {
		t.Errorf("%d servers were called, want 2", len(rounds))
	}
	return rounds
}

// tellCost tells the middle of the rounds, and the middle of the ratios of batches
// that stand beside one another in time: above 1 is faster with reaperd exec.
func tellCost(t *testing.T, server string, rounds []round) {
	t.Helper()
	if os.Getenv("REAPERD_EXEC") != "full" {
		return // one round tells more about the machine
	}
	_, callsEach := costRounds()
	of := func(value func(round) float64) float64 {
		all := make([]float64, len(rounds))
		for i, r := range rounds {
			all[i] = value(r)
		}
		return spreadOf(all).middle
	}
	farm.Figure(t, "%s, %d rounds of %d calls, with over without, and without over without: throughput %s, %s; the middle call takes %s, %s; p50 %.3f and %.3f ms, p99 %.2f and %.2f ms; reaperd exec itself used %.2f ms for all calls of a round; ready after %.0f and %.0f ms; closed after %.0f ms",
		server, len(rounds), callsEach,
		ratios(rounds, func(r round) ([]float64, []float64) { return r.Plain.Batches, r.Below.Batches }),
		ratios(rounds, func(r round) ([]float64, []float64) { return r.Plain.Batches, r.Again.Batches }),
		ratios(rounds, func(r round) ([]float64, []float64) { return r.Below.Medians, r.Plain.Medians }),
		ratios(rounds, func(r round) ([]float64, []float64) { return r.Again.Medians, r.Plain.Medians }),
		of(func(r round) float64 { return r.Plain.P50 }), of(func(r round) float64 { return r.Below.P50 }),
		of(func(r round) float64 { return r.Plain.P99 }), of(func(r round) float64 { return r.Below.P99 }),
		of(func(r round) float64 { return r.Below.Used }),
		of(func(r round) float64 { return r.Plain.Ready }), of(func(r round) float64 { return r.Below.Ready }),
		of(func(r round) float64 { return r.Close }))
}

// ratios are those of one figure to another, batch by batch.
func ratios(rounds []round, figures func(round) (over, under []float64)) spread {
	var all []float64
	for _, r := range rounds {
		over, under := figures(r)
		for i := range over {
			all = append(all, over[i]/under[i])
		}
	}
	return spreadOf(all)
}

// spread is the middle of some figures, and the quarters below and above it.
type spread struct{ lower, middle, upper float64 }

func (s spread) String() string {
	return fmt.Sprintf("%.3f (half of them %.2f to %.2f)", s.middle, s.lower, s.upper)
}

func spreadOf(all []float64) spread {
	slices.Sort(all)
	at := func(part float64) float64 { return all[int(part*float64(len(all)-1))] }
	return spread{lower: at(0.25), middle: at(0.5), upper: at(0.75)}
}
