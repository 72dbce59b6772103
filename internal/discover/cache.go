package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// cacheVersion is the version of the cache file.
const cacheVersion = 1

type cacheFile struct {
	Version int      `json:"version"`
	Servers []Server `json:"servers"`
	Files   []string `json:"files"`
}

// SaveCache writes a set to a file that only its user can read, in one step.
// What looks like a secret among the arguments does not leave memory: it is
// saved as a variable, which matches whatever stands there.
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

// LoadCache reads what SaveCache wrote. Where nothing was saved, nothing is
// known and nothing is wrong. A file that others can write is refused.
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

// maxCache is the largest cache that is read, in bytes: many files' worth.
const maxCache = 4 * maxFile

// hidden is a variable of no client: it is never put in, so it matches anything.
const hidden = "${hidden}"

// withoutSecrets is a server with variables for what looks like a secret.
func withoutSecrets(s Server) Server {
	s.Args = slices.Clone(s.Args)
	secretNext := false
	for i, arg := range s.Args {
		secret := secretNext && !strings.HasPrefix(arg, "-")
		secretNext = strings.HasPrefix(arg, "-") && secretName.MatchString(arg) && !strings.Contains(arg, "=")
		if secret {
			s.Args[i] = hidden
			continue
		}
		s.Args[i] = withoutSecret(arg)
	}
	s.URL = withoutSecret(s.URL)
	return s
}

// withoutSecret hides the parts of a word that look like secrets: the value of
// a variable or of an option with a telling name, credentials and queries of
// addresses, and long text that nobody would make up.
func withoutSecret(word string) string {
	if opaque.MatchString(word) && strings.ContainsAny(word, "0123456789") || tokenShape.MatchString(word) {
		return hidden
	}
	word = assignment.ReplaceAllString(word, "${1}$${hidden}")
	word = named.ReplaceAllString(word, "${1}$${hidden}")
	word = userinfo.ReplaceAllString(word, "${1}$${hidden}@")
	return query.ReplaceAllString(word, "${1}?$${hidden}")
}

const telling = `(?:token|secret|passw|api[-_]?key|auth|credential|private[-_]?key|access[-_]?key|bearer)`

// What secrets look like.
var (
	secretName = regexp.MustCompile(`(?i)` + telling)
	// opaque is the shape of a key or a UUID.
	opaque = regexp.MustCompile(`^[A-Za-z0-9_-]{32,}$`)
	// tokenShape is how services mark their tokens.
	tokenShape = regexp.MustCompile(`^(?:sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[a-z]-|npm_|AKIA|eyJ)[A-Za-z0-9._-]{8,}$`)
	// assignment is NAME=value of an environment.
	assignment = regexp.MustCompile(`(\b[A-Z_][A-Z0-9_]+=)([^\s$]\S*)`)
	// named is a telling name with its value behind = or a colon.
	named    = regexp.MustCompile(`(?i)([\w-]*` + telling + `[\w-]*\s*[=:]\s*(?:(?:bearer|basic)\s+)?)([^\s$]\S*)`)
	userinfo = regexp.MustCompile(`(\w://)[^/\s@]+@`)
	query    = regexp.MustCompile(`(\w://[^\s?]+)\?\S+`)
)
