package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
)

func TestARefusedPolicyIsToldWithTheOneThatHolds(t *testing.T) {
	read := time.Date(2026, 11, 22, 14, 56, 22, 0, time.Local)
	later := read.Add(time.Minute)
	fault := "/srv/dev/policies.yaml:3: unknown key"
	many := slices.Repeat([]string{fault}, 7)
	for _, row := range []struct {
		world string
		is    serve.PolicyState
		want  []line
	}{
		{"a good one", serve.PolicyState{Source: "built-in", SHA256: "0123456789abcdef", ReadAt: read}, []line{{"policy", "built-in sha256 0123456789ab"}}},
		{"none, in the first moment", serve.PolicyState{}, []line{{"policy", "none yet"}}},
		{"a bad one after a good one", serve.PolicyState{Source: "built-in", SHA256: "0123456789abcdef", ReadAt: read, RefusedAt: later, Faults: []string{fault}}, []line{
			{"policy", "built-in sha256 0123456789ab, read 2026-11-22 14:56:22, holds"},
			{"REFUSED", "what was read 2026-11-22 14:57:22 has 1 fault: it is taken once it is mended"},
			{"FAULT", "~/policies.yaml:3: unknown key"},
		}},
		{"a bad one at the start", serve.PolicyState{RefusedAt: later, Faults: []string{fault}}, []line{
			{"policy", "none yet: what was read 2026-11-22 14:57:22 is refused"},
			{"FAULT", "~/policies.yaml:3: unknown key"},
		}},
		{"one with many faults", serve.PolicyState{RefusedAt: later, RefusedFile: "/srv/dev/policies.yaml", Faults: many}, append([]line{
			{"policy", "none yet: what was read 2026-11-22 14:57:22 is refused"},
		}, append(slices.Repeat([]line{{"FAULT", "~/policies.yaml:3: unknown key"}}, 5), line{"FAULT", "2 more: reaperd policy check /srv/dev/policies.yaml"})...)},
	} {
		if got := policyLines(row.is, "/srv/dev"); !slices.Equal(got, row.want) {
			t.Errorf("%s:\n%q\nwant\n%q", row.world, got, row.want)
		}
	}
}

func TestADaemonUnderAnEarlierPolicyIsWellAndEveryScreenSaysUnderWhich(t *testing.T) {
	now := time.Now()
	is := serve.State{Ready: true, Policy: serve.PolicyState{SHA256: "0123456789abcdef", ReadAt: now, Faults: []string{"policies.yaml:3: unknown key"}}}
	var out strings.Builder
	if err := Write(&out, &is, View{Now: now, Width: 200}); err != nil || !strings.Contains(out.String(), ": it is well, but a policy is refused\n") {
		t.Errorf("status: %v\n%s", err, out.String())
	}
	want := fmt.Sprintf("healthy, but a policy is refused (that of %s holds)", now.Format(time.DateTime))
	if c := Of(&is, nil, now); c.Health() != want || !c.Acts() {
		t.Errorf("health: %q, want %q", c.Health(), want)
	}
}
