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

func TestProgramsGetEachRemedyByItself(t *testing.T) {
	data, err := JSON([]Symptom{
		{"user", stateNote, "a normal user", ""}, {"policy", stateFault, "it has a fault", "mend it"},
		{"daemon", stateNote, "none runs", "reaperd resume ends the pause" + betweenRemedies + "reaperd run starts one"},
	})
	const want = `{"version":1,"checks":[{"check":"user","state":"note","text":"a normal user"},` +
		`{"check":"policy","state":"fault","text":"it has a fault","remedy":"mend it","remedies":["mend it"]},` +
		`{"check":"daemon","state":"note","text":"none runs","remedy":"reaperd resume ends the pause   reaperd run starts one","remedies":["reaperd resume ends the pause","reaperd run starts one"]}]}`
	if err != nil || string(data) != want {
		t.Errorf("%v, got\n%s, want\n%s", err, data, want)
	}
}
