package account

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Text is words and times. What names a time is written for a moment by [Text.At].
type Text []Part

// Part is words, the time since a moment, or the time until one.
type Part struct {
	Text  string    `json:"text,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// Words is a text without times.
func Words(text string) Text {
	if text == "" {
		return nil
	}
	return Text{{Text: text}}
}

// Then appends words, or a text.
func (t Text) Then(more ...Part) Text { return append(t[:len(t):len(t)], more...) }

// And joins two texts with a sign in between; one that is empty is left out.
func (t Text) And(sign string, more Text) Text {
	switch {
	case len(t) == 0:
		return more
	case len(more) == 0:
		return t
	}
	return append(t.Then(Part{Text: sign}), more...)
}

// At is the text at a moment: "stops in 24s".
func (t Text) At(now time.Time) string {
	var b strings.Builder
	for _, part := range t {
		switch {
		case !part.Since.IsZero():
			b.WriteString(human.Span(max(0, now.Sub(part.Since))))
		case !part.Until.IsZero():
			b.WriteString(human.ToGo(max(0, part.Until.Sub(now))))
		default:
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
