package account

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestATextIsWrittenForAMoment(t *testing.T) {
	text := Text{words("ended "), since(noon.Add(-21 * time.Minute)), words(" ago, stops in "), until(noon.Add(24 * time.Second)), words(", or at "), clock(noon.Add(time.Hour)), words(" in "), folder("/home/dev/src")}
	for _, row := range []struct {
		name string
		at   time.Time
		want string
	}{
		{"now", noon, "ended 21m ago, stops in 24s, or at 13:00 in ~/src"},
		{"later", noon.Add(time.Minute), "ended 22m ago, stops in 0s, or at 13:00 in ~/src"},
		{"in another zone", noon.In(time.FixedZone("", 3600)), "ended 21m ago, stops in 24s, or at 14:00 in ~/src"},
		{"on another day", noon.Add(24 * time.Hour), "ended 1d ago, stops in 0s, or at Fri 20 13:00 in ~/src"},
	} {
		if got := text.In(row.at, "/home/dev"); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestTextsAreJoined(t *testing.T) {
	one := Words("2 leaked")
	for _, row := range []struct {
		got   Text
		want  string
		parts int
	}{
		{one.And(": ", Words("stop now")), "2 leaked: stop now", 1},
		{one.And(": ", nil), "2 leaked", 1},
		{Text(nil).And(": ", one), "2 leaked", 1},
		{one.say("; ").Then(since(noon)).say(" ago"), "2 leaked; 0s ago", 3},
	} {
		if got := row.got.At(noon); got != row.want || len(row.got) != row.parts {
			t.Errorf("%q in %d parts, want %q in %d", got, len(row.got), row.want, row.parts)
		}
	}
	if got := one.At(noon); got != "2 leaked" {
		t.Errorf("a text that was joined is %q now", got)
	}
}
