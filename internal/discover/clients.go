package discover

import (
	"path"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// maxListed limits how many files of one folder are read.
const maxListed = 64

// source is a file that a client keeps, by its path below a home or a project.
type source struct {
	client string
	name   string
	parse  parser
}

// sources are the files of all clients, below homes or below projects.
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

// isPattern reports whether the source's name is a pattern such as "*.json", which
// matches all files of a folder with that ending.
func (s source) isPattern() bool { return path.Base(s.name)[0] == '*' }

// named is the source for one file of a pattern.
func (s source) named(file string) source {
	s.name = path.Join(path.Dir(s.name), file)
	return s
}
