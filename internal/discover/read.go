package discover

import (
	"path"
	"slices"
)

// Read reads the servers of one text in the format of a client's file, by the
// file's name where the client has several. The error is of type [Faults] and
// goes with the servers that could be read.
func Read(client, file string, data []byte) ([]Server, error) {
	return sourceOf(client, file).parse(data)
}

// ClientOf is the client that keeps a file of that name; empty where none does,
// or where several do, in the same format for all.
func ClientOf(file string) string {
	for _, s := range slices.Concat(homeSources(), projectSources()) {
		if len(file) > len(s.name) && file[len(file)-len(s.name)-1:] == "/"+s.name {
			return s.client
		}
	}
	return ""
}

// Clients are the clients whose files are read.
func Clients() []string {
	var names []string
	for _, s := range slices.Concat(homeSources(), projectSources()) {
		names = append(names, s.client)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sourceOf is a client's source for a file of that name, else the client's
// first, else what the ending says.
func sourceOf(client, file string) source {
	sources := slices.Concat(homeSources(), projectSources())
	byName := func(s source) bool { return s.client == client && path.Base(s.name) == path.Base(file) }
	byClient := func(s source) bool { return s.client == client }
	for _, fits := range []func(source) bool{byName, byClient} {
		if at := slices.IndexFunc(sources, fits); at >= 0 {
			return sources[at]
		}
	}
	switch path.Ext(file) {
	case ".toml":
		return source{parse: parseCodex}
	case ".yaml", ".yml":
		return source{parse: parseGoose}
	}
	return source{parse: parseMCPServers}
}
