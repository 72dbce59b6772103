package install

import (
	"fmt"
	"strings"
)

// Running tells how to handle a daemon of the present user, by what has started it: a person, or a
// service, whose manager starts it again after a kill.
type Running struct {
	End string // a sentence without its full stop: "kill 659 ends it"
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
	return how
}

// byHand tells of a daemon that a person has started.
func byHand(pid int) Running { return Running{End: killEnds(pid)} }

// killEnds says what ends a daemon that a person has started.
func killEnds(pid int) string { return fmt.Sprintf("kill %d ends it", pid) }
