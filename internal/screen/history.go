package screen

import (
	"cmp"
	"io"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// History writes a line for each sweep and each ended session, the newest first; with Wide one for each act.
func History(w io.Writer, h *account.History, options Options) error {
	p := options.newPage(options.Now)
	if len(h.Lines) == 0 {
		p.say("", "Nothing was stopped.")
	}
	if options.Wide {
		for i := len(h.Entries) - 1; i >= 0; i-- {
			p.when(h.Entries[i].At(), lineOf(&h.Entries[i]))
		}
	} else {
		for _, line := range h.Lines {
			p.when(line.At, line.Text)
		}
	}
	if h.Older > 0 {
		p.say("", human.Count(h.Older, "older act")+": reaperd history --all")
	}
	if h.Unread != "" {
		p.say("! ", h.Unread)
	}
	if h.TornLines > 0 {
		p.say("! ", human.Count(h.TornLines, "line")+" of the journal "+human.Verb(h.TornLines, "was", "were")+" cut short")
	}
	return p.write(w)
}

func (p *page) when(at time.Time, text string) {
	p.say(human.Clock(at.In(p.now.Location()), p.now)+"  ", text)
}

// lineOf is an act in one line: "context7 318 of claude-code 91: exited, 48 MB (orphaned-servers)".
func lineOf(act *account.RecordedAct) string {
	text, result := act.Called(), done.Result(act.Result).With(act.Detail)
	if act.Owner != "" {
		text += " of " + journal.Called(act.Owner)
	}
	if act.Unfinished {
		result = "no outcome was written"
	}
	if act.FreedBytes > 0 {
		result += ", " + human.Bytes(act.FreedBytes)
	}
	return human.Safe(text + ": " + result + " (" + done.By(act.Rule, act.ByHand) + ")")
}

// Pins writes what people keep.
func Pins(w io.Writer, pins []account.Pin, options Options) error {
	p := options.newPage(options.Now)
	if len(pins) == 0 {
		p.say("", "Nothing is pinned.")
	}
	for _, pin := range pins {
		p.say(human.Safe(pin.Called+" "+cmp.Or(pin.Container, human.Handle(pin.Target)))+"  ", p.pin(pin))
	}
	return p.write(w)
}

// pin is a pin in words: until when, by whom, and why.
func (p *page) pin(pin account.Pin) string {
	text := "until unpinned"
	switch {
	case !pin.There:
		text = "no longer: it has ended"
	case !pin.Until.IsZero():
		text = "until " + human.Clock(pin.Until.In(p.now.Location()), p.now)
	}
	if pin.User != "" {
		text += ", by " + pin.User
	}
	if pin.Why != "" {
		text += ": " + human.Line(pin.Why)
	}
	return text
}
