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
	"syscall"
	"testing"
	"time"
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

// fifo stands in the place of what is there.
func (h *host) fifo(path string) {
	h.t.Helper()
	h.file(path, "")
	path = filepath.Join(h.root, path)
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// resolve is Resolve, and fails where that waits for something.
func (h *host) resolve() (endpoints []Endpoint, err error) {
	h.t.Helper()
	resolved := make(chan struct{})
	go func() {
		endpoints, _, err = Resolve(h.env())
		close(resolved)
	}()
	select {
	case <-resolved:
		return endpoints, err
	case <-time.After(time.Minute):
		h.t.Fatal("finding the engine waits for a file")
		return nil, nil
	}
}

func (h *host) context(name, meta string) (tlsDir string) {
	h.t.Helper()
	h.file(h.meta(name), meta)
	return home + "/.docker/contexts/tls/" + contextKey(name) + "/docker"
}

func (h *host) meta(name string) string {
	return home + "/.docker/contexts/meta/" + contextKey(name) + "/meta.json"
}

func contextKey(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
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
		{"a configuration that lies elsewhere and is linked", func(h *host) {
			h.file(home+"/dotfiles/docker.json", `{"currentContext":"colima"}`)
			h.link(home+"/.docker/config.json", home+"/dotfiles/docker.json")
			h.context("colima", colima)
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
		{"a FIFO for a configuration", func(h *host) { h.fifo(home + "/.docker/config.json") }, "config.json: it is no regular file"},
		{"a FIFO behind a link for a configuration", func(h *host) {
			h.fifo(home + "/fifo")
			h.link(home+"/.docker/config.json", home+"/fifo")
		}, "config.json: it is no regular file"},
		{"a FIFO for a context", func(h *host) {
			h.context("fifo", `{}`)
			h.vars["DOCKER_CONTEXT"] = "fifo"
			h.fifo(h.meta("fifo"))
		}, "meta.json: it is no regular file"},
		{"a folder for a configuration", func(h *host) { h.file(home+"/.docker/config.json/file", "") }, "config.json: it is no regular file"},
		{"a configuration that is too large", func(h *host) {
			h.file(home+"/.docker/config.json", `{"currentContext":"default"}`+strings.Repeat(" ", maxConfig))
		}, "config.json: it is larger than 4096 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			tt.world(h)
			h.socket("/var/run/docker.sock")
			endpoints, err := h.resolve()
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

func TestRootIsNotHeldUpByAnotherUsersFIFO(t *testing.T) {
	h := newHost(t)
	h.fifo(home + "/.docker/config.json")
	h.socket("/var/run/docker.sock")
	h.uid = 0
	if os.Getuid() == 0 {
		if err := os.Lchown(filepath.Join(h.root, home+"/.docker/config.json"), 1000, 1000); err != nil {
			t.Skip("files cannot be given to another user here")
		}
	}
	endpoints, err := h.resolve()
	if err != nil || len(endpoints) != 1 || !strings.HasSuffix(endpoints[0].Host, "/var/run/docker.sock") {
		t.Errorf("endpoints %v, error %v, want the system's socket alone", endpoints, err)
	}
}

func TestRootDoesNotFollowWhatOthersCanWrite(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root: a file of root has to be made")
	}
	h := newHost(t)
	h.file(home+"/.docker/config.json", `{"currentContext":"colima"}`)
	h.context("colima", colima)
	h.uid = 0
	if err := os.Chmod(filepath.Join(h.root, home+"/.docker/config.json"), 0o666); err != nil {
		t.Fatal(err)
	}
	if endpoints, err := h.resolve(); err == nil || !strings.Contains(err.Error(), "others can write it") {
		t.Errorf("endpoints %v, error %v, want it to be refused", endpoints, err)
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
