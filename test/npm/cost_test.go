//go:build linux

package npm_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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

// TestWhatReaperdExecCosts calls official servers with and without it. It tells
// times and holds none: the machine is others' too. REAPERD_EXEC=full makes ten
// thousand calls, and only those are told.
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
		command := exec.CommandContext(t.Context(), "node", script, farm.Program("reaperd"), strconv.Itoa(costCalls()))
		command.Env = append(os.Environ(), "HOME="+live.Folder.Path("home"))
		command.Stderr = os.Stderr
		said, err := command.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		for line := range bytes.Lines(said) {
			tellCost(t, line)
		}
	})
}

func costCalls() int {
	if os.Getenv("REAPERD_EXEC") == "full" {
		return 10_000
	}
	return 300
}

func tellCost(t *testing.T, line []byte) {
	t.Helper()
	var cost struct {
		Server       string
		Plain, Below side
		Close        float64 `json:"close_ms"`
	}
	if err := json.Unmarshal(line, &cost); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if cost.Plain.Calls != costCalls() || cost.Below.Calls != costCalls() {
		t.Errorf("%s: %d and %d calls were answered, want %d", cost.Server, cost.Plain.Calls, cost.Below.Calls, costCalls())
	}
	if os.Getenv("REAPERD_EXEC") != "full" {
		return // a few calls tell more about the machine
	}
	rate := func(s side) float64 { return float64(s.Calls) / s.Total * 1000 }
	fmt.Printf("farm: %s, %d calls, without and with: %.0f and %.0f calls/s (ratio %.3f), p50 %.3f and %.3f ms, p99 %.2f and %.2f ms; ready after %.0f and %.0f ms; closed after %.0f ms\n",
		cost.Server, cost.Plain.Calls, rate(cost.Plain), rate(cost.Below), rate(cost.Below)/rate(cost.Plain),
		cost.Plain.P50, cost.Below.P50, cost.Plain.P99, cost.Below.P99, cost.Plain.Ready, cost.Below.Ready, cost.Close)
}
