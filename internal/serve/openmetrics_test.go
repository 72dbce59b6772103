package serve

import (
	"net/http"
	"strings"
	"testing"
)

// A Prometheus server asks for OpenMetrics first; who asks for nothing gets the text format.
func TestMetricsAreServedInTheFormatThatIsAskedFor(t *testing.T) {
	base := onPrivate(t, Options{Metrics: published(t, full())})
	for _, c := range []struct {
		accepts, kind string
		ends          bool
	}{
		{"", "text/plain; version=0.0.4", false},
		{"text/plain;version=0.0.4", "text/plain; version=0.0.4", false},
		{"application/openmetrics-text;version=1.0.0", "application/openmetrics-text; version=1.0.0", true},
		{"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3", "application/openmetrics-text; version=1.0.0", true},
	} {
		t.Run(c.accepts, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+metricsPath, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", c.accepts)
			got := replyTo(t, request)
			if kind, ends := got.header.Get("Content-Type"), strings.HasSuffix(got.body, "\n# EOF\n"); !strings.HasPrefix(kind, c.kind) || ends != c.ends {
				t.Errorf("got %s, and \"# EOF\" %v", kind, ends)
			}
			for _, series := range []string{`reaperd_servers{client="claude-code",liveness="live"} 3`, `reaperd_session_idle_seconds_count{client="none"}`, "reaperd_time_to_reap_seconds_bucket"} {
				if !strings.Contains(got.body, series) {
					t.Errorf("no %s", series)
				}
			}
		})
	}
}
