package discover

import (
	"path"
	"path/filepath"
	"slices"
)

// Docker's MCP toolkit keeps the names of its enabled servers in one file and their
// images in catalogs beside it. Its config.yaml is not read: it holds settings, which
// may be secrets, and no commands.
const (
	dockerRegistry = ".docker/mcp/registry.yaml"
	dockerCatalogs = ".docker/mcp/catalogs"
	officialName   = "docker-mcp.yaml" // a user's own catalog comes before it
)

// dockerToolkit reads the servers of Docker's MCP toolkit.
func (l *look) dockerToolkit(r reach) {
	registry := l.file(r, dockerRegistry, source{"docker-mcp", dockerRegistry, parseDockerRegistry}, r.dir)
	l.toolkit = nil
	if registry == nil {
		return
	}
	registry.part = true
	names, err := r.list(dockerCatalogs, maxListed)
	if err != nil && !absent(err) {
		l.refuse(place{file: filepath.Join(r.dir, dockerCatalogs), uid: r.uid}, err)
	}
	slices.SortStableFunc(names, officialLast)
	var catalogs []Server
	for _, name := range names {
		if path.Ext(name) != ".yaml" && path.Ext(name) != ".yml" {
			continue
		}
		if catalog := l.file(r, path.Join(dockerCatalogs, name), source{"docker-mcp", name, parseDockerCatalog}, r.dir); catalog != nil {
			catalog.part = true
			catalogs = append(catalogs, catalog.servers...)
		}
	}
	l.toolkit = enabled(registry.servers, catalogs)
}

func officialLast(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == officialName:
		return 1
	case b == officialName:
		return -1
	}
	return 0
}

// parseDockerRegistry reads the names of the enabled servers of Docker's MCP toolkit.
// Their images are in a catalog.
func parseDockerRegistry(data []byte) ([]Server, error) {
	return parseDocker(data, func(entryReader) string { return "" })
}

// parseDockerCatalog reads the images of all servers of a catalog.
func parseDockerCatalog(data []byte) ([]Server, error) {
	return parseDocker(data, func(e entryReader) string { return e.text("image") })
}

func parseDocker(data []byte, image func(entryReader) string) ([]Server, error) {
	doc, err := document(data, parseYAML)
	if err != nil {
		return nil, err
	}
	var found findings
	for _, entry := range found.members(doc, "registry") {
		fields, _ := entry.value.table()
		e := entryReader{fields, func(at value, text string) { found.serverFault(at, entry.key, text) }}
		found.add(Server{Name: entry.key, Image: image(e)})
	}
	return found.result()
}

// enabled are the servers of the catalogs that a registry names. If several catalogs
// know a name, the first counts.
func enabled(registry, catalogs []Server) []Server {
	var found []Server
	for _, server := range registry {
		known := slices.IndexFunc(catalogs, func(c Server) bool { return c.Name == server.Name && c.Image != "" })
		if known >= 0 {
			server.Image = catalogs[known].Image
			found = append(found, server)
		}
	}
	return found
}
