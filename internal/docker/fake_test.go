package docker

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/strslice"
	"github.com/docker/docker/api/types/system"
)

// fake is an engine behind a unix socket, as much of one as this package asks.
// It speaks API 1.41 and refuses anything newer, as engine 20.10 does.
type fake struct {
	t      *testing.T
	socket string
	header http.Header // of a ping

	mu         sync.Mutex
	id, data   string
	containers map[string]*box
	asked      []string                    // "GET /containers/json", versions cut off
	override   map[string]http.HandlerFunc // by the same
}

// box is a container of the fake.
type box struct {
	container.InspectResponse
	status string // as in the list
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{
		t: t, socket: filepath.Join(shortDir(t), "s.sock"),
		id: "FAKE:1", data: "/var/lib/docker", header: http.Header{"Api-Version": {"1.41"}, "Ostype": {"linux"}, "Server": {"Docker/20.10.24 (linux)"}},
		containers: make(map[string]*box), override: make(map[string]http.HandlerFunc),
	}
	f.serve(f.socket)
	return f
}

// serve listens at a path, one of possibly several of the engine.
func (f *fake) serve(path string) {
	f.t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: f, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(listener) }()
	f.t.Cleanup(func() {
		cancel()
		server.Close()
	})
}

// run adds a running container with the facts of a `docker run -i --rm`.
func (f *fake) run(digit string) *box {
	b := &box{status: "Up 5 minutes", InspectResponse: container.InspectResponse{
		ContainerJSONBase: &container.ContainerJSONBase{
			ID: id(digit), Name: "/box-" + digit, Created: "2026-11-20T10:00:00Z",
			State:      &container.State{Status: "running", Running: true, Pid: 4000, StartedAt: "2026-11-20T10:00:01Z", FinishedAt: "0001-01-01T00:00:00Z"},
			HostConfig: &container.HostConfig{AutoRemove: true},
		},
		Config: &container.Config{Image: "mcp/demo", OpenStdin: true, StdinOnce: true, Cmd: strslice.StrSlice{"serve"}},
		Mounts: []container.MountPoint{},
	}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.containers[id(digit)] = b
	return b
}

// exited adds a container that ended.
func (f *fake) exited(digit string) *box {
	b := f.run(digit)
	b.HostConfig.AutoRemove = false
	b.status = "Exited (0) 2 hours ago"
	b.State = &container.State{Status: "exited", StartedAt: "2026-11-20T10:00:01Z", FinishedAt: "2026-11-20T11:00:00Z"}
	return b
}

func (f *fake) on(request string, handler http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.override[request] = handler
}

// times is how often something was asked for.
func (f *fake) times(request string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(f.asked), func(a string) bool { return a != request }))
}

// wrote are the requests that change something.
func (f *fake) wrote() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.asked), func(a string) bool {
		return strings.HasPrefix(a, "GET ") || strings.HasPrefix(a, "HEAD ")
	})
}

var versioned = regexp.MustCompile(`^/v1\.(\d+)(/.*)$`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if match := versioned.FindStringSubmatch(path); match != nil {
		if match[1] != "41" {
			refuse(w, http.StatusBadRequest, "client version 1."+match[1]+" is too new")
			return
		}
		path = match[2]
	}
	request := r.Method + " " + path
	f.mu.Lock()
	f.asked = append(f.asked, request)
	handler := f.override[request]
	f.mu.Unlock()
	if handler != nil {
		handler(w, r)
		return
	}
	f.answer(w, r, path)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/_ping":
		for name, values := range f.header {
			w.Header()[name] = values
		}
	case path == "/info":
		reply(w, system.Info{ID: f.id, DockerRootDir: f.data})
	case path == "/containers/json":
		reply(w, f.list())
	case parts[0] == "containers" && f.containers[parts[1]] == nil:
		refuse(w, http.StatusNotFound, "No such container: "+parts[1])
	case r.Method == http.MethodGet && len(parts) == 3 && parts[2] == "json":
		reply(w, f.containers[parts[1]].InspectResponse)
	case r.Method == http.MethodPost && len(parts) == 3 && parts[2] == "wait":
		reply(w, container.WaitResponse{StatusCode: 0})
	case r.Method == http.MethodPost && len(parts) == 3 && parts[2] == "stop":
		f.end(parts[1])
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodDelete:
		delete(f.containers, parts[1])
		w.WriteHeader(http.StatusNoContent)
	default:
		refuse(w, http.StatusNotFound, "page not found")
	}
}

func (f *fake) list() []container.Summary {
	list := []container.Summary{}
	for _, b := range f.containers {
		created, _ := time.Parse(time.RFC3339, b.Created)
		list = append(list, container.Summary{
			ID: b.ID, Names: []string{b.Name}, Image: b.Config.Image, Created: created.Unix(),
			Labels: b.Config.Labels, State: b.State.Status, Status: b.status, Mounts: b.Mounts,
		})
	}
	return list
}

func (f *fake) end(id string) {
	b := f.containers[id]
	if b.HostConfig.AutoRemove {
		delete(f.containers, id)
		return
	}
	b.State = &container.State{Status: "exited", StartedAt: b.State.StartedAt, FinishedAt: "2026-11-20T12:00:00Z"}
	b.status = "Exited (0) 1 second ago"
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

func refusal(status int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, message) }
}

// hang answers nothing until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// engines reads this fake alone, as a normal host's engine.
func (f *fake) engines() *Engines {
	return f.enginesWith(Options{Timeout: 20 * time.Second})
}

func (f *fake) enginesWith(o Options) *Engines {
	f.t.Helper()
	o.Environment = Environment{
		Getenv: func(name string) string { return map[string]string{"DOCKER_HOST": "unix://" + f.socket}[name] },
		UID:    1000, OS: "linux",
	}
	if o.Proc == "" {
		o.Proc = f.t.TempDir()
	}
	engines := New(o)
	f.t.Cleanup(engines.Close)
	return engines
}

// Gone reports that the container does not exist any more. A stopped container still
// exists.
func (e *Engines) Gone(ctx context.Context, id string) (bool, error) {
	_, err := e.Inspect(ctx, id)
	if errors.Is(err, ErrGone) {
		return true, nil
	}
	return false, err
}
