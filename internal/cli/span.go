package cli

import (
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// EndOf is the end of a duration that a flag or an argument gives; zero, which means never, if
// it gives none. what is its name for the error.
func EndOf(what, lasts string, now time.Time) (time.Time, error) {
	if lasts == "" {
		return time.Time{}, nil
	}
	d, err := SpanOf(what, lasts)
	return now.Add(d).Truncate(time.Second), err
}

// SpanOf reads a duration above zero that a flag or an argument gives.
func SpanOf(what, text string) (time.Duration, error) {
	d, err := human.ParseDuration(text)
	if err != nil {
		return 0, human.Misused("", "%s: %w", what, err)
	}
	if d <= 0 {
		return 0, human.Misused("", "%s %s: want a time above 0", what, text)
	}
	return d, nil
}
