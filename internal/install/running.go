package install

import (
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/policy"
)

// Running tells how to handle a daemon of the present user, by what has started it: a person, or a
// service, whose manager starts it again after a kill.
type Running struct {
	End string // a sentence without its full stop: "kill 659 ends it"
	// Enforce is what has it act whatever its policy says, before "has it act"; empty if nothing short does.
	Enforce string
}

// HowItRuns tells of the present user's daemon, which is a process here.
func HowItRuns(pid int) Running {
	here, err := thisPlace()
	if err != nil {
		return byHand(pid)
	}
	return here.runs(pid)
}

func (p place) runs(pid int) Running {
	s, isOurs, found := p.find(p.uid == 0)
	if !found || !p.isOfService(pid) {
		return byHand(pid)
	}
	how := Running{End: strings.Join(s.stop[0].words, " ") + " stops it"}
	if isOurs {
		how.End = "reaperd uninstall stops it and removes its service"
	}
	if s.flags != "" {
		how.Enforce = s.enforcing() + ", then " + strings.Join(s.start[len(s.start)-1].words, " ") + ","
	}
	return how
}

// byHand tells of a daemon that a person has started. While it ends it holds its lock, for which the next one
// waits half a second.
func byHand(pid int) Running {
	return Running{End: killEnds(pid), Enforce: fmt.Sprintf("kill %d && sleep 2 && reaperd run --mode enforce", pid)}
}

// killEnds says what ends a daemon that a person has started.
func killEnds(pid int) string { return fmt.Sprintf("kill %d ends it", pid) }

// enforcing says what has a service act whatever its policy says.
func (s service) enforcing() string {
	return flags{file: s.flags, mode: policy.ModeEnforce}.modeText()
}
