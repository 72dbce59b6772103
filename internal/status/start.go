package status

import "github.com/reaperd/reaperd/internal/install"

// StartHint tells how a daemon starts here, where none runs.
func StartHint() string {
	return startHint(install.HowToStart())
}

func startHint(start install.Starting) string {
	switch {
	case start.Service.File != "":
		return start.Service.Why + "   says why its service does not run; " + start.Service.Start + "   starts it again"
	case start.Lasting == "":
		return "reaperd run   starts it here"
	}
	return "reaperd run   starts it here; " + start.Lasting + "   has it start by itself" + asksFirst(start.Lasting)
}

// asksFirst tells that a command asks before it does anything.
func asksFirst(command string) string {
	if command == "reaperd install" {
		return ", asks first"
	}
	return ""
}
