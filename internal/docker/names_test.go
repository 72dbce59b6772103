package docker

import (
	"testing"

	"github.com/docker/docker/pkg/namesgenerator"
)

func TestNamesThatEnginesMakeAreNobodys(t *testing.T) {
	for i := range 20_000 {
		if name := namesgenerator.GetRandomName(i % 3); isGivenName(name, nil).Or(true) {
			t.Fatalf("%s is taken for a name that somebody gave", name)
		}
	}
	oneOff := map[string]string{"com.docker.compose.oneoff": "True"}
	if isGivenName("duly-db-mcp-run-0a1b2c3d4e5f", oneOff).Or(true) {
		t.Error("a name of Compose's own is taken for one that somebody gave")
	}
	for _, name := range []string{"mcp-memory", "box", "mcp_memory", "happy_box", "my_einstein", "duly-db-mcp-run-0a1b2c3d4e5f", "happy-einstein"} {
		if !isGivenName(name, nil).Or(false) {
			t.Errorf("%s is taken for a name that an engine made", name)
		}
	}
	if isGivenName("", nil).IsKnown() {
		t.Error("of a container without a name it is told who gave it")
	}
}
