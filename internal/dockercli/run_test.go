package dockercli

import (
	"strings"
	"testing"
)

func TestRunSaysWhereAFlagMayBePutIn(t *testing.T) {
	for _, c := range []struct{ name, argv, want string }{
		{"docker run", "docker run -i --rm mcp/time", "docker run HERE -i --rm mcp/time"},
		{"with the group", "docker container run -i x", "docker container run HERE -i x"},
		{"another engine", "docker --context far -H tcp://h run -i x", "docker --context far -H tcp://h run HERE -i x"},
		{"podman by its path", "/usr/bin/podman --log-level=debug run -i x", "/usr/bin/podman --log-level=debug run HERE -i x"},
		{"nerdctl", "nerdctl -n k8s.io run -i x", "nerdctl -n k8s.io run HERE -i x"},
		{"an image called run", "docker exec -i run sh", ""},
		{"inside a virtual machine", "lima nerdctl run -i x", ""},
		{"a global flag that is not known", "docker --new-flag run -i x", ""},
		{"compose", "docker compose run x", ""},
		{"no client", "node run", ""},
		{"nothing", "docker", ""},
	} {
		argv := strings.Fields(c.argv)
		_, at, ok := Run(argv)
		got := ""
		if ok {
			got = strings.Join(append(append(append([]string{}, argv[:at]...), "HERE"), argv[at:]...), " ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
