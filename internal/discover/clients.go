package discover

import (
	"path"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// maxListed bounds how many files of one folder are looked at.
const maxListed = 64

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
