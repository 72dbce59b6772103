package human

import (
	"errors"
	"strings"
	"time"
)

// WhenHint lists the forms that [ParseWhen] accepts.
const WhenHint = `2h, 7d, 14:02, "yesterday 14:02", 2026-11-20, "2026-11-20 14:02" or RFC 3339`

var (
	errWhen = errors.New("is no time")
	errSign = errors.New("a duration counts back from now: no sign")
)

// ParseWhen reads a moment that a person has typed, in now's zone: a duration before now
// (2h, 7d), a date, a date with a time, a time of today (14:02), "yesterday 14:02", or
// RFC 3339. The error continues the text: `"x" is no time`.
func ParseWhen(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if d, err := ParseDuration(text); err == nil {
		if d < 0 {
			return time.Time{}, errSign
		}
		return now.Add(-d), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(now.Location()), nil
	}
	today := now.Format(time.DateOnly)
	text = strings.NewReplacer("T", " ", "now", now.Format(time.DateTime), "today", today, "yesterday", now.AddDate(0, 0, -1).Format(time.DateOnly)).Replace(text)
	if strings.Contains(text, ":") && !strings.Contains(text, "-") {
		text = today + " " + text
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, errWhen
}
