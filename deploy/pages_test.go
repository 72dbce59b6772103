package deploy_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/policy"
)

// load is a policy as the program would read it.
func load(t *testing.T, name string, text []byte) *policy.Policy {
	t.Helper()
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	loaded, err := policy.Load(policy.File{Name: name, Data: text}, builtin)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return loaded
}

// TestThePoliciesThatAreShippedHold holds every policy file here to the program
// that reads it, and that none of them turns the built-in rules off.
func TestThePoliciesThatAreShippedHold(t *testing.T) {
	for _, name := range []string{
		"packages/policies.yaml", "compose/policy/policies.yaml", "compose/policy-gateway/policies.yaml",
		"kubernetes/base/policies.yaml", "kubernetes/agent-pod/policies.yaml",
	} {
		if p := load(t, name, read(t, name)); len(p.Rules) < 10 || p.Mode != policy.ModeEnforce {
			t.Errorf("%s: %d rules, mode %s", name, len(p.Rules), p.Mode)
		}
	}
}

// TestTheOverlayOfThePackagesChangesNothing holds that an installed package
// behaves as the program does, now and after its next upgrade.
func TestTheOverlayOfThePackagesChangesNothing(t *testing.T) {
	overlaid := load(t, "overlay", read(t, "packages/policies.yaml"))
	builtin := load(t, "builtin", reaperd.DefaultPolicy())
	if len(overlaid.Rules) != len(builtin.Rules) || overlaid.Mode != builtin.Mode {
		t.Errorf("%d rules, mode %s; built in are %d, mode %s", len(overlaid.Rules), overlaid.Mode, len(builtin.Rules), builtin.Mode)
	}
}

// TestThePoliciesOfThePageHold holds that what the page tells people to write
// can be read.
func TestThePoliciesOfThePageHold(t *testing.T) {
	page := string(read(t, "migrating-from-cron.md"))
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 8 {
		t.Fatalf("%d policies on the page", len(blocks))
	}
	for _, block := range blocks {
		load(t, strings.TrimSpace(strings.ReplaceAll(block[1], "\n", " ")), []byte(block[1]))
	}
}
