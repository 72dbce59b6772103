package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// visited is a visit to a daemon, on a port that browsers can reach.
func visited(t *testing.T) (visit *Visit, base string) {
	t.Helper()
	path := socketPath(t)
	onSocket(t, Options{Metrics: published(t, full()), Ask: answersTo}, path)
	visit = NewVisit(path)
	server := httptest.NewServer(visit.Handler())
	t.Cleanup(server.Close)
	return visit, server.URL
}

// entered is where a browser arrives that opens the address of a visit.
func entered(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	at := response.Request.URL.String()
	if response.StatusCode != http.StatusOK || strings.Contains(at, "token") || !strings.HasSuffix(at, "/") {
		t.Fatalf("%s: %s at %s", address, response.Status, at)
	}
	return at
}

func TestTheFirstBrowserWithTheTokenSeesThePage(t *testing.T) {
	visit, base := visited(t)
	at := entered(t, base+visit.Path())
	for _, path := range []string{"", "?q=x", "page.js", "v1/account", "v1/history"} {
		response, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK || len(response.Cookies()) > 0 || response.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %s, cookies %v", path, response.Status, response.Cookies())
		}
		if policies := response.Header.Values("Content-Security-Policy"); len(policies) != 1 {
			t.Errorf("%s: %d policies, and a browser goes by all of them", path, len(policies))
		}
	}
}

// TestAPageGivesNoOrders: the socket behind it takes them.
func TestAPageGivesNoOrders(t *testing.T) {
	visit, base := visited(t)
	at := entered(t, base+visit.Path())
	for _, path := range []string{actPath, pinPath, pausePath, resumePath} {
		response, err := http.Post(at+strings.TrimPrefix(path, "/"), "application/json", strings.NewReader(`{"word":"7","order":{},"plan":"p1"}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}

func TestTwoVisitsOfOneBrowserDoNotShutEachOtherOut(t *testing.T) {
	first, here := visited(t)
	second, there := visited(t)
	one, two := entered(t, here+first.Path()), entered(t, there+second.Path())
	for _, address := range []string{one, two} {
		if got := get(t, address); got.code != http.StatusOK {
			t.Errorf("%s: %d", address, got.code)
		}
	}
	if got := get(t, here+strings.TrimPrefix(two, there)); got.code != http.StatusForbidden {
		t.Errorf("with the other visit's key: %d", got.code)
	}
}

func TestNobodyElseSeesThePage(t *testing.T) {
	visit, base := visited(t)
	for _, path := range []string{"/", "/api/v1/report", "/?token=", "/?token=" + strings.Repeat("A", 26)} {
		if got := get(t, base+path); got.code != http.StatusForbidden {
			t.Errorf("%s without the token: %d", path, got.code)
		}
	}
	at := entered(t, base+visit.Path())
	if got := get(t, base+visit.Path()); got.code != http.StatusForbidden {
		t.Errorf("with a token that is spent: %d", got.code)
	}
	for _, path := range []string{"/", "/page.js", "/v1/account", "/api/v1/report", "/" + strings.Repeat("A", 26) + "/"} {
		if got := get(t, base+path); got.code != http.StatusForbidden {
			t.Errorf("%s without the key: %d", path, got.code)
		}
	}
	if got := do(t, http.MethodGet, at, "evil.example"); got.code != http.StatusForbidden {
		t.Errorf("with the key, under another name: %d", got.code)
	}
	if got := do(t, http.MethodGet, base+visit.Path(), "evil.example"); got.code != http.StatusForbidden {
		t.Errorf("under another name: %d", got.code)
	}
}

func TestTheBrowserHearsOfEachLook(t *testing.T) {
	path := socketPath(t)
	m := published(t, full())
	onSocket(t, Options{Metrics: m, Ask: answersTo}, path)
	visit := NewVisit(path)
	server := httptest.NewServer(visit.Handler())
	t.Cleanup(server.Close)
	response, err := http.Get(entered(t, server.URL+visit.Path()) + "v1/follow")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for range 3 {
		if !heard(lines) {
			t.Fatal("the stream has ended")
		}
		m.Tell()
	}
}

func TestABrowserHasItsTimeForEachPieceOfAnAnswer(t *testing.T) {
	slow := &reader{header: http.Header{}, takes: 2}
	for range 2 {
		if _, err := (impatient{slow}).Write([]byte("piece")); err != nil {
			t.Fatal(err)
		}
	}
	if len(slow.write) != 2 || slow.write[1].Before(slow.write[0]) {
		t.Errorf("deadlines %v, want one for each piece", slow.write)
	}
}

func TestABrowserThatComesWhileTheDaemonIsGoneAsksAgain(t *testing.T) {
	visit := NewVisit(socketPath(t)) // nobody listens there
	server := httptest.NewServer(visit.Handler())
	t.Cleanup(server.Close)
	response, err := http.Get(server.URL + visit.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusBadGateway || response.Header.Get("Refresh") != "5" || !strings.HasPrefix(string(text), "no daemon runs any more\n") || !strings.Contains(string(text), "reaperd status") {
		t.Errorf("%s, again after %q s: %s (%v)", response.Status, response.Header.Get("Refresh"), text, err)
	}
}

// TestABrowserIsToldThatADaemonDoesNotAnswer: it takes connections, and no more.
func TestABrowserIsToldThatADaemonDoesNotAnswer(t *testing.T) {
	path := socketPath(t)
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	visit := NewVisit(path)
	server := httptest.NewServer(visit.Handler())
	t.Cleanup(server.Close)
	response, err := http.Get(server.URL + visit.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.HasPrefix(string(text), "the daemon does not answer\n\n") {
		t.Errorf("%v: %q", err, text)
	}
}
