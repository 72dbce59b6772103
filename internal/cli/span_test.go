package cli

import (
	"testing"
	"time"
)

func TestATimeThatAPersonGivesIsAboveZero(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text string
		end  time.Time
		says string
	}{
		{"", time.Time{}, ""},
		{"8h", noon.Add(8 * time.Hour), ""},
		{"7d", noon.AddDate(0, 0, 7), ""},
		{"0s", noon, "--for 0s: want a time above 0"},
		{"-1h", noon.Add(-time.Hour), "--for -1h: want a time above 0"},
	} {
		end, err := EndOf("--for", row.text, noon.Add(time.Millisecond))
		switch {
		case row.says == "" && (err != nil || !end.Equal(row.end)):
			t.Errorf("%q ends %s, %v", row.text, end, err)
		case row.says != "" && (err == nil || err.Error() != row.says):
			t.Errorf("%q: %v, want %q", row.text, err, row.says)
		}
	}
	if _, err := SpanOf("--idle-over", "soon"); err == nil {
		t.Error("soon is a time")
	}
}
