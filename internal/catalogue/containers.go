package catalogue

import (
	"maps"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Labels of docker/mcp-gateway (pkg/gateway/clientpool.go), ToolHive
// (stacklok/toolhive pkg/labels) and the MCP registry
// (modelcontextprotocol.io/registry/package-types).
const (
	labelMCP       = "docker-mcp"
	labelType      = "docker-mcp-tool-type"
	labelName      = "docker-mcp-name"
	labelProxy     = "docker-mcp-proxy"
	labelRegistry  = "io.modelcontextprotocol.server.name"
	labelToolHive  = "toolhive"
	labelHiveName  = "toolhive-name"
	labelAuxiliary = "toolhive-auxiliary"
	labelHelper    = "toolhive-auxiliary-workload"
)

// Container recognises a container that is an MCP server.
func (c *Catalogue) Container(container *inventory.Container) Class {
	if isHelper(container.Labels) {
		return Class{}
	}
	why, ok := serverLabels(container.Labels)
	if !ok && isServerImage(container.Image) {
		why, ok = "image "+cmdline.ImageBase(container.Image), true
	}
	if !ok {
		return Class{}
	}
	return Class{Role: RoleServer, Name: containerName(container), Why: why}
}

func containerName(c *inventory.Container) string {
	for _, name := range []string{c.Labels[labelName], c.Labels[labelHiveName], cmdline.ImageBase(c.Image), c.Name} {
		if name != "" {
			return name
		}
	}
	return "container"
}

// isHelper recognises the proxies that gateways start beside their servers.
func isHelper(labels map[string]string) bool {
	return labels[labelProxy] == "true" || labels[labelAuxiliary] == "true" || labels[labelHelper] == "true"
}

func serverLabels(labels map[string]string) (why string, ok bool) {
	switch {
	case labels[labelMCP] == "true" && (labels[labelType] == "mcp" || labels[labelName] != ""):
		return "label docker-mcp=true", true
	case labels[labelRegistry] != "":
		return "label " + labelRegistry, true
	case labels[labelToolHive] == "true":
		return "label toolhive=true", true
	}
	return "", false
}

// isServerImage looks for mcp in an image's name: the organisation (mcp/fetch),
// a part of the path or the name itself.
func isServerImage(ref string) bool {
	if !mentionsServer(ref) {
		return false
	}
	repository := cmdline.NormalImage(ref).Repository
	if repository == "" {
		repository, _, _ = strings.Cut(ref, "@")
		repository, _, _ = strings.Cut(repository, ":")
	}
	_, names, _ := strings.Cut(repository, "/")
	if names == "" || noServerImages[names] {
		return false
	}
	parts := strings.Split(names, "/")
	base := parts[len(parts)-1]
	if isServerName(base) || base == "mcp" {
		return true
	}
	return slices.ContainsFunc(parts[:len(parts)-1], func(part string) bool {
		return part == "mcp" || part == "mcp-servers"
	})
}

// containerServer recognises the runner of a container that is an MCP server:
// one that stays and passes its stdin on, without a terminal.
func containerServer(line cmdline.ContainerLine) (why string, ok bool) {
	if !line.PassesStdin() || line.TTY || isHelper(line.Labels) {
		return "", false
	}
	if why, ok = serverLabels(line.Labels); ok {
		return why, true
	}
	if isServerImage(line.Image) {
		return "image " + cmdline.ImageBase(line.Image), true
	}
	if isToolkitBridge(line) {
		return "bridge to Docker's MCP toolkit", true
	}
	if line.Image == "" && isServerName(line.Container) {
		return "container " + line.Container, true
	}
	inner := cmdline.Read(line.Args)
	if _, nested := cmdline.ReadContainer(inner.Argv); nested {
		return "", false
	}
	return isServer(&inner, commandName(&inner, ""))
}

// isToolkitBridge recognises the socat that clients are told to start for
// Docker's MCP toolkit (docker/labs-ai-tools-for-devs README).
func isToolkitBridge(line cmdline.ContainerLine) bool {
	return cmdline.ImageBase(line.Image) == "socat" && len(line.Args) == 2 &&
		strings.EqualFold(line.Args[0], "stdio") && strings.HasSuffix(line.Args[1], ":8811")
}

// Managed reports that something else manages the container, and names it. Such a
// container is left alone unless a rule names it.
func (*Catalogue) Managed(c *inventory.Container) (by string, ok bool) {
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		if manager := managerOf(key, c.Labels[key]); manager != "" {
			return manager, true
		}
	}
	return "", false
}

// managerOf is the manager that a label belongs to; "" if it is none's.
func managerOf(key, value string) string {
	switch key {
	case "com.docker.compose.project", "io.podman.compose.project":
		return "compose project " + value
	case labelToolHive:
		if value == "true" {
			return "ToolHive"
		}
	case "PODMAN_SYSTEMD_UNIT":
		return "systemd unit " + value
	}
	for _, owner := range managers {
		if key == owner.label || strings.HasPrefix(key, owner.label+".") {
			return owner.name
		}
	}
	return ""
}
