package discover

import (
	"path"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// source is a file that a client keeps, by its place below a home or a project.
type source struct {
	client string
	name   string
	parse  parser
}

// sources are the files of all clients, of homes or of projects.
func sources(ofProject bool) []source {
	var found []source
	for _, client := range catalogue.Clients() {
		for _, config := range client.Configs {
			if config.Project == ofProject {
				found = append(found, source{client.Name, config.File, parserOf(config)})
			}
		}
	}
	return found
}

// isPattern reports whether the source is all files of a folder with names of
// one form.
func (s source) isPattern() bool { return path.Base(s.name)[0] == '*' }

// named is the source for one file of a pattern.
func (s source) named(file string) source {
	s.name = path.Join(path.Dir(s.name), file)
	return s
}

// Docker's MCP toolkit keeps the names of its enabled servers in one file and
// what they run in catalogs beside it. Its config.yaml has settings, which may
// be secrets, and no commands: it is not read.
const (
	dockerRegistry = ".docker/mcp/registry.yaml"
	dockerCatalogs = ".docker/mcp/catalogs"
	officialName   = "docker-mcp.yaml" // a user's own catalog comes before it
	maxListed      = 64                // files of one folder
)
