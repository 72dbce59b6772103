package containers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
)

// demoLabel is the label of the demo's image and containers. Its value is different for each
// demo.
const demoLabel = "reaperd.demo"

// Engine is a container engine behind a local socket.
type Engine struct {
	http *http.Client
	dial func(context.Context) (net.Conn, error)
	path string
}

// At returns the engine behind a socket.
func At(path string) *Engine {
	dial := func(ctx context.Context) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", path)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }}
	return &Engine{http: &http.Client{Transport: transport}, dial: dial, path: path}
}

// Path is the engine's socket.
func (e *Engine) Path() string { return e.path }

// answersWithin limits the time for the engine's first answer.
const answersWithin = 5 * time.Second

// Find returns the engine of this user, as every other command finds it, or an error that
// tells why the demo cannot use one.
func Find(ctx context.Context) (*Engine, error) {
	endpoints, _, err := docker.Resolve(docker.HostEnvironment())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	why := errors.New("no container engine was found")
	for _, endpoint := range endpoints {
		path, local := strings.CutPrefix(endpoint.Host, "unix://")
		if !local {
			why = fmt.Errorf("%s is not on this machine", endpoint.Host)
			continue
		}
		engine := At(path)
		if err := engine.call(ctx, question{path: "/_ping"}); err != nil {
			why = unusable(endpoint, err)
			continue
		}
		return engine, nil
	}
	return nil, why
}

// unusable is why the engine of an endpoint cannot be used. Where it only refuses this user, the reason has the
// remedy.
func unusable(endpoint docker.Endpoint, err error) error {
	place := strings.TrimPrefix(endpoint.Host, "unix://")
	switch {
	case errors.Is(err, fs.ErrPermission):
		return errors.New(docker.Denied(endpoint))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the engine at %s did not answer within %s", place, answersWithin)
	}
	return fmt.Errorf("the engine at %s does not answer: %w", place, plain(err))
}

// plain returns the cause of a network error, without the request.
func plain(err error) error {
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Err
	}
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}

// question is one request to an engine.
type question struct {
	method string // empty means GET
	path   string
	query  url.Values
	body   any // sent as JSON; an io.Reader is sent as it is; may be nil
	into   any // takes the answer's JSON; may be nil
}

// call sends a request. An answer other than success is an error with the engine's
// message.
func (e *Engine) call(ctx context.Context, q question) error {
	body, err := q.reader()
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, q.method, "http://engine"+q.path+"?"+q.query.Encode(), body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return &refusedError{status: response.StatusCode, message: messageOf(answer)}
	}
	if q.into == nil {
		return nil
	}
	return json.Unmarshal(answer, q.into)
}

// maxAnswer limits an answer, in bytes.
const maxAnswer = 16 << 20

func (q question) reader() (io.Reader, error) {
	switch body := q.body.(type) {
	case nil:
		return nil, nil
	case io.Reader:
		return body, nil
	default:
		text, err := json.Marshal(body)
		return bytes.NewReader(text), err
	}
}

// refusedError is an engine's answer other than success.
type refusedError struct {
	status  int
	message string
}

func (e *refusedError) Error() string { return e.message }

// absent reports whether the engine has no such thing, or is already removing it.
func absent(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && (refused.status == http.StatusNotFound || refused.status == http.StatusConflict && strings.Contains(refused.message, "in progress"))
}

func messageOf(answer []byte) string {
	var said struct{ Message string }
	if json.Unmarshal(answer, &said) == nil && said.Message != "" {
		return said.Message
	}
	return strings.TrimSpace(string(answer))
}

// labelled returns the filter for one demo's things.
func labelled(demo string) string {
	text, err := json.Marshal(map[string][]string{"label": {demoLabel + "=" + demo}})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(text)
}

// Container is one of the demo's containers, in the form of the engine's list.
type Container struct {
	ID    string `json:"Id"`
	Names []string
	State string
}

// Containers returns the containers of one demo, including stopped ones.
func (e *Engine) Containers(ctx context.Context, demo string) (found []Container, err error) {
	err = e.call(ctx, question{path: "/containers/json", query: url.Values{"all": {"1"}, "filters": {labelled(demo)}}, into: &found})
	return found, err
}
