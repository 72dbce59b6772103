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
	if text == "now" {
		return now, nil
	}
	day, clock, behind := dayOf(text, now)
	if day.IsZero() {
		return time.Time{}, errWhen
	}
	if clock == "" && !behind {
		return day, nil
	}
	return onDay(day, clock)
}

// dayOf returns the beginning of the day that a text names (today if it names none) and
// the rest of the text; zero if the text names something else.
func dayOf(text string, now time.Time) (day time.Time, clock string, behind bool) {
	word, clock, behind := strings.Cut(text, " ")
	if !behind {
		word, clock, behind = strings.Cut(text, "T")
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case word == "today":
		return today, clock, behind
	case word == "yesterday":
		return today.AddDate(0, 0, -1), clock, behind
	case !behind && strings.Contains(word, ":"):
		return today, word, true
	}
	day, err := time.ParseInLocation(time.DateOnly, word, now.Location())
	if err != nil {
		return time.Time{}, "", false
	}
	return day, clock, behind
}

// onDay returns the moment when the clock shows that time on that day.
func onDay(day time.Time, clock string) (time.Time, error) {
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if c, err := time.Parse(layout, strings.TrimSpace(clock)); err == nil {
			return time.Date(day.Year(), day.Month(), day.Day(), c.Hour(), c.Minute(), c.Second(), 0, day.Location()), nil
		}
	}
	return time.Time{}, errWhen
}
