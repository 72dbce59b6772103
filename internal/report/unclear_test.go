package report

import (
	"strings"
	"testing"
	"time"
)

// TestWhatTheFirstLineCallsUnclearIsFoundInEveryFormat: by a reader of the wide table, and by a
// program.
func TestWhatTheFirstLineCallsUnclearIsFoundInEveryFormat(t *testing.T) {
	w := newWorld("linux", 6)
	owner := w.session("claude-code", 44, time.Hour, "/srv", 0)
	w.keep(owned(w.server("fetch", 100, time.Hour, 10*megabyte, ""), owner, "claude-code 44 holds its stdin"))
	w.keep(w.server("git", 101, time.Hour, 10*megabyte, ""))
	in := w.input()
	var table, wide strings.Builder
	if err := Table(&table, in, Options{Width: 160}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&wide, in, Options{Width: 160, Wide: true}); err != nil {
		t.Fatal(err)
	}
	data, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{table.String(): "1 in use, 1 unclear.", wide.String(): "keep      unclear  server  git"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(string(data), `"unclear": true`); n != 1 {
		t.Errorf("%d are unclear in\n%s", n, data)
	}
}
