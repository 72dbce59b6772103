package screen

import (
	"cmp"
	"fmt"
	"io"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Status writes who decides and when it looks, what there is, what was done today, and what is not well.
func Status(w io.Writer, a *account.Account, options Options) error {
	p := options.newPage(a.TakenAt)
	if a.Decider.Kind != account.ByDaemon {
		p.say("", Who(a))
		p.say("", p.text(a.Headline))
	} else {
		p.looked(a)
		p.say("", p.text(a.Headline)+p.idle(a.Summary))
		if a.Today.Stopped > 0 {
			p.say("", fmt.Sprintf("Today: %s stopped, %s freed.", human.Number(a.Today.Stopped), human.Bytes(a.Today.FreedBytes)))
		}
	}
	if pause := a.Decider.Pause(); len(pause) > 0 && a.Summary.Leaked == 0 { // else the headline says it
		p.say("! ", p.text(pause))
	}
	p.notes(a.Notes)
	return p.write(w)
}

// Who says who decides, and whether it acts: "Acting on this host (root, pid 106)."
func Who(a *account.Account) string {
	does, d := "Acting", a.Decider
	switch {
	case d.Kind != account.ByDaemon:
		return "No daemon runs, so nothing stops by itself: reaperd install"
	case d.Rests == account.OnlyReports:
		does = "Reporting"
	case d.Rests != "":
		does = "Watching"
	}
	return does + fmt.Sprintf(map[bool]string{true: " on this host (%s, pid %d).", false: " for %s (pid %d)."}[d.Whole], cmp.Or(d.User, "root"), d.PID)
}

// looked says who decides, and when that looks: "… Looked 13s ago, looks again in 17s."
func (p *page) looked(a *account.Account) {
	text := Who(a) + " Looked " + human.Span(max(0, p.now.Sub(a.TakenAt))) + " ago"
	if next := a.Decider.NextLook; next.After(p.now) {
		text += ", looks again in " + human.ToGo(next.Sub(p.now))
	}
	p.say("", text+".")
}

// idle counts the sessions that do nothing: " 3 sessions, 1 of them idle (8 servers, 1.8 GB)."
func (p *page) idle(s account.Summary) string {
	if s.IdleSessions == 0 {
		return ""
	}
	return fmt.Sprintf(" %s, %s of them idle (%s, %s).", human.Count(s.Sessions, "session"), human.Number(s.IdleSessions), human.Count(s.Idle, "server"), human.Bytes(s.IdleBytes))
}

// Short is the line for a prompt.
func Short(a *account.Account) string {
	switch {
	case a == nil || a.Decider.Kind != account.ByDaemon:
		return "reaperd: off"
	case a.Decider.Daemon != nil && (a.Decider.Daemon.NotReady != "" || a.Decider.Daemon.LookFault != ""):
		return "reaperd: broken"
	case a.Decider.Rests == account.Unrecorded || a.Decider.Rests == account.NoPolicy:
		return "reaperd: broken"
	case a.Decider.Rests == account.Paused:
		return "reaperd: paused"
	case a.Summary.Leaked > 0:
		return "reaperd: " + human.Number(a.Summary.Leaked) + " leaked"
	case a.Decider.Whole && a.Reader != nil:
		return "reaperd: managed"
	}
	return "reaperd: ok"
}
