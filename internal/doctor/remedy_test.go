package doctor

import "testing"

func TestRemediesAreThoseOfThePlace(t *testing.T) {
	all := remedy{host: "run as root", unit: "CapabilityBoundingSet=CAP_KILL", compose: "cap_add: [KILL]", kubernetes: "capabilities.add: [KILL]"}
	for _, row := range []struct {
		world    string
		variable string
		file     string
		want     string
	}{
		{"a host", "", "", "run as root"},
		{"a unit", "INVOCATION_ID", "", "in the unit: CapabilityBoundingSet=CAP_KILL"},
		{"a container", "", "/.dockerenv", "in compose: cap_add: [KILL]   in Kubernetes: capabilities.add: [KILL]"},
		{"a container of podman's", "", "/run/.containerenv", "in compose: cap_add: [KILL]   in Kubernetes: capabilities.add: [KILL]"},
		{"a pod", "KUBERNETES_SERVICE_HOST", "/.dockerenv", "in Kubernetes: capabilities.add: [KILL]"},
	} {
		p := placeHere(func(name string) (string, bool) { return "", name == row.variable }, func(name string) bool { return name == row.file })
		if got := all.at(p); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
	if got := (remedy{compose: "pid: host"}).at(onHost); got != "" {
		t.Errorf("a host is told %q", got)
	}
}
