package status

import "github.com/reaperd/reaperd/internal/install"

// StartHint tells how a daemon starts here, where none runs.
func StartHint() string {
	service, _ := install.Find()
	return startHint(service)
}

// startHint is [StartHint] beside a service that is to run one; the zero value is none.
func startHint(service install.Installed) string {
	if service.File == "" {
		return "reaperd run   starts it here; reaperd install   has it start by itself, asks first"
	}
	return service.Why + "   says why its service does not run; " + service.Start + "   starts it again"
}
