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
