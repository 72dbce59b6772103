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
		s, _, found := p.find(system)
		if !found || !system && p.uid == 0 {
			continue
		}
		is := Installed{File: s.file, Why: s.look[1], Start: strings.Join(s.again, " ")}
		if system && p.uid != 0 {
			is.Start = "sudo " + is.Start
		}
		return is, true
	}
	return Installed{}, false
}

// find returns the service of the whole host or of the user, if it is to run by itself. One that reaperd did
// not write, a package's, is so once it is enabled; its file is then the link that enabling makes.
func (p place) find(system bool) (s service, isOurs, found bool) {
	s, err := p.service(system)
	if err != nil {
		return service{}, false, false
	}
	text, _ := os.ReadFile(s.file)
	if ours(text) {
		return s, true, true
	}
	_, err = os.Lstat(s.link)
	s.file = s.link
	return s, false, s.link != "" && err == nil
}
