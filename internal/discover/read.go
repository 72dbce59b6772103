package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// Read reads the servers of one text in that format. The error is of type [Faults];
// servers that could be read are returned beside it.
func Read(config Config, data []byte) ([]Server, error) { return parserOf(config.Config)(data) }

// Config says how a client writes a file.
type Config struct{ catalogue.Config }

// Language is that of the file: JSON, which is all that is like it, TOML or YAML.
func (c Config) Language() string {
	switch c.Format {
	case catalogue.TOML:
		return "TOML"
	case catalogue.YAML:
		return "YAML"
	}
	return "JSON"
}

// ConfigOf is how a client writes a file. If the client has several, the file's
// name decides; if the client is not known, its ending does.
func ConfigOf(client, file string) Config {
	var found catalogue.Config
	for _, config := range configsOf(client) {
		if matches, _ := path.Match(path.Base(config.File), path.Base(file)); matches || found.File == "" {
			found = config
			if matches {
				break
			}
		}
	}
	if found.File == "" {
		found = byEnding(file)
	}
	found.File = file
	return Config{found}
}

func configsOf(client string) []catalogue.Config {
	for _, known := range catalogue.Clients() {
		if known.Name == client {
			return known.Configs
		}
	}
	return nil
}

// byEnding is the format that most clients use for files with that ending.
func byEnding(file string) catalogue.Config {
	switch strings.ToLower(path.Ext(file)) {
	case ".toml":
		return catalogue.Config{Format: catalogue.TOML, Tables: []string{"mcp_servers"}}
	case ".yaml", ".yml":
		return catalogue.Config{Format: catalogue.YAML, Tables: []string{"mcpServers", "extensions"}}
	case ".json5":
		return catalogue.Config{Format: catalogue.JSON5, Tables: []string{"mcpServers", "mcp/servers"}}
	}
	return catalogue.Config{Tables: []string{"mcpServers"}}
}

// ClientOf is the client that keeps a file of that name, the one that says most of its path;
// "" if none does.
func ClientOf(file string) string {
	found, length := "", 0
	for _, client := range catalogue.Clients() {
		for _, config := range client.Configs {
			folder := strings.HasSuffix(path.Dir(file)+"/", "/"+path.Dir(config.File)+"/") || path.Dir(config.File) == "."
			if matches, _ := path.Match(path.Base(config.File), path.Base(file)); matches && folder && len(config.File) > length {
				found, length = client.Name, len(config.File)
			}
		}
	}
	return found
}

// Clients are the names of the clients whose files are read.
func Clients() []string {
	var names []string
	for _, client := range catalogue.Clients() {
		if len(client.Configs) > 0 {
			names = append(names, client.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
