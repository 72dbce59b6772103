package screen

import (
	"io"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// mostPlanned is how many rows of a plan are shown, and mostStays how many things that stay.
const (
	mostPlanned = 40
	mostStays   = 4
)

// Plan writes what a sweep would stop: all of it, and what of it a live session uses apart. Where no question
// follows, it ends with what the plan comes to.
func Plan(w io.Writer, plan *account.Plan, options Options) error {
	p := options.newPage(plan.Account.TakenAt)
	p.say("", p.text(plan.Account.Premise))
	var sections []account.Section
	for _, part := range []account.Section{{Fate: account.Leaked, Rows: plan.Rows}, {Fate: account.InUse, Rows: plan.Live}} {
		if len(part.Rows) > 0 {
			sections = append(sections, part)
		}
	}
	p.sections(plan.Account, sections, folds{unfold: options.Wide, most: mostPlanned})
	p.stays(plan.Stays)
	if !options.Asks || plan.Question == "" {
		p.gap()
		p.say("", p.text(plan.Would))
	}
	p.notes(plan.Account.Notes)
	return p.write(w)
}

// stays writes what stays, each with the reason.
func (p *page) stays(stays []account.Stay) {
	for _, stay := range stays[:min(len(stays), mostStays)] {
		p.say("stays  ", stay.Text())
	}
	if more := len(stays) - mostStays; more > 0 {
		p.say("stays  ", human.Number(more)+" more")
	}
}

// Result writes what a sweep stopped, and a line for each thing that stays.
func Result(w io.Writer, result *account.Result, options Options) error {
	p := options.newPage(result.Account.TakenAt)
	p.say("", result.Text())
	p.stays(result.Stays)
	return p.write(w)
}
