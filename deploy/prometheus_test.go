package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
)

// rule is an alert or a recording.
type rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	var all []rule
	for _, group := range parse[struct{ Groups []struct{ Rules []rule } }](t, "prometheus/reaperd.rules.yml").Groups {
		all = append(all, group.Rules...)
	}
	return all
}

func TestTheAlertsFireWhenTheyShouldAndNotBefore(t *testing.T) {
	promtool := tool(t, "promtool", "Debian: prometheus")
	runIn(t, "prometheus", promtool, "check", "rules", "reaperd.rules.yml")
	runIn(t, "prometheus", promtool, "test", "rules", "reaperd.rules_test.yml", "reaperd.fleet_test.yml")
}

func TestPrometheusTakesTheScrapeConfiguration(t *testing.T) {
	promtool := tool(t, "promtool", "Debian: prometheus")
	runIn(t, "prometheus", promtool, "check", "config", "prometheus.yml")

	// Some promtools are built without Kubernetes: its relabelling is checked on
	// a job that any of them knows.
	text := string(read(t, "prometheus/prometheus.kubernetes.yml"))
	plain := strings.Replace(text, "kubernetes_sd_configs:\n      - role: pod", "static_configs:\n      - targets: [a]", 1)
	if plain == text {
		t.Fatal("the discovery is not where it was")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"prometheus.yml": plain, "reaperd.rules.yml": string(read(t, "prometheus/reaperd.rules.yml"))} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, folder, promtool, "check", "config", "prometheus.yml")
}

// TestAlertsSayWhatIsWrongAndWhatToDo holds that every alert has its words and
// a section of the page that it leads to.
func TestAlertsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	page := string(read(t, "prometheus/README.md"))
	var alerts int
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		alerts++
		for _, key := range []string{"summary", "description", "runbook_url"} {
			if r.Annotations[key] == "" {
				t.Errorf("%s has no %s", r.Alert, key)
			}
		}
		if r.Labels["severity"] == "" {
			t.Errorf("%s has no severity", r.Alert)
		}
		_, anchor, _ := strings.Cut(r.Annotations["runbook_url"], "#")
		if anchor != strings.ToLower(r.Alert) || !strings.Contains(page, "### "+r.Alert+"\n") {
			t.Errorf("%s leads to %q, which the page has not", r.Alert, anchor)
		}
	}
	if alerts != 8 {
		t.Errorf("%d alerts, want 8", alerts)
	}
}

// TestRulesAndDashboardAskForMetricsThatAre holds every name that is asked for
// to the program's own list.
func TestRulesAndDashboardAskForMetricsThatAre(t *testing.T) {
	known := map[string]bool{}
	for _, metric := range serve.Describe() {
		known[metric.Name] = true
		if metric.Type == "histogram" {
			known[metric.Name+"_bucket"] = true
		}
	}
	expressions := dashboardExpressions(t)
	for _, r := range rules(t) {
		expressions = append(expressions, r.Expr)
	}
	// A colon stands in the names of recordings, which are no metrics.
	name := regexp.MustCompile(`[a-z_:]*\breaperd_[a-z_:0-9]+`)
	for _, expression := range expressions {
		for _, metric := range name.FindAllString(expression, -1) {
			if !strings.Contains(metric, ":") && !known[metric] {
				t.Errorf("no metric %s, asked for in %s", metric, expression)
			}
		}
	}
}

type dashboard struct {
	UID           string
	SchemaVersion int
	Panels        []struct {
		ID                       int
		Title, Type, Description string
		GridPos                  struct{ X, Y, W, H int }
		Targets                  []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Type string }
	}
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, "grafana/reaperd.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func dashboardExpressions(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			all = append(all, target.Expr)
		}
	}
	return all
}

func TestTheDashboardIsWholeAndChoosesItsHosts(t *testing.T) {
	d := readDashboard(t)
	if d.UID != "reaperd" || d.SchemaVersion == 0 {
		t.Errorf("uid %q, schema %d", d.UID, d.SchemaVersion)
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if want := []string{"datasource", "job", "instance"}; !slices.Equal(variables, want) {
		t.Errorf("variables %v, want %v", variables, want)
	}
	seen := make(map[int]bool)
	for _, panel := range d.Panels {
		if seen[panel.ID] || panel.Title == "" || panel.Description == "" || len(panel.Targets) == 0 {
			t.Errorf("panel %d %q is not whole", panel.ID, panel.Title)
		}
		seen[panel.ID] = true
		if end := panel.GridPos.X + panel.GridPos.W; end > 24 {
			t.Errorf("panel %q ends at column %d of 24", panel.Title, end)
		}
		for _, target := range panel.Targets {
			if !strings.Contains(target.Expr, `job=~"$job",instance=~"$instance"`) {
				t.Errorf("panel %q does not choose its hosts: %s", panel.Title, target.Expr)
			}
		}
	}
}

// TestTheExpressionsOfTheDashboardParse has promtool read them as rules, with
// Grafana's variables filled in.
func TestTheExpressionsOfTheDashboardParse(t *testing.T) {
	promtool := tool(t, "promtool", "Debian: prometheus")
	filled := strings.NewReplacer("$__rate_interval", "5m", "$__range", "6h", "$job", ".*", "$instance", ".*")
	type recording struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var all []recording
	for _, expression := range dashboardExpressions(t) {
		all = append(all, recording{"a:b:c", filled.Replace(expression)})
	}
	// JSON is YAML. Rules of one name are reported and are no fault.
	text, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "g", "rules": all}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, promtool, "check", "rules", "--lint=none", file)
}
