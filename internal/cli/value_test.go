package cli

import (
	"testing"
	"time"
)

func TestWhatAFlagTakes(t *testing.T) {
	var word string
	var span, wait time.Duration
	for _, row := range []struct {
		read func(string) error
		text string
		says string
	}{
		{OneOf(&word, "auto", "never"), "never", ""},
		{OneOf(&word, "auto", "never"), "", `"": want auto or never`},
		{Span(&span), "7d", ""},
		{Span(&span), "0s", `"0s": want a time above 0 and at most 36500d, such as 30s, 8h or 7d`},
		{Span(&span), "-1h", `"-1h": want a time above 0 and at most 36500d, such as 30s, 8h or 7d`},
		{Span(&span), "99999d", `"99999d": want a time above 0 and at most 36500d, such as 30s, 8h or 7d`},
		{Wait(&wait), "3s", ""},
		{Wait(&wait), "-1s", `"-1s": want 0 or a time with its unit, such as 30s or 2m`},
		{Wait(&wait), "3", `"3": want 0 or a time with its unit, such as 30s or 2m`},
	} {
		got := ""
		if err := row.read(row.text); err != nil {
			got = err.Error()
		}
		if got != row.says {
			t.Errorf("%q: %q, want %q", row.text, got, row.says)
		}
	}
	if word != "never" || span != 7*24*time.Hour || wait != 3*time.Second {
		t.Errorf("read %q, %s, %s", word, span, wait)
	}
}
