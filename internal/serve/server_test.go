package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/test/eventually"
)

// run serves an endpoint until the test ends or stop is called; stop returns
// what Serve returned.
func run(t *testing.T, endpoint *Endpoint) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- endpoint.Serve(ctx) }()
	stopped, result := false, error(nil)
	stop = func() error {
		cancel()
		if !stopped {
			stopped, result = true, <-served
		}
		return result
	}
	t.Cleanup(func() { stop() })
	return stop
}

// listen binds a server to a free port, as somebody who asked for it.
func listen(t *testing.T, options Options) *Endpoint {
	t.Helper()
	if options.Listen == "" {
		options.Listen = "127.0.0.1:0"
	}
	options.Explicit = true
	endpoint, err := New(options).Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

func on(t *testing.T, options Options) (base string) {
	t.Helper()
	endpoint := listen(t, options)
	run(t, endpoint)
	return "http://" + endpoint.Addr()
}

// onPrivate serves the documents of the Unix socket on a port that the test can ask.
func onPrivate(t *testing.T, options Options) (base string) {
	t.Helper()
	server := httptest.NewServer(calledBy(os.Geteuid(), New(options).socketHandler()))
	t.Cleanup(server.Close)
	return server.URL
}

// calledBy answers as if a user asked.
func calledBy(uid int, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := &counted{peer: Peer{UID: uid}, list: &limited{}}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), connectionKey{}, caller)))
	})
}

type reply struct {
	code   int
	body   string
	header http.Header
}

func do(t *testing.T, method, url, host string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	return replyTo(t, request)
}

// replyTo is what comes of a request as it is: nothing is added to its headers.
func replyTo(t *testing.T, request *http.Request) reply {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, string(body), response.Header}
}

func get(t *testing.T, url string) reply { t.Helper(); return do(t, http.MethodGet, url, "") }

func TestEveryPathAnswers(t *testing.T) {
	base := onPrivate(t, Options{Metrics: published(t, full())})
	for _, c := range []struct{ path, kind, has string }{
		{"/metrics", "text/plain", `reaperd_servers{client="claude-code",liveness="live"} 3`},
		{"/healthz", "text/plain", "ok"},
		{"/readyz", "text/plain", "ready"},
		{"/", "text/html", `<script src="page.js"`},
		{"/page.js", "text/javascript", "v1/follow"},
		{"/page.css", "text/css", "prefers-color-scheme"},
	} {
		t.Run(c.path, func(t *testing.T) {
			got := get(t, base+c.path)
			if got.code != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), c.kind) || !strings.Contains(got.body, c.has) {
				t.Errorf("got %d %s:\n%s", got.code, got.header.Get("Content-Type"), got.body)
			}
			for _, header := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Cache-Control"} {
				if got.header.Get(header) == "" {
					t.Errorf("no %s", header)
				}
			}
			if head := do(t, http.MethodHead, base+c.path, ""); head.code != http.StatusOK || head.body != "" {
				t.Errorf("HEAD: %d %q", head.code, head.body)
			}
		})
	}
	for _, path := range []string{"/nothing", "/debug/pprof/", "/api/v1/reap", "/metrics/x"} {
		if got := get(t, base+path); got.code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, got.code)
		}
	}
}

func TestNothingThatActsIsReachable(t *testing.T) {
	base := onPrivate(t, Options{Metrics: published(t, full())})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "REAP"} {
		for _, path := range []string{"/", "/page.js", "/page.css", "/metrics", "/healthz", "/readyz", "/api/v1/reap"} {
			if got := do(t, method, base+path, ""); got.code != http.StatusMethodNotAllowed || got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, want 405", method, path, got.code)
			}
		}
	}
}

func TestALoopbackPortAnswersToItsOwnNamesOnly(t *testing.T) {
	base := on(t, Options{Metrics: published(t, full())})
	for host, code := range map[string]int{
		"localhost": 200, "localhost:9723": 200, "LOCALHOST.": 200, "127.0.0.1": 200, "127.8.9.1:80": 200, "[::1]": 200,
		"[::1]:9723": 200, "[::ffff:127.0.0.1]:1": 200,
		"evil.example": 403, "evil.example:9723": 403, "localhost.evil.example": 403, "192.168.1.7": 403, "10.0.0.1:9723": 403,
		"0.0.0.0:9723": 403, "127.0.0.1.evil.example": 403, "[fe80::1]:9723": 403,
	} {
		for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
			if got := do(t, http.MethodGet, base+path, host); got.code != code {
				t.Errorf("Host %s, %s: %d, want %d", host, path, got.code, code)
			}
		}
	}
}

func TestAnotherAddressAnswersToAnyName(t *testing.T) {
	var log bytes.Buffer
	endpoint := listen(t, Options{Listen: "0.0.0.0:0", Metrics: published(t, full()), Log: slog.New(slog.NewTextHandler(&log, nil))})
	run(t, endpoint)
	_, port, _ := net.SplitHostPort(endpoint.Addr())
	if got := do(t, http.MethodGet, "http://127.0.0.1:"+port+"/metrics", "runner-7.example:9723"); got.code != http.StatusOK {
		t.Errorf("got %d", got.code)
	}
	if log.Len() == 0 {
		t.Error("no warning was logged")
	}
}

func TestAnAddressThatOthersReachHasToBeAskedFor(t *testing.T) {
	endpoint, err := New(Options{Listen: "0.0.0.0:0", Metrics: published(t)}).Listen(t.Context())
	if err == nil {
		endpoint.listener.Close()
		t.Fatal("it listens")
	}
	if errors.Is(err, ErrPortTaken) {
		t.Errorf("that is no taken port: %v", err)
	}
}

func TestThePortCarriesMetricsAndHealthOnly(t *testing.T) {
	m := published(t, full())
	base := on(t, Options{Metrics: m})
	for path, code := range map[string]int{
		"/metrics": 200, "/healthz": 200, "/readyz": 200,
		"/v1/account": 403, "/v1/act": 404, "/": 403,
		"/page.js": 403, "/v1/follow": 403, "/v1/explain?word=1": 403, "/v1/history": 403,
	} {
		got := get(t, base+path)
		if got.code != code {
			t.Errorf("%s: %d, want %d", path, got.code, code)
		}
		if code == http.StatusForbidden && !strings.Contains(got.body, "reaperd page") {
			t.Errorf("%s does not say what to use: %q", path, got.body)
		}
	}

	fresh, _ := newTestMetrics()
	fresh.PolicyRefused([]string{"/root/.config/reaperd/policies.yaml:3: unknown key"})
	got := get(t, on(t, Options{Metrics: fresh})+"/readyz")
	if got.code != http.StatusServiceUnavailable || strings.Contains(got.body, "/root") {
		t.Errorf("a fault quotes root's file to everybody: %d %q", got.code, got.body)
	}
}

func TestATakenPort(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	address := other.Addr().String()
	for _, c := range []struct {
		name            string
		explicit, typed bool
	}{
		{"the default: the caller can go on without", false, true},
		{"one that was asked for: an error like any other", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := serveTCP(t.Context(), New(Options{Listen: address, Explicit: c.explicit, Metrics: published(t)}))
			if err == nil || errors.Is(err, ErrPortTaken) != c.typed || !strings.Contains(err.Error(), address) {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := serveTCP(t.Context(), New(Options{Listen: "nowhere", Explicit: true, Metrics: published(t)})); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an address without a port: %v", err)
	}
	if got := New(Options{}).options.Listen; got != "127.0.0.1:9723" {
		t.Errorf("the default is %s", got)
	}
}

func TestServingEndsWithTheContextAndLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	m := published(t, full())
	path := socketPath(t)
	for _, stranger := range []bool{true, false, false} {
		port := listen(t, Options{Metrics: m})
		socket, err := New(Options{Metrics: m}).ListenUnix(t.Context(), path, OwnSocket)
		if err != nil {
			t.Fatal(err)
		}
		stopPort, stopSocket := run(t, port), run(t, socket)
		if stranger {
			keepIdle(t, port.Addr())
		}
		get(t, "http://"+port.Addr()+"/metrics")
		if err := errors.Join(stopPort(), stopSocket()); err != nil {
			t.Errorf("stopped: %v", err)
		}
		if _, err := net.Dial("tcp", port.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("the port still answers: %v", err)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	eventually.Holds(t, "no goroutine of a server is left", func() bool { return runtime.NumGoroutine() <= before })
}

// keepIdle connects and sends no request.
func keepIdle(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
}

func TestAListenerThatBreaksIsAnError(t *testing.T) {
	endpoint := listen(t, Options{Metrics: published(t)})
	endpoint.listener.Close()
	if err := endpoint.Serve(t.Context()); err == nil {
		t.Error("want an error")
	}
}

// serveTCP binds the port and answers until the context ends.
func serveTCP(ctx context.Context, s *Server) error {
	endpoint, err := s.Listen(ctx)
	if err != nil {
		return err
	}
	return endpoint.Serve(ctx)
}
