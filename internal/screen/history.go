package screen

import (
	"io"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// History writes a line for each sweep and each ended session, the newest first; with Wide one for each act.
func History(w io.Writer, h *account.History, options Options) error {
	p := options.newPage(options.Now)
	if len(h.Lines) == 0 {
		p.say("", "Nothing was stopped.")
	}
	if options.Wide {
		for i := len(h.Entries) - 1; i >= 0; i-- {
			p.when(h.Entries[i].At(), h.Entries[i].Line())
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

// Days writes the sums of each day, the newest first.
func Days(w io.Writer, h *account.History, options Options) error {
	p := options.newPage(options.Now)
	if len(h.Days) == 0 {
		p.say("", "Nothing was stopped.")
	}
	for i := len(h.Days) - 1; i >= 0; i-- {
		p.say(h.Days[i].Day+"  ", h.Days[i].Sums.Text())
	}
	return p.write(w)
}

// Pins writes what people keep.
func Pins(w io.Writer, pins []account.Pin, options Options) error {
	p := options.newPage(options.Now)
	if len(pins) == 0 {
		p.say("", "Nothing is pinned.")
	}
	for _, pin := range pins {
		p.say(human.Safe(pin.Called)+"  ", pin.Text(p.now))
	}
	return p.write(w)
}
