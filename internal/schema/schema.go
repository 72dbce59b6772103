package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

const ending = ".json"

// Names returns the names of all schemas, sorted.
func Names() []string {
	found, _ := fs.Glob(files, "*"+ending) // the pattern is valid, and nothing else can fail
	names := make([]string, 0, len(found))
	for _, name := range found {
		names = append(names, strings.TrimSuffix(name, ending))
	}
	slices.Sort(names)
	return names
}

// PolicyFile is another name of the schema of policy files.
const PolicyFile = "policies.yaml"

// Of returns the schema of that name as indented JSON with a line end. The error for an
// unknown name lists the known ones.
func Of(name string) ([]byte, error) {
	if name == PolicyFile {
		name = "policy"
	}
	text, err := files.ReadFile(name + ending)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: one of %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
