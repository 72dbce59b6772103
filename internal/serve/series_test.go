package serve

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestEveryMetricIsDescribedAsItIs(t *testing.T) {
	families, err := published(t, full()).gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]MetricDoc{}
	for _, family := range families {
		doc := MetricDoc{Name: family.GetName(), Type: strings.ToLower(family.GetType().String()), Help: family.GetHelp()}
		for _, pair := range family.GetMetric()[0].GetLabel() {
			doc.Labels = append(doc.Labels, pair.GetName())
		}
		shown[doc.Name] = doc
	}
	for _, doc := range Describe() {
		got, there := shown[doc.Name]
		labels := slices.Sorted(slices.Values(doc.Labels))
		if !there || got.Type != doc.Type || got.Help != doc.Help || !slices.Equal(got.Labels, labels) {
			t.Errorf("described as %+v, shown as %+v", doc, got)
		}
		delete(shown, doc.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		t.Errorf("%s is not described", name)
	}
}

// promised are the metrics that dashboards and alerts rely on.
const promised = `sweeps_total{trigger,result} sweep_duration_seconds sweep_interval_seconds last_successful_sweep_timestamp_seconds
 mode{mode} processes sessions{client} servers{client,liveness} findings{kind,finding,client,decision} zombies{client}
 respawns_total{client} actions_total{rule,action,outcome} vetoes_total{guard} reclaimable_bytes reclaimed_bytes_total
 time_to_reap_seconds source_up{source} policy_last_reload_successful policy_last_reload_success_timestamp_seconds
 policy_info{source,sha256} journal_write_errors_total build_info{version,revision,goversion}`

func TestWhatWasPromisedIsThere(t *testing.T) {
	described := map[string]bool{}
	for _, doc := range Describe() {
		name := strings.TrimPrefix(doc.Name, "reaperd_")
		if len(doc.Labels) > 0 {
			name += "{" + strings.Join(doc.Labels, ",") + "}"
		}
		described[name] = true
	}
	for _, name := range strings.Fields(promised) {
		if !described[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestTheLinterHasNothingToSay(t *testing.T) {
	m := published(t, full())
	problems, err := testutil.GatherAndLint(prometheus.GathererFunc(m.gather))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestPromtoolHasNothingToSay(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	server := httptest.NewServer(New(Options{Metrics: published(t, full())}).portHandler(true))
	defer server.Close()
	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = response.Body
	if said, err := check.CombinedOutput(); err != nil || len(bytes.TrimSpace(said)) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
}
