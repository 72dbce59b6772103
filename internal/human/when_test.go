package human

import (
	"strings"
	"testing"
	"time"
)

func TestTimesAsAPersonTypesThem(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 20, 14, 30, 15, 0, zone)
	at := func(month time.Month, day, hour, minute, second int) time.Time {
		return time.Date(2026, month, day, hour, minute, second, 0, zone)
	}
	for text, want := range map[string]time.Time{
		"2h":                        at(11, 20, 12, 30, 15),
		"7d":                        at(11, 13, 14, 30, 15),
		"1w2d":                      at(11, 11, 14, 30, 15),
		"14:02":                     at(11, 20, 14, 2, 0),
		"14:02:33":                  at(11, 20, 14, 2, 33),
		"now":                       now,
		"today":                     at(11, 20, 0, 0, 0),
		"yesterday":                 at(11, 19, 0, 0, 0),
		"yesterday 14:02":           at(11, 19, 14, 2, 0),
		"2026-11-18":                at(11, 18, 0, 0, 0),
		"2026-11-18 14:02":          at(11, 18, 14, 2, 0),
		" 2026-11-18 14:02:33 ":     at(11, 18, 14, 2, 33),
		"2026-11-18T14:02":          at(11, 18, 14, 2, 0),
		"2026-11-18T14:02:33Z":      at(11, 18, 15, 2, 33),
		"2026-11-18T14:02:33+01:00": at(11, 18, 14, 2, 33),
	} {
		if got, err := ParseWhen(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "tomorrow", "14", "2026", "2026-11-18 ", "2026-11-18 x", "yesterday x", "14:02 yesterday", "T", "-2h"} {
		if got, err := ParseWhen(text, now); err == nil && strings.TrimSpace(text) != "2026-11-18" {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}
