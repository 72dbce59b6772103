package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// host is a file system of its own with an environment.
type host struct {
	t    *testing.T
	root string
	vars map[string]string
	uid  int
}

const home = "/home/dev"

func newHost(t *testing.T) *host {
	t.Helper()
	return &host{t: t, root: shortDir(t), vars: make(map[string]string), uid: 1000}
}

// shortDir is a temporary directory whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (h *host) env() Environment {
	return Environment{
		Getenv: func(name string) string { return h.vars[name] },
		Home:   home, Root: h.root, UID: h.uid, OS: "linux",
	}
}

func (h *host) file(path, content string) {
	h.t.Helper()
	path = filepath.Join(h.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) socket(path string) {
	h.t.Helper()
	path = filepath.Join(h.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { listener.Close() })
}

func (h *host) link(from, to string) {
	h.t.Helper()
	from = filepath.Join(h.root, from)
	if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(h.root, to), from); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) context(name, meta string) (tlsDir string) {
	h.t.Helper()
	sum := sha256.Sum256([]byte(name))
	key := hex.EncodeToString(sum[:])
	h.file(home+"/.docker/contexts/meta/"+key+"/meta.json", meta)
	return home + "/.docker/contexts/tls/" + key + "/docker"
}

const colima = `{"Name":"colima","Metadata":{},"Endpoints":{"docker":{"Host":"unix:///home/dev/.colima/default/docker.sock","SkipTLSVerify":false}}}`

func TestWhereTheEngineIs(t *testing.T) {
	tests := []struct {
		name  string
		world func(*host)
		want  []string // below the root where it was found by looking
		named bool
	}{
		{"nothing is installed", func(h *host) {}, nil, false},
		{"the system's engine", func(h *host) { h.socket("/var/run/docker.sock") }, []string{"/var/run/docker.sock"}, false},
		{"a regular file at a socket's place is no engine", func(h *host) { h.file("/var/run/docker.sock", "") }, nil, false},
		{"two engines are both read", func(h *host) {
			h.socket("/var/run/docker.sock")
			h.socket("/run/user/1000/docker.sock")
		}, []string{"/var/run/docker.sock", "/run/user/1000/docker.sock"}, false},
		{"Docker Desktop links the usual place to its own", func(h *host) {
			h.socket(home + "/.docker/run/docker.sock")
			h.link("/var/run/docker.sock", home+"/.docker/run/docker.sock")
		}, []string{"/var/run/docker.sock"}, false},
		{"a link that Docker Desktop left behind", func(h *host) {
			h.link("/var/run/docker.sock", home+"/.docker/run/docker.sock")
		}, nil, false},
		{"rootless in another runtime directory", func(h *host) {
			h.vars["XDG_RUNTIME_DIR"] = "/tmp/run"
			h.socket("/tmp/run/docker.sock")
			h.socket("/run/user/1000/docker.sock")
		}, []string{"/tmp/run/docker.sock"}, false},
		{"podman for the user", func(h *host) { h.socket("/run/user/1000/podman/podman.sock") }, []string{"/run/user/1000/podman/podman.sock"}, false},
		{"DOCKER_HOST is the only one", func(h *host) {
			h.socket("/var/run/docker.sock")
			h.vars["DOCKER_HOST"] = "unix:///srv/docker.sock"
		}, []string{"unix:///srv/docker.sock"}, true},
		{"DOCKER_HOST goes before a context", func(h *host) {
			h.context("colima", colima)
			h.vars["DOCKER_CONTEXT"] = "colima"
			h.vars["DOCKER_HOST"] = "tcp://build:2375"
		}, []string{"tcp://build:2375"}, true},
		{"DOCKER_CONTEXT goes before the current context", func(h *host) {
			h.file(home+"/.docker/config.json", `{"currentContext":"elsewhere"}`)
			h.context("colima", colima)
			h.vars["DOCKER_CONTEXT"] = "colima"
		}, []string{"unix:///home/dev/.colima/default/docker.sock"}, true},
		{"the current context", func(h *host) {
			h.file(home+"/.docker/config.json", `{"auths":{},"currentContext":"colima"}`)
			h.context("colima", colima)
			h.socket("/var/run/docker.sock")
		}, []string{"unix:///home/dev/.colima/default/docker.sock"}, true},
		{"the default context is the usual sockets", func(h *host) {
			h.file(home+"/.docker/config.json", `{"currentContext":"default"}`)
			h.socket("/var/run/docker.sock")
		}, []string{"/var/run/docker.sock"}, false},
		{"another configuration directory", func(h *host) {
			h.file("/etc/ci/config.json", `{"currentContext":"default"}`)
			h.file(home+"/.docker/config.json", `{"currentContext":"colima"}`)
			h.vars["DOCKER_CONFIG"] = "/etc/ci"
			h.socket("/var/run/docker.sock")
		}, []string{"/var/run/docker.sock"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			tt.world(h)
			endpoints, looked, err := Resolve(h.env())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, endpoint := range endpoints {
				got = append(got, strings.Replace(endpoint.Host, "unix://"+h.root, "", 1))
				if endpoint.Explicit != tt.named {
					t.Errorf("%s: explicit is %v, want %v", endpoint.Host, endpoint.Explicit, tt.named)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("endpoints %q, want %q", got, tt.want)
			}
			if tt.named == (len(looked) > 0) {
				t.Errorf("looked at %q", looked)
			}
		})
	}
}

func TestAnAddressThatCannotBeUsedIsAnError(t *testing.T) {
	tests := []struct {
		name  string
		world func(*host)
		says  string
	}{
		{"ssh", func(h *host) { h.vars["DOCKER_HOST"] = "ssh://dev@build" }, "does not speak ssh"},
		{"a Windows pipe", func(h *host) { h.vars["DOCKER_HOST"] = "npipe:////./pipe/docker_engine" }, "npipe://"},
		{"no scheme", func(h *host) { h.vars["DOCKER_HOST"] = "build:2375" }, "tcp://HOST:PORT"},
		{"a relative socket", func(h *host) { h.vars["DOCKER_HOST"] = "unix://docker.sock" }, "absolute"},
		{"a context that is not there", func(h *host) { h.vars["DOCKER_CONTEXT"] = "gone" }, `"gone": no such context`},
		{"a context over ssh", func(h *host) {
			h.context("remote", `{"Endpoints":{"docker":{"Host":"ssh://build"}}}`)
			h.vars["DOCKER_CONTEXT"] = "remote"
		}, "does not speak ssh"},
		{"a context without docker", func(h *host) {
			h.context("k8s", `{"Endpoints":{"kubernetes":{"Host":"https://k"}}}`)
			h.vars["DOCKER_CONTEXT"] = "k8s"
		}, "names no docker endpoint"},
		{"a context that is no JSON", func(h *host) {
			h.context("bad", `{`)
			h.vars["DOCKER_CONTEXT"] = "bad"
		}, "meta.json"},
		{"a configuration that is no JSON", func(h *host) { h.file(home+"/.docker/config.json", `{`) }, "config.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			tt.world(h)
			h.socket("/var/run/docker.sock")
			endpoints, _, err := Resolve(h.env())
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want it to say %q", err, tt.says)
			}
			if len(endpoints) > 0 {
				t.Errorf("another engine was taken instead: %v", endpoints)
			}
		})
	}
}

func TestRootDoesNotFollowAnotherUsersContext(t *testing.T) {
	h := newHost(t)
	h.file(home+"/.docker/config.json", `{"currentContext":"colima"}`)
	h.context("colima", colima)
	h.socket("/var/run/docker.sock")
	h.uid = 0
	if os.Getuid() == 0 {
		give := func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, 1000, 1000))
		}
		if err := filepath.WalkDir(filepath.Join(h.root, home), give); err != nil {
			t.Skip("files cannot be given to another user here")
		}
	}
	endpoints, _, err := Resolve(h.env())
	if err != nil {
		t.Fatal(err)
	}
	if len(endpoints) != 1 || !strings.HasSuffix(endpoints[0].Host, "/var/run/docker.sock") {
		t.Errorf("endpoints %v, want the system's socket alone", endpoints)
	}
	h.vars["DOCKER_CONTEXT"] = "colima"
	if _, _, err := Resolve(h.env()); !errors.Is(err, errForeign) {
		t.Errorf("a context that was named: error %v, want %v", err, errForeign)
	}
}

func TestKeysOfATCPEndpoint(t *testing.T) {
	h := newHost(t)
	h.file(home+"/.docker/ca.pem", "ca")
	h.file("/certs/cert.pem", "cert")
	h.file("/certs/key.pem", "key")
	tls := h.context("remote", `{"Endpoints":{"docker":{"Host":"tcp://build:2376","SkipTLSVerify":true}}}`)
	h.file(tls+"/ca.pem", "ca")
	under := func(path string) string { return filepath.Join(h.root, path) }
	tests := []struct {
		name string
		vars map[string]string
		want TLS
	}{
		{"no variable, no TLS", map[string]string{"DOCKER_HOST": "tcp://build:2375"}, TLS{}},
		{"verified with what the configuration holds", map[string]string{"DOCKER_HOST": "tcp://build:2376", "DOCKER_TLS_VERIFY": "1"},
			TLS{Enabled: true, CA: under(home + "/.docker/ca.pem")}},
		{"verified with what was named", map[string]string{"DOCKER_HOST": "tcp://build:2376", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": "/certs"},
			TLS{Enabled: true, Cert: under("/certs/cert.pem"), Key: under("/certs/key.pem")}},
		{"keys alone do not verify", map[string]string{"DOCKER_HOST": "tcp://build:2376", "DOCKER_CERT_PATH": "/certs"},
			TLS{Enabled: true, Cert: under("/certs/cert.pem"), Key: under("/certs/key.pem"), SkipVerify: true}},
		{"a context brings its own", map[string]string{"DOCKER_CONTEXT": "remote"},
			TLS{Enabled: true, CA: under(tls + "/ca.pem"), SkipVerify: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.vars = tt.vars
			endpoints, _, err := Resolve(h.env())
			if err != nil || len(endpoints) != 1 {
				t.Fatal(endpoints, err)
			}
			if got := endpoints[0].TLS; got != tt.want {
				t.Errorf("TLS %+v, want %+v", got, tt.want)
			}
		})
	}
}
