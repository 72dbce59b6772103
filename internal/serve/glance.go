package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Glance is what the port of a daemon tells every user of the host: less than [State].
type Glance struct {
	User     string          // the number of the user whose daemon it is; empty if that is not told
	NotReady string          // why it acts on nothing until something is mended; empty if it acts
	Paused   bool            // it is paused
	Reports  bool            // its mode is report
	Looked   bool            // a sweep of it has succeeded
	Reads    map[string]bool // whether its last sweep could read a source, by the source's name; nothing before it has looked
}

// GlanceAt asks the port of a daemon how it is.
func GlanceAt(ctx context.Context, listen string) (Glance, error) {
	ctx, cancel := context.WithTimeout(ctx, HealthWithin)
	defer cancel()
	host, err := hostToAsk(listen)
	if err != nil {
		return Glance{}, err
	}
	alive, err := askPort(ctx, host, healthPath)
	if err != nil {
		return Glance{}, err
	}
	g := Glance{User: alive.user, Reads: map[string]bool{}}
	if ready, err := askPort(ctx, host, readyPath); err == nil && ready.code == http.StatusServiceUnavailable {
		g.NotReady = strings.TrimSuffix(ready.line, statusShowsThem)
	}
	return g, g.readMetrics(ctx, host)
}

// GlanceAtRoots asks root's daemon, by its usual port, how it is; false if nothing there tells that.
func GlanceAtRoots(ctx context.Context) (Glance, bool) {
	g, err := GlanceAt(ctx, DefaultListen)
	return g, err == nil && g.User == "0"
}

// NotTold is what is known of a daemon of another user whose port tells nothing.
const NotTold = "whether it stops anything now cannot be told here"

// RootsNotTold is [NotTold] in a sentence of its own.
const RootsNotTold = "whether root's daemon stops anything now cannot be told here"

// Rests is why the daemon stops nothing: "is paused: it reaps nothing"; empty if it acts.
func (g Glance) Rests() string {
	switch {
	case g.NotReady != "":
		return "is NOT WELL: " + g.NotReady
	case g.Paused && g.Reports:
		return "is paused, and only reports (mode report): it stops nothing"
	case g.Paused:
		return "is paused: it reaps nothing"
	case g.Reports:
		return "only reports (mode report): it stops nothing"
	}
	return ""
}

// InShort is [Glance.Rests] in a word or two, for a prompt.
func (g Glance) InShort() string {
	var words []string
	switch {
	case g.NotReady != "":
		return "NOT WELL"
	case g.Paused:
		words = append(words, "paused")
	}
	if g.Reports {
		words = append(words, "mode report")
	}
	return strings.Join(words, ", ")
}

// readMetrics fills in what only the metrics tell.
func (g *Glance) readMetrics(ctx context.Context, host string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, (&url.URL{Scheme: "http", Host: host, Path: metricsPath}).String(), nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", host, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: the daemon is on this host
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask %s: %w", host, unwrapURL(err))
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return fmt.Errorf("metrics of %s: %w", host, err)
	}
	for _, metric := range families["reaperd_last_successful_sweep_timestamp_seconds"].GetMetric() {
		g.Looked = metric.GetGauge().GetValue() > 0
	}
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			isOne, label := metric.GetGauge().GetValue() == 1, ""
			if labels := metric.GetLabel(); len(labels) > 0 {
				label = labels[0].GetValue()
			}
			switch {
			case name == "reaperd_paused":
				g.Paused = isOne
			case name == "reaperd_mode" && label == "report":
				g.Reports = isOne
			case name == "reaperd_source_up" && g.Looked:
				g.Reads[label] = isOne
			}
		}
	}
	return nil
}
