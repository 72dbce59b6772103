package page

import "testing"

func BenchmarkFiveHundredServers(b *testing.B) {
	in := Input{Now: noon, Tree: fiveHundred()}
	p := New()
	for b.Loop() {
		if _, err := p.Whole(in); err != nil {
			b.Fatal(err)
		}
	}
}
