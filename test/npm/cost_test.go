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
	Ready float64 `json:"ready_ms"`
	Calls int     `json:"calls"`
	Total float64 `json:"total_ms"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
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
// thousand calls of each in ten rounds, and only those are told.
func TestWhatReaperdExecCosts(t *testing.T) {
	if want := missing(); want != "" {
		t.Skip("left out: " + want)
	}
	folder := install(t, "servers", packages)
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live := farm.Raise(t, farm.World{})
		place(t, live, folder, nil)
		script := live.Folder.Path("home", "client", "cost.mjs")
		if err := os.WriteFile(script, costClient, 0o644); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "node", script, farm.Program("reaperd"), strconv.Itoa(costRounds()), strconv.Itoa(callsEach))
		command.Env = append(os.Environ(), "HOME="+live.Folder.Path("home"))
		command.Stderr = os.Stderr
		said, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		for server, rounds := range readCosts(t, said) {
			tellCost(server, rounds)
		}
	})
}

// callsEach is how often each of a round's three servers is called.
const callsEach = 1000

func costRounds() int {
	if os.Getenv("REAPERD_EXEC") == "full" {
		return 10
	}
	return 1
}

// readCosts are the rounds of each server; all calls of all must be answered.
func readCosts(t *testing.T, said []byte) map[string][]round {
	t.Helper()
	rounds := map[string][]round{}
	for line := range bytes.Lines(said) {
		var r round
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, s := range []side{r.Plain, r.Below, r.Again} {
			if s.Calls != callsEach {
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

// tellCost tells the middle of the rounds, and from where to where the ratios of
// throughput go: above 1 is faster with reaperd exec.
func tellCost(server string, rounds []round) {
	if os.Getenv("REAPERD_EXEC") != "full" {
		return // one round tells more about the machine
	}
	of := func(value func(round) float64) spread { return spreadOf(rounds, value) }
	rate := func(s side) float64 { return float64(s.Calls) / s.Total * 1000 }
	fmt.Printf("farm: %s, %d rounds of %d calls: %.0f calls/s without, %.0f with; with over without %s, without over without %s; p50 %.3f and %.3f ms, p99 %.2f and %.2f ms; ready after %.0f and %.0f ms; closed after %.0f ms\n",
		server, len(rounds), callsEach,
		of(func(r round) float64 { return rate(r.Plain) }).middle, of(func(r round) float64 { return rate(r.Below) }).middle,
		of(func(r round) float64 { return rate(r.Below) / rate(r.Plain) }), of(func(r round) float64 { return rate(r.Again) / rate(r.Plain) }),
		of(func(r round) float64 { return r.Plain.P50 }).middle, of(func(r round) float64 { return r.Below.P50 }).middle,
		of(func(r round) float64 { return r.Plain.P99 }).middle, of(func(r round) float64 { return r.Below.P99 }).middle,
		of(func(r round) float64 { return r.Plain.Ready }).middle, of(func(r round) float64 { return r.Below.Ready }).middle,
		of(func(r round) float64 { return r.Close }).middle)
}

// spread is the least, the middle and the most of a figure over the rounds.
type spread struct{ least, middle, most float64 }

func (s spread) String() string {
	return fmt.Sprintf("%.3f (%.3f to %.3f)", s.middle, s.least, s.most)
}

func spreadOf(rounds []round, value func(round) float64) spread {
	var all []float64
	for _, r := range rounds {
		all = append(all, value(r))
	}
	slices.Sort(all)
	return spread{least: all[0], middle: (all[(len(all)-1)/2] + all[len(all)/2]) / 2, most: all[len(all)-1]}
}
