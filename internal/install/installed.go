package install

import (
	"os"
	"strings"
)

// Installed is a service that is to run by itself. The zero value is none.
type Installed struct {
	File  string // unit or plist
	Why   string // the command that says why it does not run
	Start string // the command that starts it again
}

// installed finds the service that looks after the present user's servers: the user's own, else that of the
// whole host. A package's unit counts once it is enabled.
func (p place) installed() (Installed, bool) {
	for _, system := range []bool{false, true} {
		s, err := p.service(system)
		if err != nil || !system && p.uid == 0 {
			continue
		}
		text, _ := os.ReadFile(s.file)
		_, err = os.Lstat(s.link)
		if !ours(text) && (s.link == "" || err != nil) {
			continue
		}
		if !ours(text) { // a package's, or another's, which is enabled
			s.file = s.link
		}
		found := Installed{File: s.file, Why: s.look[1], Start: strings.Join(s.again, " ")}
		if system && p.uid != 0 {
			found.Start = "sudo " + found.Start
		}
		return found, true
	}
	return Installed{}, false
}
