package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Door serves a socket in the demo's world. It passes requests about this demo's
// containers on to the engine and refuses all others. So nothing in the world can see,
// start or end any other container.
type Door struct {
	Engine *Engine
	Demo   string
}

// headersWithin limits the time for the headers of a request.
const headersWithin = 10 * time.Second

// Serve answers until the listener is closed.
func (d Door) Serve(listener net.Listener) error {
	server := &http.Server{Handler: d.handler(), ReadHeaderTimeout: headersWithin}
	if err := server.Serve(listener); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

var (
	version = regexp.MustCompile(`^/v\d+\.\d+/`)
	one     = regexp.MustCompile(`^/containers/(\w[\w.-]*)(/(json|start|stop|kill|wait|attach|top|logs|resize))?$`)
)

func (d Door) handler() http.Handler {
	passOn := &httputil.ReverseProxy{
		Transport: d.Engine.http.Transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "engine"}) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			refuse(w, http.StatusBadGateway, err)
		},
		FlushInterval: -1, // pass events and output on at once
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.admit(r); err != nil {
			refuse(w, http.StatusForbidden, err)
			return
		}
		passOn.ServeHTTP(w, r)
	})
}

// refuse answers in the form of an engine's refusal. A refusal by the engine itself keeps
// its status.
func refuse(w http.ResponseWriter, status int, why error) {
	var refused *refusedError
	if errors.As(why, &refused) {
		status = refused.status
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": why.Error()}) // an error means that the client has gone
}

// admit limits a request to this demo's containers, or returns why it is refused.
func (d Door) admit(r *http.Request) error {
	path := version.ReplaceAllString(r.URL.Path, "/")
	switch {
	case path == "/_ping", path == "/version", path == "/info":
		return nil
	case r.Method == http.MethodGet && (path == "/containers/json" || path == "/events"):
		return d.narrow(r)
	case r.Method == http.MethodPost && path == "/containers/create":
		return d.furnish(r)
	}
	asked := one.FindStringSubmatch(path)
	if asked == nil || r.Method == http.MethodDelete && asked[2] != "" {
		return fmt.Errorf("%s %s: reaperd demo passes on what concerns its own containers alone", r.Method, path)
	}
	return d.ours(r.Context(), asked[1])
}

// narrow adds the demo's label to the filters of a list, in the form in which reaperd sends the others: an engine
// takes no mixture of its two forms.
func (d Door) narrow(r *http.Request) error {
	query := r.URL.Query()
	filters := map[string]any{}
	if text := query.Get("filters"); text != "" {
		if err := json.Unmarshal([]byte(text), &filters); err != nil {
			return fmt.Errorf("filters: %w", err)
		}
	}
	filters["label"] = map[string]bool{demoLabel + "=" + d.Demo: true}
	text, err := json.Marshal(filters)
	if err != nil {
		return err
	}
	query.Set("filters", string(text))
	r.URL.RawQuery = query.Encode()
	return nil
}

// furnish gives a new container the demo's image and label. Of the client's settings only
// stdio, environment and command stay, so it gets nothing of the host.
func (d Door) furnish(r *http.Request) error {
	var asked map[string]any
	if err := json.NewDecoder(io.LimitReader(r.Body, maxAnswer)).Decode(&asked); err != nil {
		return fmt.Errorf("read the new container: %w", err)
	}
	settings := settingsOf(d.Demo)
	for _, key := range []string{"Cmd", "Env", "OpenStdin", "StdinOnce", "AttachStdin", "AttachStdout", "AttachStderr"} {
		if value, given := asked[key]; given {
			settings[key] = value
		}
	}
	settings["HostConfig"] = map[string]any{"AutoRemove": true, "NetworkMode": "none"}
	text, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	r.Header.Set("Content-Type", "application/json")
	return nil
}

// ours returns an error unless a container is one of this demo's.
func (d Door) ours(ctx context.Context, name string) error {
	var found struct {
		Config struct{ Labels map[string]string }
	}
	err := d.Engine.call(ctx, question{path: "/containers/" + url.PathEscape(name) + "/json", into: &found})
	if err == nil && found.Config.Labels[demoLabel] != d.Demo {
		return fmt.Errorf("container %s is not one of reaperd demo", name)
	}
	return err
}
