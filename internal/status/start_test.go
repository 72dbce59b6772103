package status

import (
	"testing"

	"github.com/reaperd/reaperd/internal/install"
)

// TestAServiceThatIsDownIsStartedAgain, and no second daemon beside it.
func TestAServiceThatIsDownIsStartedAgain(t *testing.T) {
	for want, start := range map[string]install.Starting{
		"reaperd run   starts it here": {}, // no service manager
		"reaperd run   starts it here; reaperd install   has it start by itself, asks first":    {Lasting: "reaperd install"},
		"reaperd run   starts it here; systemctl enable --now reaperd   has it start by itself": {Lasting: "systemctl enable --now reaperd"},
		"systemctl status reaperd   says why its service does not run; sudo systemctl start reaperd   starts it again": {Lasting: "reaperd install", Service: install.Installed{
			File: "/etc/systemd/system/reaperd.service", Why: "systemctl status reaperd", Start: "sudo systemctl start reaperd",
		}},
	} {
		if got := startHint(start); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
