package catalogue

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestContainers(t *testing.T) {
	type labels = map[string]string
	rows := []struct {
		name      string
		container inventory.Container
		server    bool
		as        string
	}{
		{"one of docker/mcp-gateway", inventory.Container{Image: "demo/gomcp:1", Labels: labels{"docker-mcp": "true", "docker-mcp-tool-type": "mcp", "docker-mcp-name": "gomcp"}}, true, "gomcp"},
		{"with nothing but a name beside the label", inventory.Container{Image: "demo/eofblind", Labels: labels{"docker-mcp": "true", "docker-mcp-name": "blind"}}, true, "blind"},
		{"a proxy of the gateway", inventory.Container{Image: "docker/mcp-l4proxy:v1", Labels: labels{"docker-mcp": "true", "docker-mcp-proxy": "true", "docker-mcp-name": "x"}}, false, ""},
		{"the gateway's name server, which has no labels", inventory.Container{Image: "docker/mcp-dns-forwarder:v1", Name: "docker-mcp-dns-forwarder-x"}, false, ""},
		{"the gateway", inventory.Container{Image: "docker/mcp-gateway"}, false, ""},
		{"without labels, openclaw/openclaw#75323", inventory.Container{Image: "ghcr.io/enuno/unifi-mcp-server:latest"}, true, "unifi-mcp-server"},
		{"by its image, docker/mcp-gateway#483", inventory.Container{Image: "ghcr.io/github/github-mcp-server"}, true, "github-mcp-server"},
		{"one of Docker's mcp images", inventory.Container{Image: "mcp/brave-search"}, true, "brave-search"},
		{"with a registry's port", inventory.Container{Image: "localhost:5000/acme/mcp"}, true, "mcp"},
		{"from the MCP registry", inventory.Container{Image: "acme/tools", Labels: labels{"io.modelcontextprotocol.server.name": "io.github.acme/tools"}}, true, "tools"},
		{"of ToolHive", inventory.Container{Image: "acme/x", Labels: labels{"toolhive": "true", "toolhive-name": "fetch"}}, true, "fetch"},
		{"a helper of ToolHive", inventory.Container{Image: "acme/x-mcp", Labels: labels{"toolhive": "true", "toolhive-auxiliary": "true"}}, false, ""},
		{"a database", inventory.Container{Image: "postgres:16", Name: "mcp-db"}, false, ""},
		{"a test's container", inventory.Container{Image: "claude-mcp-test"}, false, ""},
		{"known by its image's id only", inventory.Container{Image: "sha256:0123456789abcdef"}, false, ""},
		{"with nothing known", inventory.Container{}, false, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			class := New().Container(&row.container)
			if (class.Role == inventory.RoleServer) != row.server || class.Name != row.as {
				t.Errorf("%+v: %s %q (%s), want a server: %v %q", row.container, roleName(class.Role), class.Name, class.Why, row.server, row.as)
			}
		})
	}
}

func TestManaged(t *testing.T) {
	rows := []struct {
		label, value, by string
	}{
		{"com.docker.compose.project", "shop", "compose project shop"},
		{"org.testcontainers", "true", "Testcontainers"},
		{"org.testcontainers.sessionId", "x", "Testcontainers"},
		{"org.testcontainers.session-id", "x", "Testcontainers"},
		{"devcontainer.local_folder", "/src", "a dev container"},
		{"com.gitlab.gitlab-runner.managed", "true", "GitLab Runner"},
		{"toolhive", "true", "ToolHive"},
		{"toolhive", "false", ""},
		{"io.kubernetes.pod.name", "x", "Kubernetes"},
		{"com.hashicorp.nomad.alloc_id", "x", "Nomad"},
		{"PODMAN_SYSTEMD_UNIT", "x.service", "systemd unit x.service"},
		{"docker-mcp", "true", ""},
		{"devcontainers", "x", ""},
		{"org.opencontainers.image.title", "x", ""},
	}
	for _, row := range rows {
		if by := New().Managed(&inventory.Container{Labels: map[string]string{row.label: row.value, "maintainer": "x"}}); by != row.by {
			t.Errorf("label %s=%s: managed by %q, want %q", row.label, row.value, by, row.by)
		}
	}
	if by := New().Managed(&inventory.Container{}); by != "" {
		t.Errorf("a container without labels is managed by %q", by)
	}
}
