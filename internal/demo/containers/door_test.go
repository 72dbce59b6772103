package containers

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// engineWith plays an engine with a container of this demo, "ours", and one of a
// stranger. It records the requests.
func engineWith(t *testing.T) (e *Engine, asked func() []string) {
	t.Helper()
	var heard []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		name, inspects := strings.CutSuffix(r.URL.Path, "/json")
		name, one := strings.CutPrefix(name, "/containers/")
		switch labels := map[string]string{"ours": "abc", "stranger": "", "another": "def"}; {
		case inspects && one:
			label, there := labels[name]
			if !there {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprintf(w, `{"message":"no container %s"}`, name)
				return
			}
			fmt.Fprintf(w, `{"Config":{"Labels":{%q:%q}}}`, demoLabel, label)
			return
		}
		heard = append(heard, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("filters")+" "+string(body)))
		fmt.Fprint(w, `{}`)
	})
	return At(serving(t, "engine", handler)), func() []string { return heard }
}

func serving(t *testing.T, name string, handler http.Handler) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return path
}

func TestTheDoorShowsTheDemosContainersAlone(t *testing.T) {
	const ours = `{"label":{"reaperd.demo=abc":true}}`
	for _, row := range []struct {
		name, method, path string
		body               string
		status             int
		passed             string // empty: the engine is not asked
	}{
		{"a list is of ours", "GET", "/v1.47/containers/json?all=1", "", 200, "GET /v1.47/containers/json " + ours},
		{"a list of another's label is of ours", "GET", `/containers/json?filters={"label":["reaperd.demo=def"]}`, "", 200, "GET /containers/json " + ours},
		{"events are of ours", "GET", `/events?filters={"type":{"container":true}}`, "", 200, `GET /events {"label":{"reaperd.demo=abc":true},"type":{"container":true}}`},
		{"filters that are none", "GET", "/events?filters=x", "", 403, ""},
		{"ours is stopped", "POST", "/v1.47/containers/ours/stop?t=2", "", 200, "POST /v1.47/containers/ours/stop"},
		{"ours is removed", "DELETE", "/containers/ours?force=1", "", 200, "DELETE /containers/ours"},
		{"a stranger's is not stopped", "POST", "/containers/stranger/stop", "", 403, ""},
		{"another demo's is not removed", "DELETE", "/v1.47/containers/another", "", 403, ""},
		{"one that is not there", "DELETE", "/containers/nobody", "", 404, ""},
		{"all stopped ones at once", "POST", "/containers/prune", "", 404, ""},
		{"a command in ours", "POST", "/containers/ours/exec", "", 403, ""},
		{"an image", "DELETE", "/images/debian", "", 403, ""},
		{"a way around the names", "DELETE", "/containers/..%2fimages%2fdebian", "", 403, ""},
		{"volumes", "GET", "/v1.47/volumes", "", 403, ""},
	} {
		engine, asked := engineWith(t)
		door := At(serving(t, "door", Door{Engine: engine, Demo: "abc"}.handler()))
		request, err := http.NewRequest(row.method, "http://engine"+row.path, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := door.http.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := strings.Join(asked(), "\n"); response.StatusCode != row.status || got != row.passed {
			t.Errorf("%s: %d, want %d; the engine was asked\n%s\nwant\n%s", row.name, response.StatusCode, row.status, got, row.passed)
		}
	}
}

func TestANewContainerHasNothingOfTheHost(t *testing.T) {
	engine, asked := engineWith(t)
	door := At(serving(t, "door", Door{Engine: engine, Demo: "abc"}.handler()))
	err := door.call(t.Context(), question{method: "POST", path: "/v1.47/containers/create", body: map[string]any{
		"Image": "debian", "Env": []string{"A=B"}, "OpenStdin": true, "User": "0", "Labels": map[string]string{"x": "y"},
		"HostConfig": map[string]any{"Privileged": true, "Binds": []string{"/:/host"}},
	}})
	if err != nil || len(asked()) != 1 {
		t.Fatalf("%v, %q", err, asked())
	}
	var got map[string]any
	_, text, _ := strings.Cut(asked()[0], "{")
	if err := json.Unmarshal([]byte("{"+text), &got); err != nil {
		t.Fatal(err)
	}
	want := `map[Env:[A=B] HostConfig:map[AutoRemove:true NetworkMode:none] Image:reaperd-demo/mcp-server-fetch:abc Labels:map[reaperd.demo:abc] OpenStdin:true]`
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
