package simulate

import (
	"os"
	"strconv"
	"testing"
)

func TestScan(t *testing.T) {
	j, _ := NewJudge()
	n, _ := strconv.ParseUint(os.Getenv("N"), 10, 64)
	prop := os.Getenv("PROP")
	if prop == "" {
		prop = InTime
	}
	seen := map[string]int{}
	total := newTally()
	for seed := range n {
		tally, failures := j.Play(Write(seed))
		total.add(tally)
		for _, f := range failures {
			if f.Property == prop && seen[f.Kind] < 6 {
				seen[f.Kind]++
				s, g := j.Shrink(Write(seed), f)
				t.Log(g.Kind, "|", g.Text, "|", s)
				break
			}
		}
	}
	t.Log(total.String())
}
