package catalogue

import (
	"cmp"
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
func (c *Catalogue) Container(container *inventory.Container) inventory.Class {
	if isHelper(container.Labels) {
		return inventory.Class{}
	}
	if why := serverLabels(container.Labels); why != "" {
		return inventory.Class{Role: inventory.RoleServer, Name: containerName(container), Why: why}
	}
	by := imageGrade(container.Image)
	if by == noServer {
		return inventory.Class{}
	}
	return inventory.Class{Role: inventory.RoleServer, Name: containerName(container), Why: "image " + cmdline.ImageBase(container.Image), Likely: by == likely}
}

func containerName(c *inventory.Container) string {
	return cmp.Or(c.Labels[labelName], c.Labels[labelHiveName], cmdline.ImageBase(c.Image), c.Name, "container")
}

// isHelper recognises the proxies that gateways start beside their servers.
func isHelper(labels map[string]string) bool {
	return labels[labelProxy] == "true" || labels[labelAuxiliary] == "true" || labels[labelHelper] == "true"
}

// serverLabels is the label that makes a container an MCP server; "" if none does.
func serverLabels(labels map[string]string) string {
	switch {
	case labels[labelMCP] == "true" && (labels[labelType] == "mcp" || labels[labelName] != ""):
		return "label docker-mcp=true"
	case labels[labelRegistry] != "":
		return "label " + labelRegistry
	case labels[labelToolHive] == "true":
		return "label toolhive=true"
	}
	return ""
}

// imageGrade looks for mcp in an image's name: the organisation (mcp/fetch),
// a part of the path or the name itself.
func imageGrade(ref string) grade {
	if !mentionsServer(ref) {
		return noServer
	}
	repository := cmdline.NormalImage(ref).Repository
	if repository == "" {
		repository, _, _ = strings.Cut(ref, "@")
		repository, _, _ = strings.Cut(repository, ":")
	}
	_, names, _ := strings.Cut(repository, "/")
	if names == "" || noServerImages[names] {
		return noServer
	}
	parts := strings.Split(names, "/")
	base := parts[len(parts)-1]
	isOf := func(part string) bool { return part == "mcp" || part == "mcp-servers" }
	if base == "mcp" || slices.ContainsFunc(parts[:len(parts)-1], isOf) {
		return known
	}
	return nameGrade(base, true)
}

// containerServer recognises the runner of a container that is an MCP server:
// one that stays and passes its stdin on, without a terminal.
func containerServer(line cmdline.ContainerLine) (why string, by grade) {
	if !line.PassesStdin() || line.TTY || isHelper(line.Labels) {
		return "", noServer
	}
	if why = serverLabels(line.Labels); why != "" {
		return why, known
	}
	if by = imageGrade(line.Image); by > noServer {
		return "image " + cmdline.ImageBase(line.Image), by
	}
	if isToolkitBridge(line) {
		return "bridge to Docker's MCP toolkit", known
	}
	if by = nameGrade(line.Container, true); line.Image == "" && by > noServer {
		return "container " + line.Container, by
	}
	if by = nameGrade(line.Service, true); line.Service != "" && by > noServer {
		return "service " + line.Service, by
	}
	inner := cmdline.Read(line.Args)
	if _, nested := cmdline.ReadContainer(inner.Argv); nested {
		return "", noServer
	}
	return isServer(&inner, commandName(&inner, ""))
}

// isToolkitBridge recognises the socat that clients are told to start for
// Docker's MCP toolkit (docker/labs-ai-tools-for-devs README).
func isToolkitBridge(line cmdline.ContainerLine) bool {
	return cmdline.ImageBase(line.Image) == "socat" && len(line.Args) == 2 &&
		strings.EqualFold(line.Args[0], "stdio") && strings.HasSuffix(line.Args[1], ":8811")
}

// Managed names what else manages the container; "" if nothing does. Such a
// container is left alone unless a rule names it. What `docker compose run` has made is no
// service of its project: it is its runner's.
func (*Catalogue) Managed(c *inventory.Container) string {
	if cmdline.IsOneOff(c.Labels) {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		if manager := managerOf(key, c.Labels[key]); manager != "" {
			return manager
		}
	}
	return ""
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
