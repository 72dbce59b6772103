package state

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Stay is how long a pin or a pause lasts, and why. The zero value lasts until a person
// ends it.
type Stay struct {
	Until  time.Time
	Reason string
}

// String is the end and the reason: `until 2026-11-22 19:32:11 ("a demo")`.
func (s Stay) String() string {
	text := "without an end"
	if !s.Until.IsZero() {
		text = "until " + human.Moment(s.Until.Local())
	}
	if s.Reason != "" {
		text += fmt.Sprintf(" (%q)", human.Line(s.Reason))
	}
	return text
}

// Same reports that both end together, for the same reason.
func (s Stay) Same(other Stay) bool { return s.Until.Equal(other.Until) && s.Reason == other.Reason }

// Unlike tells what the stay has not, or has otherwise, than the one before it: "no end
// and another reason".
func (s Stay) Unlike(before Stay) string {
	var parts []string
	switch {
	case before.Until.Equal(s.Until):
	case s.Until.IsZero():
		parts = append(parts, "no end")
	default:
		parts = append(parts, "another end ("+human.Moment(s.Until.Local())+")")
	}
	switch {
	case before.Reason == s.Reason:
	case s.Reason == "":
		parts = append(parts, "no reason")
	default:
		parts = append(parts, "another reason")
	}
	return human.List(parts)
}

// mostReason is the length of the longest reason, in characters.
const mostReason = 500

// CheckReason refuses a reason that no screen has room for. What is accepted is shown
// whole.
func CheckReason(reason string) error {
	if n := len([]rune(reason)); n > mostReason {
		return fmt.Errorf("the reason has %s characters: want at most %d", human.Number(n), mostReason)
	}
	return nil
}
