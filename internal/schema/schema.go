package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.json
var files embed.FS

const ending = ".json"

// Names are the names of all schemas, sorted.
func Names() []string {
	found, _ := fs.Glob(files, "*"+ending) // the pattern is right, and nothing else fails
	names := make([]string, 0, len(found))
	for _, name := range found {
		names = append(names, strings.TrimSuffix(name, ending))
	}
	return names
}

// Of returns the schema of that name, indented JSON with a line end. A name that
// there is not is an error that names those there are.
func Of(name string) ([]byte, error) {
	text, err := files.ReadFile(name + ending)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: one of %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
