package top

import (
	"strings"
	"testing"
)

// TestAPageBreaksBetweenParagraphs: whoever reads a sentence to the end of the screen is not at
// its end.
func TestAPageBreaksBetweenParagraphs(t *testing.T) {
	for _, row := range []struct {
		page string
		size Resized
	}{
		{"?", Resized{100, 30}}, {"?", Resized{80, 24}}, {"n enter", Resized{60, 12}}, {"e", Resized{50, 8}},
	} {
		r := reads(t, ordinary())
		r.types(row.page)
		r.sends(row.size)
		whole, seen := r.model.pageLines(), 0
		for range whole {
			first, end := r.model.page.first, r.model.pageEnd()
			if first > seen {
				t.Errorf("%q at %v: lines %d to %d are on no screen", row.page, row.size, seen, first)
			}
			if end < len(whole) && whole[end] != nil && strings.HasPrefix(whole[end].String(), " ") && end > first+r.model.pageRoom()/2 {
				t.Errorf("%q at %v: a screen ends before %q", row.page, row.size, whole[end].String())
			}
			seen = max(seen, end)
			r.types("pgdn")
		}
		if seen != len(whole) {
			t.Errorf("%q at %v: %d of %d lines are seen", row.page, row.size, seen, len(whole))
		}
	}
}

func TestTheHelpExplainsThePlus(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{100, 60})
	r.types("?")
	wantOn(t, r.screen(), []string{"idle 5h+   idle since it was first looked at, and maybe for longer"}, nil)
}
