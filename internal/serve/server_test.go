package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
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

// onPrivate serves what the Unix socket carries, on a port that the test can ask.
func onPrivate(t *testing.T, options Options) (base string) {
	t.Helper()
	server := httptest.NewServer(New(options).socketHandler())
	t.Cleanup(server.Close)
	return server.URL
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
		{"/api/v1/report", "application/json", `{"version":1}`},
		{"/api/v1/status", "application/json", `"mode": "enforce"`},
		{"/api/v1/overview", "application/json", `{"version":1,`},
		{"/", "text/html", "claude-code"},
		{"/part", "text/html", "claude-code"},
		{"/thing?key=server:40003:1", "text/html", "fetch"},
		{"/page.js", "text/javascript", "EventSource"},
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
		for _, path := range []string{"/", "/part", "/live", "/thing", "/metrics", "/healthz", "/readyz", "/api/v1/report", "/api/v1/status", "/api/v1/reap"} {
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
		endpoint.Close()
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
		"/api/v1/report": 403, "/api/v1/status": 403, "/api/v1/overview": 403, "/": 403,
		"/part": 403, "/thing?key=server:1:1": 403, "/page.js": 403, "/live": 403,
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

func TestTheFaultsOfAPolicyAreSaidOnce(t *testing.T) {
	m, _ := newTestMetrics()
	m.PolicyRefused([]string{"policies.yaml:3: unknown key", "policies.yaml:7: no such action", "policies.yaml:9: no such finding"})
	base := onPrivate(t, Options{Metrics: m})
	var state State
	if err := json.Unmarshal([]byte(get(t, base+"/api/v1/status").body), &state); err != nil {
		t.Fatal(err)
	}
	if state.NotReady != "the policy has 3 faults: nothing is acted on until it is mended" || len(state.Policy.Faults) != 3 {
		t.Errorf("not ready: %q, faults: %q", state.NotReady, state.Policy.Faults)
	}
	for _, path := range []string{"/", "/readyz", "/api/v1/status"} {
		if body := get(t, base+path).body; strings.Count(body, "policies.yaml:7") != 1 || strings.Count(body, "3 faults") != 1 {
			t.Errorf("%s:\n%s", path, body)
		}
	}
	if body := get(t, base+"/").body; strings.Contains(body, "the one before it holds") {
		t.Errorf("there is none before it:\n%s", body)
	}
}

func TestAPolicyThatHoldsIsSaidToHoldWhereSweepsFail(t *testing.T) {
	m, c := newTestMetrics()
	m.PolicyReloaded(shipped(), noon)
	m.Publish(full())
	m.PolicyRefused([]string{"policies.yaml:3: unknown key"})
	c.at = noon.Add(time.Hour)
	base := onPrivate(t, Options{Metrics: m})
	if body := get(t, base+"/").body; !strings.Contains(body, "the one before it holds") || !strings.Contains(body, "policies.yaml:3") {
		t.Errorf("the page:\n%s", body)
	}
	if body := get(t, base+"/readyz").body; strings.Contains(body, "policies.yaml:3") {
		t.Errorf("the policy is not why it is not ready: %s", body)
	}
}

func TestHealthAndReadinessSayWhy(t *testing.T) {
	m, c := newTestMetrics()
	alive, vetoed := true, ""
	base := onPrivate(t, Options{
		Metrics: m,
		Alive:   func() (bool, string) { return alive, "the loop has not moved for a minute" },
		Ready:   func() (bool, string) { return vetoed == "", vetoed },
	})
	expect := func(path string, code int, says string) {
		t.Helper()
		if got := get(t, base+path); got.code != code || !strings.Contains(got.body, says) {
			t.Errorf("%s: %d %q, want %d %q", path, got.code, got.body, code, says)
		}
	}
	expect("/healthz", 200, "ok")
	expect("/readyz", 503, "no sweep has succeeded yet")
	expect("/api/v1/report", 503, "no sweep has finished yet")
	m.PolicyRefused([]string{"policies.yaml:3: unknown key"})
	expect("/readyz", 503, "policies.yaml:3: unknown key")
	m.PolicyReloaded(shipped(), noon)
	m.Publish(full())
	expect("/readyz", 200, "ready")
	vetoed = "the state directory is full"
	expect("/readyz", 503, vetoed)
	vetoed = ""
	c.at = noon.Add(2 * time.Minute)
	expect("/readyz", 503, "no sweep has succeeded since")
	alive = false
	expect("/healthz", 503, "the loop has not moved")
}

func TestAReportThatCannotBeEncodedIsAnError(t *testing.T) {
	u := full()
	u.Report = func() ([]byte, error) { return nil, errors.New("out of paper") }
	if got := get(t, onPrivate(t, Options{Metrics: published(t, u)})+"/api/v1/report"); got.code != http.StatusInternalServerError {
		t.Errorf("got %d", got.code)
	}
}

func TestTheStatusIsWhole(t *testing.T) {
	m := published(t, full())
	m.PolicyReloaded(shipped(), noon)
	server := New(Options{Metrics: m, Listen: "127.0.0.1:0", Explicit: true})
	endpoint, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, endpoint)
	recorder := httptest.NewRecorder()
	server.socketHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/api/v1/status", nil))
	var state State
	if err := json.Unmarshal(recorder.Body.Bytes(), &state); err != nil {
		t.Fatal(err)
	}
	if state.Version != 1 || state.Build.Version != "v1.2.3" || state.PID != os.Getpid() || state.Listen != endpoint.Addr() || !state.StartedAt.Equal(noon) {
		t.Errorf("who answers: %+v", state)
	}
	if state.Mode != policy.ModeEnforce || state.Policy.Source != shipped().Source || state.Policy.SHA256 != shipped().SHA256 || state.Policy.Faults == nil {
		t.Errorf("policy: %+v", state.Policy)
	}
	if state.LastSweep == nil || state.LastSweep.Trigger != TriggerSchedule || !state.NextSweep.Equal(noon.Add(30*time.Second)) || state.IntervalSeconds != 30 {
		t.Errorf("sweeps: %+v, next %v", state.LastSweep, state.NextSweep)
	}
	if len(state.Pending) != 1 || state.Pending[0].Rule != "orphaned-servers" || !state.Pending[0].DueAt.Equal(noon.Add(10*time.Second)) {
		t.Errorf("pending: %+v", state.Pending)
	}
	if state.ReapedToday != 1 || state.FreedTodayBytes != 900 || state.Pins != 2 || !state.Paused || !state.Ready || len(state.Sources) != 2 {
		t.Errorf("state: %+v", state)
	}
	if len(state.LastActs) != 2 || state.LastActs[0].Outcome != "refused" {
		t.Errorf("acts %+v", state.LastActs)
	}
	var due []string
	for _, count := range state.Findings {
		if count.Decision == "reap" {
			due = append(due, fmt.Sprintf("%d %s", count.Number, count.Came()))
		}
	}
	if !slices.Equal(due, []string{"1 gone now", "1 reap"}) {
		t.Errorf("what was due: %v", due)
	}
}

func TestAnEmptyStatusHasEmptyListsNotNull(t *testing.T) {
	m, _ := newTestMetrics()
	got := get(t, onPrivate(t, Options{Metrics: m})+"/api/v1/status")
	if strings.Contains(got.body, "null") || !strings.Contains(got.body, `"pending": []`) || !strings.Contains(got.body, `"mode": "report"`) {
		t.Errorf("got %s", got.body)
	}
}

func TestOnlyTheLastActsAreShown(t *testing.T) {
	m, _ := newTestMetrics()
	for range 3 {
		u := full()
		for range 9 {
			u.Outcomes = append(u.Outcomes, u.Outcomes[0])
		}
		m.Publish(u)
	}
	if n := len(m.current().LastActs); n != maxActs {
		t.Errorf("%d acts, want %d", n, maxActs)
	}
}

func TestAPauseIsShownWithItsEndAndItsReason(t *testing.T) {
	u := full()
	u.PausedUntil, u.PauseReason = noon.Add(time.Hour), "release <today>"
	m := published(t, u)
	base := onPrivate(t, Options{Metrics: m})
	var state State
	if err := json.Unmarshal([]byte(get(t, base+"/api/v1/status").body), &state); err != nil {
		t.Fatal(err)
	}
	if !state.Paused || !state.PausedUntil.Equal(noon.Add(time.Hour)) || state.PauseReason != "release <today>" {
		t.Errorf("paused %v until %v (%s)", state.Paused, state.PausedUntil, state.PauseReason)
	}
	if body := get(t, base+"/").body; !strings.Contains(body, "nothing is stopped until "+human.Day(noon.Add(time.Hour), noon)+" (release &lt;today&gt;)") {
		t.Errorf("the page:\n%s", body)
	}
	u.Paused = false // it ended between the sweep and the question
	m.Publish(u)
	if body := get(t, base+"/api/v1/status").body; strings.Contains(body, "pause_reason") || strings.Contains(body, "paused_until") {
		t.Errorf("no pause holds: %s", body)
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
			err := New(Options{Listen: address, Explicit: c.explicit, Metrics: published(t)}).Serve(t.Context())
			if err == nil || errors.Is(err, ErrPortTaken) != c.typed || !strings.Contains(err.Error(), address) {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := New(Options{Listen: "nowhere", Explicit: true, Metrics: published(t)}).Serve(t.Context()); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an address without a port: %v", err)
	}
	if got := New(Options{}).options.Listen; got != "127.0.0.1:9723" {
		t.Errorf("the default is %s", got)
	}
}

func TestTheStatusNamesThePortThatIsServed(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := New(Options{Listen: other.Addr().String(), Metrics: published(t)})
	if _, err := taken.Listen(t.Context()); !errors.Is(err, ErrPortTaken) {
		t.Fatal(err)
	}
	if got := taken.state().Listen; got != "" {
		t.Errorf("another program has the port: %q", got)
	}

	server := New(Options{Listen: "127.0.0.1:0", Metrics: published(t)})
	endpoint, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, endpoint)
	if got := server.state().Listen; got != endpoint.Addr() {
		t.Errorf("it is served: %q, want %q", got, endpoint.Addr())
	}
	endpoint.listener.Close() // as where the system takes it away
	eventually.Holds(t, "it is served no more", func() bool { return server.state().Listen == "" })
}

func TestServingEndsWithTheContextAndLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	m := published(t, full())
	path := socketPath(t)
	for _, stranger := range []bool{true, false, false} {
		port := listen(t, Options{Metrics: m})
		socket, err := New(Options{Metrics: m}).ListenUnix(t.Context(), path)
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

// keepIdle connects and asks nothing.
func keepIdle(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
}

func TestAnEndpointThatNeverServedCanBeClosed(t *testing.T) {
	endpoint := listen(t, Options{Metrics: published(t)})
	if err := errors.Join(endpoint.Close(), endpoint.Close()); err != nil {
		t.Error(err)
	}
}

func TestAListenerThatBreaksIsAnError(t *testing.T) {
	endpoint := listen(t, Options{Metrics: published(t)})
	endpoint.Close()
	if err := endpoint.Serve(t.Context()); err == nil {
		t.Error("want an error")
	}
}

// connections is a listener that keeps so many, and what it has accepted.
func connections(t *testing.T, most int) (*limited, func() (client net.Conn, accepted *counted)) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	listener := newLimited(inner, most)
	return listener, func() (net.Conn, *counted) {
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		accepted, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { accepted.Close() })
		return client, accepted.(*counted)
	}
}

// isShed reports whether the server has closed a client's connection.
func isShed(t *testing.T, client net.Conn) bool {
	t.Helper()
	_, err := client.Read(make([]byte, 1))
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

func TestAConnectionTooManyClosesTheOldestThatWaits(t *testing.T) {
	listener, dial := connections(t, 2)
	_, first := dial()
	second, _ := dial()
	first.setAnswering(true)
	dial()
	if !isShed(t, second) {
		t.Error("the older of those that wait is still open")
	}
	if n := len(listener.open); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	first.Close()
	first.Close()
	if n := len(listener.open); n != 1 {
		t.Errorf("%d connections after one ended, want 1", n)
	}
}

func TestAConnectionTooManyClosesOneOfThePeerThatHasMost(t *testing.T) {
	listener, dial := connections(t, 3)
	_, single := dial()
	single.from = "192.0.2.7"
	older, _ := dial()
	dial()
	dial()
	if !isShed(t, older) {
		t.Error("the oldest of the peer with two is still open")
	}
	if len(listener.open) != 3 || listener.open[0] != single {
		t.Error("the peer with one connection has lost it")
	}
}

func TestWhereAllAreAnsweringTheOldestGivesWay(t *testing.T) {
	_, dial := connections(t, 2)
	oldest, first := dial()
	_, second := dial()
	first.setAnswering(true)
	second.setAnswering(true)
	dial()
	if !isShed(t, oldest) {
		t.Error("the oldest is still open")
	}
}

func TestConnectionsThatNeverFinishShutNobodyOut(t *testing.T) {
	endpoint := listen(t, Options{Metrics: published(t, full())})
	run(t, endpoint)
	for range 3 * maxConnections {
		conn, err := net.Dial("tcp", endpoint.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
	}
	if got := get(t, "http://"+endpoint.Addr()+"/healthz"); got.code != http.StatusOK {
		t.Errorf("got %d", got.code)
	}
}

func TestARequestInFlightMayFinish(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	u := full()
	u.Report = func() ([]byte, error) {
		close(entered)
		<-release
		return []byte(`{"late":true}`), nil
	}
	path := socketPath(t)
	stop := onSocket(t, Options{Metrics: published(t, u)}, path)
	got := make(chan string, 1)
	go func() {
		response, err := overUnix(path).Get("http://localhost/api/v1/report")
		if err != nil {
			got <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		got <- string(body)
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	close(release)
	if body := <-got; body != `{"late":true}` {
		t.Errorf("got %q", body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestARecordedRequestNeedsNoListener(t *testing.T) {
	recorder := httptest.NewRecorder()
	New(Options{Metrics: published(t, full())}).socketHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/api/v1/report", nil))
	if recorder.Code != http.StatusOK || recorder.Body.String() != `{"version":1}` {
		t.Errorf("got %d %q", recorder.Code, recorder.Body)
	}
}
