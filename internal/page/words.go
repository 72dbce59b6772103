package page

import (
	"cmp"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

const unknown = "–"

// bytesText writes a size; 0 means unknown.
func bytesText(n uint64) string {
	if n == 0 {
		return unknown
	}
	return human.Bytes(n)
}

func percentText(percent float64, known bool) string {
	if !known {
		return unknown
	}
	return human.Percent(percent)
}

// clock holds the time of the page, and the reader's time zone and home folder.
type clock struct {
	now     time.Time
	zone    *time.Location
	home    human.Home
	several bool // sessions, servers or containers of several users are seen
}

func clockOf(in Input) clock {
	c := clock{in.Now, in.Location, in.Home, isOfSeveral(&in.Tree)}
	if c.zone == nil {
		c.zone = time.UTC
	}
	return c
}

// at returns the clock at a moment.
func (c clock) at(moment time.Time) clock {
	c.now = moment
	return c
}

// ago returns the time since a moment; empty if that is unknown.
func (c clock) ago(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return human.Span(c.now.Sub(at))
}

// until returns the time until a moment, rounded up to seconds.
func (c clock) until(at time.Time) string {
	return human.ToGo(at.Sub(c.now))
}

func (c clock) moment(at time.Time) string {
	if at.IsZero() {
		return unknown
	}
	return human.Moment(at.In(c.zone))
}

// state describes the state of a node in a few words.
type state struct {
	Word  string
	Tone  overview.Tone // the CSS class of its colour
	Due   time.Time     // what the words count down to; zero: nothing
	In    string        // the time until then
	Since time.Time     // what the words count up from; zero: nothing
	Ago   string        // the time since then
}

// state returns the state of a node for the row of its branch.
func (b builder) state(n *overview.Node) state {
	words := b.teller.Words(n, b.place)
	s := state{Word: words.Text + words.More, Tone: words.Tone, Since: words.Since, Ago: b.ago(words.Since)}
	if !words.Due.IsZero() {
		s.Word, s.Due, s.In = words.Text+" in", words.Due, b.until(words.Due)
	}
	return s
}

func ended(ago string) string {
	if ago == "" {
		return ""
	}
	return ago + " ago"
}

// atLeast is "at least " for a session that reaperd never saw in use.
func atLeast(n *overview.Node) string {
	if n.IdleAtLeast {
		return "at least "
	}
	return ""
}

// ownerText names an owner with its PID.
func ownerText(o overview.Owner) string { return cmp.Or(o.String(), "nobody known") }
