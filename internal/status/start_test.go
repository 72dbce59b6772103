package status

import (
	"testing"

	"github.com/reaperd/reaperd/internal/install"
)

// TestAServiceThatIsDownIsStartedAgain, and no second daemon beside it.
func TestAServiceThatIsDownIsStartedAgain(t *testing.T) {
	for want, service := range map[string]install.Installed{
		"reaperd run   starts it here; reaperd install   has it start by itself, asks first": {},
		"systemctl status reaperd   says why its service does not run; sudo systemctl start reaperd   starts it again": {
			File: "/etc/systemd/system/reaperd.service", Why: "systemctl status reaperd", Start: "sudo systemctl start reaperd",
		},
	} {
		if got := startHint(service); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
