package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 4 << 20

// errForeign is why root does not follow a file: another user could direct root
// anywhere.
var errForeign = errors.New("it belongs to another user, whom root does not follow")

// configDir is where the docker CLI keeps its configuration; empty without a home.
func (env Environment) configDir() string {
	if dir := env.getenv("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	if env.Home == "" {
		return ""
	}
	return filepath.Join(env.Home, ".docker")
}

// currentContext is the name of the context that the docker CLI would use; "" is the
// default one. Root does not follow the choice in another user's file.
func (env Environment) currentContext() (string, error) {
	if name := env.getenv("DOCKER_CONTEXT"); name != "" {
		return name, nil
	}
	dir := env.configDir()
	if dir == "" {
		return "", nil
	}
	path := filepath.Join(dir, "config.json")
	data, err := env.readOwn(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errForeign) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("docker configuration: %w", err)
	}
	var config struct {
		CurrentContext string `json:"currentContext"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return "", fmt.Errorf("read docker configuration %s: %w", path, err)
	}
	return config.CurrentContext, nil
}

// contextMeta is the part of a context's meta.json that names an engine.
type contextMeta struct {
	Endpoints struct {
		Docker struct {
			Host          string
			SkipTLSVerify bool
		} `json:"docker"`
	}
}

// contextEndpoint reads the endpoint of a named context. The docker CLI keeps it in
// contexts/meta/<sha256 of the name>, and its keys in contexts/tls/<sha256 of the
// name>/docker.
func (env Environment) contextEndpoint(name string) (Endpoint, error) {
	origin := fmt.Sprintf("docker context %q", name)
	dir := env.configDir()
	if dir == "" {
		return Endpoint{}, fmt.Errorf("%s: there is no home to find it in; set DOCKER_HOST", origin)
	}
	sum := sha256.Sum256([]byte(name))
	key := hex.EncodeToString(sum[:])
	path := filepath.Join(dir, "contexts", "meta", key, "meta.json")
	data, err := env.readOwn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Endpoint{}, fmt.Errorf("%s: no such context (%s); see docker context ls", origin, path)
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("%s: %w", origin, err)
	}
	var meta contextMeta
	if err := json.Unmarshal(data, &meta); err != nil {
		return Endpoint{}, fmt.Errorf("%s: read %s: %w", origin, path, err)
	}
	endpoint := Endpoint{Host: meta.Endpoints.Docker.Host, Origin: origin}
	if endpoint.Host == "" {
		return Endpoint{}, fmt.Errorf("%s: %s names no docker endpoint", origin, path)
	}
	endpoint.TLS = env.contextTLS(filepath.Join(dir, "contexts", "tls", key, "docker"), meta.Endpoints.Docker.SkipTLSVerify)
	return endpoint, nil
}

// contextTLS is the key material of a context; the zero value, no TLS, if there is
// none.
func (env Environment) contextTLS(dir string, skipVerify bool) TLS {
	material := env.material(dir)
	if material.CA == "" && material.Cert == "" && material.Key == "" && !skipVerify {
		return TLS{}
	}
	material.SkipVerify = skipVerify
	return material
}

// readOwn reads a file, through links too, as the docker CLI does. Root reads only
// files that nobody but root can have written.
func (env Environment) readOwn(path string) ([]byte, error) {
	terms := ownfile.Terms{Owner: ownfile.Anyone, Most: maxConfig, Links: true}
	if env.UID == 0 {
		terms.Owner = 0
	}
	data, err := ownfile.Read(env.path(path), terms)
	if errors.Is(err, ownfile.ErrForeign) {
		err = errForeign
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}
