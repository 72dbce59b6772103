package graph

import (
	"slices"
	"testing"
	"time"
)

// TestALeakedRunnerIsPairedWithTheOldestContainer: an engine lists the newest container
// first. A runner that is due would wait for each that is new if it were paired with that.
func TestALeakedRunnerIsPairedWithTheOldestContainer(t *testing.T) {
	const leaked = `
		1  0  1  0 null null init
		50 1  43 2 sa! sb! docker run -i --rm x-mcp`
	const oldest, newest = `
		container c1 x-mcp 3 label.y=z`, `
		container c2 x-mcp 9`
	for _, containers := range []string{oldest + newest, newest + oldest} {
		target, _ := correlate(t, time.Minute, leaked+containers).Target("50:200")
		if !slices.Equal(target.Containers, []string{"c1"}) {
			t.Errorf("listed as%s: it is paired with %v", containers, target.Containers)
		}
	}
}
