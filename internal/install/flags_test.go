package install

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTheFlagsOfAServiceAreForetoldWithIt: the service reads them, and they come before its policy.
func TestTheFlagsOfAServiceAreForetoldWithIt(t *testing.T) {
	const enforce, report = "version: 1\nextends: builtin\n", "version: 1\nextends: builtin\nmode: report\n"
	const too = "It starts with the flags in FILE too.\n"
	for _, row := range []struct {
		world, policy, flags string
		want                 string // FILE is that of the flags
	}{
		{"they have it act", report, "REAPERD_MODE=enforce\n", too + "It acts from its start (REAPERD_MODE=enforce in FILE), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"they have it report", enforce, "REAPERD_MODE=report\n", too + "It stops nothing: REAPERD_MODE=report in FILE.\n"},
		{"they name a policy", enforce, "REAPERD_POLICIES=/srv/p.yaml\n", too + "It acts from its start (mode enforce), by /srv/p.yaml. What it would stop:\n    reaperd scan --dry-run --policies /srv/p.yaml\n"},
		{"they are about something else", enforce, "#REAPERD_MODE=report\nREAPERD_LOG_LEVEL=debug\n", too + "It acts from its start (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"they are all comments", enforce, "# mine\n;REAPERD_MODE=report\n\n#REAPERD_LOG_LEVEL=debug\n", "It acts from its start (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"they name no mode", enforce, "REAPERD_MODE=nonsense\n", "the service would not start: REAPERD_MODE=nonsense in FILE is no mode"},
	} {
		m := newMachine(t, "linux", 1000)
		m.policy = row.policy
		file := filepath.Join(m.place.config, "reaperd", "environment")
		putFile(t, file, row.flags)
		got := ""
		if err := m.install(t, Request{DryRun: true}); err != nil {
			got = err.Error()
		}
		if got += m.out.String(); strings.HasSuffix(row.world, "comments") && strings.Contains(got, "It starts with") {
			t.Errorf("%s:\n%s", row.world, got)
		}
		if !strings.HasSuffix(got, strings.ReplaceAll(row.want, "FILE", file)) {
			t.Errorf("%s:\n%s", row.world, got)
		}
	}
}
