package docker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Environment is the input of [Resolve]. The zero value has no variables, no home,
// and the system's own sockets.
type Environment struct {
	Getenv func(string) string // nil: no variable is set
	Home   string              // empty: nothing below a home is looked at
	Root   string              // the root of the file system; empty is /
	UID    int
	OS     string // as runtime.GOOS; empty is this system's
}

// HostEnvironment is the environment of this process.
func HostEnvironment() Environment {
	home, _ := os.UserHomeDir()
	return Environment{Getenv: os.Getenv, Home: home, UID: os.Getuid(), OS: runtime.GOOS}
}

// Endpoint is one way to reach an engine.
type Endpoint struct {
	// Host is the address as in DOCKER_HOST: unix://PATH or tcp://HOST:PORT.
	Host string
	// Origin says for people where the address comes from.
	Origin string
	// Explicit marks an address that somebody named: if it does not answer, that is
	// an error. false means a usual socket that exists.
	Explicit bool
	TLS      TLS
	// User is the user whose engine it is: root asks it on that user's terms. It is not known
	// of the engines of the user who asks.
	User inventory.Fact[int]
}

// TLS is the key material for a TCP endpoint. The zero value means no TLS.
type TLS struct {
	Enabled    bool
	CA         string // path; empty: the system's roots
	Cert, Key  string // paths; empty: no client certificate
	SkipVerify bool   // the server's certificate is not verified
}

// socket is the path of a unix endpoint.
func (e Endpoint) socket() (path string, unix bool) {
	return strings.CutPrefix(e.Host, "unix://")
}

// Resolve finds the engines to read: DOCKER_HOST, else the current docker context,
// else every usual socket that exists. In the last case looked names the sockets that
// were looked for. An address that was named and cannot be used is an error.
func Resolve(env Environment) (endpoints []Endpoint, looked []string, err error) {
	if host := env.getenv("DOCKER_HOST"); host != "" {
		return explicit(Endpoint{Host: host, Origin: "DOCKER_HOST", TLS: env.tls()})
	}
	context, err := env.currentContext()
	if err != nil {
		return nil, nil, err
	}
	if context != "" && context != "default" {
		endpoint, err := env.contextEndpoint(context)
		if err != nil {
			return nil, nil, err
		}
		return explicit(endpoint)
	}
	endpoints, looked = env.usual()
	return endpoints, looked, nil
}

func explicit(endpoint Endpoint) ([]Endpoint, []string, error) {
	endpoint.Explicit = true
	if err := endpoint.check(); err != nil {
		return nil, nil, err
	}
	return []Endpoint{endpoint}, nil, nil
}

// check refuses an address that this program cannot connect to.
func (e Endpoint) check() error {
	scheme, address, ok := strings.Cut(e.Host, "://")
	switch {
	case !ok || address == "":
		return fmt.Errorf("%s %q: want unix://PATH or tcp://HOST:PORT", e.Origin, e.Host)
	case scheme == "unix" && !filepath.IsAbs(address):
		return fmt.Errorf("%s %q: the path of a socket must be absolute", e.Origin, e.Host)
	case scheme == "unix" || scheme == "tcp":
		return nil
	case scheme == "ssh":
		return fmt.Errorf("%s %q: reaperd does not speak ssh; run reaperd on that host, or forward its socket (ssh -NL PATH:/var/run/docker.sock HOST) and name it with DOCKER_HOST=unix://PATH", e.Origin, e.Host)
	}
	return fmt.Errorf("%s %q: reaperd does not speak %s://, only unix:// and tcp://", e.Origin, e.Host, scheme)
}

func (env Environment) getenv(name string) string {
	if env.Getenv == nil {
		return ""
	}
	return env.Getenv(name)
}

// tls is the key material that DOCKER_TLS_VERIFY, DOCKER_TLS and DOCKER_CERT_PATH ask
// for. A unix endpoint ignores it.
func (env Environment) tls() TLS {
	verify := env.getenv("DOCKER_TLS_VERIFY") != ""
	dir := env.getenv("DOCKER_CERT_PATH")
	if !verify && dir == "" && env.getenv("DOCKER_TLS") == "" {
		return TLS{}
	}
	if dir == "" {
		dir = env.configDir()
	}
	material := env.material(dir)
	material.SkipVerify = !verify
	return material
}

// material is the key material in a directory, under the names that the docker CLI
// uses. Files that do not exist are left out.
func (env Environment) material(dir string) TLS {
	there := func(name string) string {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(env.path(path)); err != nil {
			return ""
		}
		return env.path(path)
	}
	return TLS{Enabled: true, CA: there("ca.pem"), Cert: there("cert.pem"), Key: there("key.pem")}
}

// path is a path below the environment's root.
func (env Environment) path(path string) string {
	if env.Root == "" {
		return path
	}
	return filepath.Join(env.Root, path)
}

// usual lists the usual sockets that exist. Several links to one socket count once.
func (env Environment) usual() (endpoints []Endpoint, looked []string) {
	for _, path := range env.usualSockets() {
		looked = append(looked, path)
		if isSocket(env.path(path)) {
			endpoints = append(endpoints, Endpoint{Host: "unix://" + env.path(path), Origin: "usual socket"})
		}
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(append(endpoints, env.usersEngines()...), func(e Endpoint) bool {
		path, _ := e.socket()
		real, err := filepath.EvalSymlinks(path)
		again := err != nil || seen[real]
		seen[real] = true
		return again
	}), looked
}

// usersEngines are the sockets of rootless engines, of which root looks for those of all users.
// A socket counts if it lies in its user's own folder and is that user's, or root's.
func (env Environment) usersEngines() (endpoints []Endpoint) {
	if env.UID != 0 || env.OS != "linux" {
		return nil
	}
	folders, _ := filepath.Glob(env.path("/run/user/*"))
	for _, folder := range folders {
		uid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || uid == 0 || !isOf(folder, uid) {
			continue
		}
		for _, below := range []string{"docker.sock", "podman/podman.sock"} {
			if path := filepath.Join(folder, below); isSocket(path) && (isOf(path, uid) || isOf(path, 0)) {
				endpoints = append(endpoints, Endpoint{Host: "unix://" + path, Origin: "rootless socket", User: inventory.Known(uid)})
			}
		}
	}
	return endpoints
}

// isOf reports a file, and no link, that is a user's.
func isOf(path string, uid int) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) == uid
}

// isSocket reports a socket. One in a directory that this user cannot enter does not
// count: the user's own clients cannot reach it either.
func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeSocket != 0
}

// usualSockets are the places where engines put their sockets. If several lead to one
// engine, the first is reported.
func (env Environment) usualSockets() []string {
	paths := []string{"/var/run/docker.sock"}
	if env.Home != "" {
		for _, below := range []string{
			".docker/run/docker.sock",     // Docker Desktop, macOS
			".docker/desktop/docker.sock", // Docker Desktop, Linux
			".colima/default/docker.sock",
			".orbstack/run/docker.sock",
			".rd/docker.sock",                                    // Rancher Desktop
			".local/share/containers/podman/machine/podman.sock", // podman machine, macOS
		} {
			paths = append(paths, filepath.Join(env.Home, below))
		}
	}
	runtimeDir := env.getenv("XDG_RUNTIME_DIR")
	if runtimeDir == "" {
		runtimeDir = filepath.Join("/run/user", strconv.Itoa(env.UID))
	}
	return append(paths,
		filepath.Join(runtimeDir, "docker.sock"), // rootless
		"/run/podman/podman.sock",
		filepath.Join(runtimeDir, "podman/podman.sock"),
	)
}
