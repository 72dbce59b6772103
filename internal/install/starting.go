package install

import "cmp"

// Starting tells how a daemon comes to run on this machine, where none does.
type Starting struct {
	Service Installed // that is to run one; the zero value is none
	// Lasting is the command that has one start by itself from then on; empty where no service
	// manager that reaperd knows runs this machine.
	Lasting string
}

// Command is the command after which a daemon runs: the one that lasts, where there is one.
func (s Starting) Command() string { return cmp.Or(s.Service.Start, s.Lasting, "reaperd run") }

// HowToStart tells how a daemon comes to look after the present user's servers.
func HowToStart() Starting {
	here, err := thisPlace()
	if err != nil {
		return Starting{}
	}
	return here.starting()
}

func (p place) starting() Starting {
	if p.lacksSystemd() { // a unit that is there is of no use
		return Starting{}
	}
	service, _ := p.installed()
	return Starting{Service: service, Lasting: p.lasting()}
}

// lasting is [Starting.Lasting].
func (p place) lasting() string {
	switch {
	case p.os != "linux" && p.os != "darwin":
		return ""
	case p.packaged() != "" && p.uid != 0:
		return "systemctl --user enable --now reaperd"
	case p.packaged() != "":
		return "systemctl enable --now reaperd"
	}
	return "reaperd install"
}

// lacksSystemd reports a Linux that systemd does not run: a container, or another init.
func (p place) lacksSystemd() bool { return p.os == "linux" && !isThere(p.path("/run/systemd/system")) }
