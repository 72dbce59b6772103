package overview

import (
	"testing"

	"github.com/reaperd/reaperd/internal/policy"
)

// TestARefusedPolicyIsCheckedWhereItIs: that of another user, or one that was named, is not the one that
// the command checks without a file.
func TestARefusedPolicyIsCheckedWhereItIs(t *testing.T) {
	n := &Node{Kind: KindServer, State: StateDue}
	for file, want := range map[string]string{"": "reaperd policy check", "/etc/reaperd/policies.yaml": "reaperd policy check /etc/reaperd/policies.yaml"} {
		tree := Tree{Mode: policy.ModeEnforce, Refused: []string{"p.yaml:3: unknown key"}, RefusedFile: file}
		if got := tree.StopCommand(n, "51").Line; got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

// TestWhereRootsDaemonDecidesASweepByHandGoesByThePolicy: this user's daemon only reports because root's runs.
func TestWhereRootsDaemonDecidesASweepByHandGoesByThePolicy(t *testing.T) {
	n := &Node{Kind: KindServer, State: StateDue}
	for _, row := range []struct {
		upTo string
		file policy.Mode
		want string
	}{
		{RootsDaemon, policy.ModeEnforce, "reaperd sweep --now 51"},
		{RootsDaemon, policy.ModeReport, "reaperd sweep --mode enforce --now 51"},
		{"", policy.ModeEnforce, "reaperd sweep --mode enforce --now 51"}, // a flag or a variable has set the mode
	} {
		tree := Tree{Mode: policy.ModeReport, UpTo: row.upTo, Policy: policy.Identity{FileMode: row.file}}
		if got := tree.StopCommand(n, "51").Line; got != row.want {
			t.Errorf("%q, %q: %q, want %q", row.upTo, row.file, got, row.want)
		}
	}
}
