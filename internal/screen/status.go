package screen

import (
	"io"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Status writes who decides, the sums, and what is not well.
func Status(w io.Writer, a *account.Account, options Options) error {
	p := options.newPage(a.TakenAt)
	for _, line := range a.Status() {
		p.say("", p.text(line))
	}
	p.notes(a.Notes)
	return p.write(w)
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
