package inventory

import "testing"

func TestATableIsWholeWhereNoRowsAreMissing(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Source
		whole  bool
	}{
		{"ok", Source{Status: StatusOK}, true},
		{"partial, and nobody says what is missing", Source{Status: StatusPartial}, false},
		{"partial, every process is listed", Source{Status: StatusPartial, RowsMissing: Known(false)}, true},
		{"partial, processes are missing", Source{Status: StatusPartial, RowsMissing: Known(true)}, false},
		{"partial, what is missing could not be told", Source{Status: StatusPartial, RowsMissing: Unreadable[bool]()}, false},
		{"ok in word only", Source{Status: StatusOK, RowsMissing: Known(true)}, false},
		{"absent", Source{Status: StatusAbsent}, false},
		{"an error", Source{Status: StatusError, RowsMissing: Known(false)}, false},
		{"no source", Source{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.source.Whole(); got != c.whole {
				t.Errorf("whole %v, want %v", got, c.whole)
			}
		})
	}
}
