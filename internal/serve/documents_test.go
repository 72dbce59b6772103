package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// waited is how long the daemon holds back the rest of a page of some servers.
func waited(ctx context.Context, t *testing.T, path string, servers int) time.Duration {
	t.Helper()
	w := &world{}
	owner := w.session("codex")
	for range servers {
		w.judged(owner, graph.FindingNone, policy.Keep)
	}
	handler := calledBy(os.Geteuid(), New(Options{Metrics: published(t, w.update())}).socketHandler())
	began := time.Now()
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
	return time.Since(began)
}

func TestALongPageGivesABrowserTimeForItsFirstPicture(t *testing.T) {
	for _, c := range []struct {
		name    string
		path    string
		servers int
		gone    bool
		want    time.Duration
	}{
		{name: "five hundred servers", path: "/", servers: 500, want: headStart},
		{name: "three servers are there at once", path: "/", servers: 3},
		{name: "the live part is shown at once", path: "/part", servers: 500},
		{name: "nobody waits for a browser that has gone", path: "/", servers: 500, gone: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if c.gone {
					leave()
				}
				if got := waited(ctx, t, c.path, c.servers); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}
