package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/reaperd/reaperd/internal/ownfile"
	"github.com/reaperd/reaperd/internal/redact"
)

// cacheVersion is the version of the cache file.
const cacheVersion = 1

type cacheFile struct {
	Version int      `json:"version"`
	Servers []Server `json:"servers"`
	Files   []string `json:"files"`
}

// SaveCache writes a set to a file that only its user can read, in one step.
// Arguments that look like secrets are saved as a variable, which matches any value.
func SaveCache(path string, set Set) error {
	file := cacheFile{Version: cacheVersion, Servers: []Server{}, Files: set.Files()}
	for _, server := range set.servers {
		file.Servers = append(file.Servers, withoutSecrets(server))
	}
	data, err := json.MarshalIndent(file, "", " ")
	if err == nil {
		err = renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(path)))
	}
	if err != nil {
		return fmt.Errorf("save discovered servers: %w", err)
	}
	return nil
}

// LoadCache reads a file of SaveCache. If there is none, the set is empty, and that
// is no error. A file that others can write is refused.
func LoadCache(path string) (Set, error) {
	data, err := ownfile.Read(path, ownfile.Terms{Owner: os.Geteuid(), Most: maxCache})
	if errors.Is(err, fs.ErrNotExist) {
		return Set{}, nil
	}
	var file cacheFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && file.Version != cacheVersion {
		err = fmt.Errorf("version %d, want %d; run `reaperd discover` again", file.Version, cacheVersion)
	}
	if err != nil {
		return Set{}, fmt.Errorf("load discovered servers from %s: %w", path, err)
	}
	return NewSet(file.Servers, file.Files), nil
}

// maxCache is the largest cache that is read, in bytes.
const maxCache = 4 * maxFile

// hidden is a variable that no client knows: it is never replaced, so it matches
// anything.
const hidden = "${hidden}"

// withoutSecrets replaces arguments that look like secrets with a variable.
func withoutSecrets(s Server) Server {
	line := redact.Args(append([]string{s.Command}, s.Args...))
	for i, argument := range line {
		line[i] = strings.ReplaceAll(argument, redact.Mask, hidden)
	}
	s.Args = line[1:]
	s.URL = strings.ReplaceAll(redact.Text(s.URL), redact.Mask, hidden)
	return s
}
