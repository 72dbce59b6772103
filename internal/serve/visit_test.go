package serve

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
)

// visited is a visit to a daemon, on a port that browsers can reach.
func visited(t *testing.T) (visit *Visit, base string) {
	t.Helper()
	path := socketPath(t)
	onSocket(t, Options{Metrics: published(t, full())}, path)
	visit = NewVisit(path)
	server := httptest.NewServer(visit.Handler())
	t.Cleanup(server.Close)
	return visit, server.URL
}

// browser keeps cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func TestTheFirstBrowserWithTheTokenSeesThePage(t *testing.T) {
	visit, base := visited(t)
	mine := browser(t)
	for _, path := range []string{visit.Path(), "/", "/api/v1/report"} {
		response, err := mine.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK || strings.Contains(response.Request.URL.String(), "token") {
			t.Errorf("%s: %s at %s", path, response.Status, response.Request.URL)
		}
		if policies := response.Header.Values("Content-Security-Policy"); len(policies) != 1 {
			t.Errorf("%s: %d policies, and a browser goes by all of them", path, len(policies))
		}
	}
}

func TestNobodyElseSeesThePage(t *testing.T) {
	visit, base := visited(t)
	for _, path := range []string{"/", "/api/v1/report", "/?token=", "/?token=" + strings.Repeat("A", 26)} {
		if got := get(t, base+path); got.code != http.StatusForbidden {
			t.Errorf("%s without the token: %d", path, got.code)
		}
	}
	if response, err := browser(t).Get(base + visit.Path()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", response, err)
	}
	if got := get(t, base+visit.Path()); got.code != http.StatusForbidden {
		t.Errorf("with a token that is spent: %d", got.code)
	}
	if got := do(t, http.MethodGet, base+visit.Path(), "evil.example"); got.code != http.StatusForbidden {
		t.Errorf("under another name: %d", got.code)
	}
}
