package install

import (
	"fmt"
	"strings"
)

// HowItEnds tells how a daemon of the present user ends, which is a process here: one that a person has
// started, or a service, whose manager starts it again after a kill. It is a sentence without its full
// stop: "kill 659 ends it".
func HowItEnds(pid int) string {
	here, err := thisPlace()
	if err != nil {
		return killEnds(pid)
	}
	return here.ends(pid)
}

func (p place) ends(pid int) string {
	s, isOurs, found := p.find(p.uid == 0)
	switch {
	case !found || !p.isOfService(pid):
		return killEnds(pid)
	case isOurs:
		return "reaperd uninstall stops it and removes its service"
	}
	return strings.Join(s.stop[0].words, " ") + " stops it"
}

// killEnds says what ends a daemon that a person has started.
func killEnds(pid int) string { return fmt.Sprintf("kill %d ends it", pid) }
