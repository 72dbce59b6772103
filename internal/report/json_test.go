package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	said "github.com/reaperd/reaperd/internal/sentence"
)

func decoded(t *testing.T, in Input) map[string]any {
	t.Helper()
	data, err := JSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func objects(v any) []map[string]any {
	var out []map[string]any
	for _, one := range v.([]any) {
		out = append(out, one.(map[string]any))
	}
	return out
}

func wantKeys(t *testing.T, what string, got map[string]any, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, ok := got[key]; !ok {
			t.Errorf("%s has no %q: %v", what, key, got)
		}
	}
}

func TestJSONHasThePromisedKeys(t *testing.T) {
	got := decoded(t, unifi().input())
	wantKeys(t, "report", got, "version", "taken_at", "complete", "mode", "policy", "host", "sources", "sessions", "targets", "summary")
	wantKeys(t, "policy", got["policy"].(map[string]any), "source", "sha256")
	wantKeys(t, "summary", got["summary"].(map[string]any), "processes", "sessions", "servers", "containers", "findings", "reap", "pending", "reclaimable_bytes")
	for _, s := range objects(got["sources"]) {
		wantKeys(t, "source", s, "name", "status")
	}
	for _, s := range objects(got["sessions"]) {
		wantKeys(t, "session", s, "id", "name", "pid", "start", "started_at", "liveness", "servers", "memory_bytes")
	}
	for _, target := range objects(got["targets"]) {
		wantKeys(t, "target", target, "id", "kind", "name", "group", "owner", "finding", "decision", "evidence", "vetoes", "age_seconds", "memory_bytes", "memory_kind")
		wantKeys(t, "owner", target["owner"].(map[string]any), "name", "pid", "liveness")
		for _, e := range objects(target["evidence"]) {
			wantKeys(t, "evidence", e, "check", "says", "proof", "text")
		}
		if target["kind"] == "server" {
			wantKeys(t, "server", target, "pid", "start", "pids", "argv", "cpu_percent")
			continue
		}
		wantKeys(t, "container", target, "container_id", "image", "engine", "client")
	}
}

func TestJSONContainerHasNoProcess(t *testing.T) {
	for _, target := range objects(decoded(t, unifi().input())["targets"]) {
		if target["kind"] != "container" {
			continue
		}
		for _, key := range []string{"pid", "start", "pids"} {
			if _, ok := target[key]; ok {
				t.Errorf("container %v has %q", target["id"], key)
			}
		}
		if target["container_id"] != target["id"] {
			t.Errorf("container_id %v is not the id %v", target["container_id"], target["id"])
		}
	}
}

func TestJSONLeavesOutWhatIsUnknown(t *testing.T) {
	w := newWorld("linux", 1)
	w.keep(w.server("bare", 7, 0, 0))
	target := w.verdicts[0].Target
	target.Root.StartedAt, target.CPUPercent, target.User = w.last.TakenAt.AddDate(-3000, 0, 0), inventory.Fact[float64]{}, ""
	target.Root.StartedAt = target.Since
	got := objects(decoded(t, w.input())["targets"])[0]
	for _, key := range []string{"argv", "started_at", "age_seconds", "memory_bytes", "memory_kind", "cpu_percent", "user", "rule", "action", "finding_since", "due_at", "ends_with", "container_id", "client", "image"} {
		if value, ok := got[key]; ok {
			t.Errorf("%s is unknown and says %v", key, value)
		}
	}
	if got["finding"] != "none" || got["decision"] != "keep" || got["owner"].(map[string]any)["liveness"] != "unknown" {
		t.Errorf("got %v", got)
	}
}

func TestJSONSumsUpWhatItLists(t *testing.T) {
	summary := decoded(t, unifi().input())["summary"].(map[string]any)
	want := map[string]any{
		"processes": 289.0, "sessions": 1.0, "servers": 12.0, "containers": 12.0, "reap": 22.0, "pending": 0.0,
		"reclaimable_bytes": 11.0 * 110 * megabyte,
		"findings": map[string]any{
			"orphaned": 22.0, "disconnected": 0.0, "duplicate": 0.0, "zombies": 0.0, "respawning": 0.0, "exited": 0.0, "ambiguous": 0.0, "idle": 0.0,
		},
	}
	if !reflect.DeepEqual(summary, want) {
		t.Errorf("got %v, want %v", summary, want)
	}
}

func TestJSONCountsWhatASessionHolds(t *testing.T) {
	w, _ := holder()
	session := objects(decoded(t, w.input())["sessions"])[0]
	if session["servers"] != 2.0 || session["containers"] != 1.0 {
		t.Errorf("got %v servers and %v containers", session["servers"], session["containers"])
	}
}

func TestJSONPendingIsDue(t *testing.T) {
	for _, target := range objects(decoded(t, hoarder().input())["targets"]) {
		_, due := target["due_at"]
		if due != (target["decision"] == "pending") {
			t.Errorf("%v is %v, due_at %v", target["name"], target["decision"], target["due_at"])
		}
	}
}

func TestJSONGroupIsOneRowOfTheTable(t *testing.T) {
	rows := map[string]int{}
	for _, target := range objects(decoded(t, dollhouse().input())["targets"]) {
		rows[target["group"].(string)]++
	}
	sizes := []int{}
	for _, n := range rows {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{1, 1, 2, 91}) {
		t.Errorf("groups of %v", sizes)
	}
}

func TestCompleteIsFalseWhereSomethingMayBeMissing(t *testing.T) {
	tests := []struct {
		name string
		want bool
		with func(*Input)
	}{
		{"both looks saw everything", true, func(*Input) {}},
		{"there is no engine here", true, func(in *Input) { in.Graph.Snapshot.Sources[1].Status = inventory.StatusAbsent }},
		{"some processes could not be read", true, func(in *Input) { in.Graph.Snapshot.Sources[0].Status = inventory.StatusPartial }},
		{"the engine did not answer", false, func(in *Input) { in.Graph.Snapshot.Sources[1].Status = inventory.StatusError }},
		{"the engine did not answer the first look", false, func(in *Input) {
			in.First.Snapshot.Sources = []inventory.Source{{Name: "docker", Endpoint: in.Graph.Snapshot.Sources[1].Endpoint, Status: inventory.StatusError}}
		}},
		{"a server was killed", true, func(in *Input) { in.Outcomes = []policy.Outcome{{Result: done.Killed}} }},
		{"a server had changed", true, func(in *Input) { in.Outcomes = []policy.Outcome{{Result: done.Changed}} }},
		{"a server could not be ended", false, func(in *Input) { in.Outcomes = []policy.Outcome{{Result: done.Failed}} }},
		{"a child escaped", false, func(in *Input) { in.Outcomes = []policy.Outcome{{Result: done.Escaped}} }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := dollhouse().input()
			test.with(&in)
			if got := decoded(t, in)["complete"]; got != test.want {
				t.Errorf("complete is %v", got)
			}
		})
	}
}

func TestJSONOutcomesStandBesideTheScan(t *testing.T) {
	if _, ok := decoded(t, unifi().input())["outcomes"]; ok {
		t.Error("a scan has outcomes")
	}
	in := swept().input()
	in.Command = "sweep"
	outcomes := objects(decoded(t, in)["outcomes"])
	if len(outcomes) != len(in.Outcomes) {
		t.Fatalf("%d outcomes of %d", len(outcomes), len(in.Outcomes))
	}
	for _, o := range outcomes {
		wantKeys(t, "outcome", o, "id", "target", "action", "outcome")
	}
	in.Outcomes = nil
	if list, ok := decoded(t, in)["outcomes"].([]any); !ok || len(list) != 0 {
		t.Errorf("a sweep with nothing to do has outcomes %v", list)
	}
}

func asYAML(in Input) ([]byte, error) {
	document, err := JSON(in)
	if err != nil {
		return nil, err
	}
	return YAMLOf(document)
}

func TestYAMLIsTheSameAsJSON(t *testing.T) {
	in := swept().input()
	in.Notes = []string{"yes", "3", "line\nbreak\x7f\u2028", "left\u202eright\u0085", "# \u202e", "\U000e0041", "", "null", "- a: b"}
	data, err := asYAML(in)
	if err != nil {
		t.Fatal(err)
	}
	var fromYAML any
	if err := yaml.Unmarshal(data, &fromYAML); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	again, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(string(data), human.IsInvisible) {
		t.Errorf("something invisible is in it: %q", data)
	}
	if want := any(decoded(t, in)); !reflect.DeepEqual(got, want) {
		t.Errorf("YAML differs:\n%s", data)
	}
	if !strings.HasPrefix(string(data), "version: 1\ntaken_at: ") {
		t.Errorf("order lost: %.60s", data)
	}
}

// outputs returns all texts that can be made from an input.
func outputs(t *testing.T, in Input) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	write := func(name string, f func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	for name, options := range map[string]Options{"table": screenOf(160), "wide": {UTF8: true, Wide: true}} {
		write(name, func(b *bytes.Buffer) error { return Table(b, in, options) })
	}
	write("plan", func(b *bytes.Buffer) error { return Plan(b, in, screenOf(160)) })
	write("outcomes", func(b *bytes.Buffer) error { return Outcomes(b, in, screenOf(160)) })
	for _, v := range in.Verdicts {
		write("explain "+v.Target.ID, func(b *bytes.Buffer) error { return Explain(b, in, v.Target.ID, screenOf(160)) })
	}
	for name, f := range map[string]func(Input) ([]byte, error){"json": JSON, "yaml": asYAML} {
		data, err := f(in)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

func TestNoSecretLeaves(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	w := unifi()
	in := w.input()
	for i := range in.Verdicts {
		target := in.Verdicts[i].Target
		in.Verdicts[i].Reason = "its token is " + secret
		target.Evidence = append(target.Evidence, in.Verdicts[0].Target.Evidence...)
		if len(target.Evidence) > 0 {
			target.Evidence[0].Text, target.Evidence[0].Said = "spawned with "+secret, said.Of("spawned with %s", secret)
		}
		if target.Root != nil {
			target.Root.Argv = []string{"npm exec @enuno/unifi-mcp-server --api-key " + secret}
		}
		if target.Container != nil {
			target.Container.Command = []string{"python", "--token", secret}
		}
	}
	in.Outcomes = []policy.Outcome{{ID: "1", Target: in.Verdicts[3].Target.ID, Result: done.Failed, Action: policy.ActionTerminate, Detail: "saw " + secret}}
	in.Notes = []string{"found " + secret}
	for name, data := range outputs(t, in) {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s shows the secret:\n%s", name, data)
		}
	}
}

func TestNothingSteersTheTerminal(t *testing.T) {
	w := dollhouse()
	in := w.input()
	for i := range in.Verdicts {
		if root := in.Verdicts[i].Target.Root; root != nil {
			root.Argv = []string{"node\x1b[2J", "/x\x1b]0;owned\x07", "a\nb\u202e"}
			root.Cwd = "/tmp\x1b[31m"
		}
		in.Verdicts[i].Target.Name += "\x1b[2K\r"
	}
	for name, data := range outputs(t, in) {
		if name == "json" || name == "yaml" {
			continue
		}
		if i := bytes.IndexAny(data, "\x1b\x07\r\u202e"); i >= 0 {
			t.Errorf("%s lets %q through", name, data[i:i+10])
		}
	}
}

func TestJSONNamesTheEngineOfAContainerWhereItCanBeTold(t *testing.T) {
	const local, other = "unix:///var/run/docker.sock", "unix:///run/user/1000/docker.sock"
	source := func(endpoint string, status inventory.Status) inventory.Source {
		return inventory.Source{Name: inventory.SourceDocker, Endpoint: endpoint, Status: status}
	}
	for _, row := range []struct {
		world   string
		seenAt  string
		sources []inventory.Source
		want    any
	}{
		{"the container says it", other, []inventory.Source{source(local, inventory.StatusOK)}, other},
		{"there is one engine", "", []inventory.Source{source(local, inventory.StatusOK)}, local},
		{"one alone answered", "", []inventory.Source{source(other, inventory.StatusError), source(local, inventory.StatusPartial)}, local},
		{"there are two", "", []inventory.Source{source(local, inventory.StatusOK), source(other, inventory.StatusOK)}, nil},
		{"none is named", "", []inventory.Source{source("", inventory.StatusOK)}, nil},
		{"none is known", "", nil, nil},
	} {
		w := newWorld("linux", 1)
		container := w.container("fetch", "/eager_fermi", "mcp/fetch", time.Hour, 0)
		container.Container.Engine = row.seenAt
		w.keep(container)
		w.last.Sources = row.sources
		if got := objects(decoded(t, w.input())["targets"])[0]["engine"]; got != row.want {
			t.Errorf("%s: engine %v, want %v", row.world, got, row.want)
		}
	}
}
