package account

import (
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Text is words, times and paths. [Text.At] writes it for a moment, [Text.In] for a reader.
type Text []Part

// Part is words, the time since a moment or until one, a moment as a clock shows it, one with its date, or a path.
type Part struct {
	Text  string    `json:"text,omitempty"`
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	Clock time.Time `json:"clock,omitzero"`
	Date  time.Time `json:"date,omitzero"`
	Path  string    `json:"path,omitempty"`
}

// Words is a text without times.
func Words(text string) Text {
	if text == "" {
		return nil
	}
	return Text{{Text: text}}
}

// Then appends words, or a text. Words behind words are one part.
func (t Text) Then(more ...Part) Text {
	joined := append(Text(nil), t...)
	for _, part := range more {
		if n := len(joined); n > 0 && joined[n-1].isWords() && part.isWords() {
			joined[n-1].Text += part.Text
		} else {
			joined = append(joined, part)
		}
	}
	return joined
}

func (p Part) isWords() bool {
	return p.Since.IsZero() && p.Until.IsZero() && p.Clock.IsZero() && p.Date.IsZero() && p.Path == ""
}

// And joins two texts with a sign in between; one that is empty is left out.
func (t Text) And(sign string, more Text) Text {
	switch {
	case len(t) == 0:
		return more
	case len(more) == 0:
		return t
	}
	return t.Then(words(sign)).Then(more...)
}

// At is the text at a moment: "stops in 24s". Clocks are those of the moment's zone.
func (t Text) At(now time.Time) string { return t.In(now, "") }

// In is the text at a moment, for a reader with that home.
func (t Text) In(now time.Time, home human.Home) string {
	var b strings.Builder
	for _, part := range t {
		b.WriteString(part.in(now, home))
	}
	return b.String()
}

func (p Part) in(now time.Time, home human.Home) string {
	switch {
	case !p.Since.IsZero():
		return human.Span(max(0, now.Sub(p.Since)))
	case !p.Until.IsZero():
		return human.ToGo(max(0, p.Until.Sub(now)))
	case !p.Clock.IsZero():
		return human.Clock(p.Clock.In(now.Location()), now)
	case !p.Date.IsZero():
		return p.Date.In(now.Location()).Format("2006-01-02 15:04")
	case p.Path != "":
		return human.Safe(home.Short(p.Path))
	}
	return p.Text
}

// since is the time since a moment, until that to one, clock and folder are a moment and a path, as
// parts of a text.
func since(at time.Time) Part    { return Part{Since: at} }
func until(at time.Time) Part    { return Part{Until: at} }
func clock(at time.Time) Part    { return Part{Clock: at} }
func folder(path string) Part    { return Part{Path: path} }
func words(text string) Part     { return Part{Text: text} }
func (t Text) say(s string) Text { return t.Then(words(s)) }
