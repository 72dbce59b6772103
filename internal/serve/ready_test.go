package serve

import (
	"strings"
	"testing"
	"time"
)

func TestAPolicyThatHoldsIsSaidToHoldWhereSweepsFail(t *testing.T) {
	m, c := newTestMetrics()
	m.PolicyReloaded(shipped(), OriginUser, noon)
	m.Publish(full())
	c.at = noon.Add(time.Minute)
	m.PolicyRefused([]string{"policies.yaml:3: unknown key"})
	c.at = noon.Add(time.Hour)
	base := onPrivate(t, Options{Metrics: m})
	if body := get(t, base+"/readyz").body; strings.Contains(body, "policies.yaml:3") {
		t.Errorf("the policy is not why it is not ready: %s", body)
	}
}

func TestHealthAndReadinessSayWhy(t *testing.T) {
	m, c := newTestMetrics()
	alive, vetoed := true, ""
	base := onPrivate(t, Options{
		Metrics: m,
		Alive:   func() (bool, string) { return alive, "the loop has not moved for a minute" },
		Ready:   func() (bool, string) { return vetoed == "", vetoed },
	})
	expect := func(path string, code int, says string) {
		t.Helper()
		if got := get(t, base+path); got.code != code || !strings.Contains(got.body, says) {
			t.Errorf("%s: %d %q, want %d %q", path, got.code, got.body, code, says)
		}
	}
	expect("/healthz", 200, "ok")
	expect("/readyz", 503, "no sweep has succeeded yet")
	m.PolicyRefused([]string{"policies.yaml:3: unknown key", "policies.yaml:7: no such action"})
	expect("/readyz", 503, "2 faults: nothing is acted on until it is mended\npolicies.yaml:3: unknown key\npolicies.yaml:7: no such action\n")
	m.PolicyReloaded(shipped(), OriginUser, noon)
	m.Publish(full())
	expect("/readyz", 200, "ready")
	vetoed = "the state directory is full"
	expect("/readyz", 503, vetoed)
	vetoed = ""
	c.at = noon.Add(2 * time.Minute)
	expect("/readyz", 503, "no sweep has succeeded since")
	alive = false
	expect("/healthz", 503, "the loop has not moved")
	expect("/readyz", 503, "the loop has not moved")
}
