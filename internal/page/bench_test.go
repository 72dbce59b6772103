package page

import (
	"io"
	"testing"
)

func BenchmarkFiveHundredServers(b *testing.B) {
	in := Input{Now: noon, Tree: fiveHundred()}
	p := New()
	for b.Loop() {
		if err := p.Whole(io.Discard, in, nil); err != nil {
			b.Fatal(err)
		}
	}
}
