package policy_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func update() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	flag.Parse()
	os.Exit(m.Run())
}

func builtin() policy.File {
	return policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
}

func load(text string) (*policy.Policy, error) {
	return policy.Load(policy.File{Name: "policies.yaml", Data: []byte(text)}, builtin())
}

func mustLoad(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := load(text)
	if err != nil {
		t.Fatalf("load:\n%v", err)
	}
	return p
}

func shipped(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.Load(builtin(), builtin())
	if err != nil {
		t.Fatalf("the shipped policy:\n%v", err)
	}
	return p
}

// Each archive is a policy and the faults that are said of it, all of them, in
// the order of the file.
func TestFaultsAreSaidAllAtOnceWithFileAndLine(t *testing.T) {
	archives, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = policy.Load(policy.File{Name: "policies.yaml", Data: archive.Files[0].Data}, builtin())
			if err == nil {
				t.Fatal("loaded without a fault")
			}
			var faults policy.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("error is a %T", err)
			}
			got := err.Error() + "\n"
			if update() {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "faults", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if strings.Contains(got, "policy.") || strings.Contains(got, "strconv") || strings.Contains(got, "yaml:") && !strings.Contains(got, "policies.yaml:") {
				t.Errorf("names of the program are shown to people:\n%s", got)
			}
		})
	}
}

func TestFilesThatAreNoPolicyAreRefused(t *testing.T) {
	bomb := "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for i, name := range []string{"b", "c", "d", "e", "f", "g", "h"} {
		above := string(rune('a' + i))
		bomb += name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat("*"+above+",", 9), ",") + "]\n"
	}
	for what, text := range map[string]string{
		"empty":                        "",
		"comments alone":               "# nothing\n",
		"a list":                       "- version: 1\n",
		"a word":                       "version\n",
		"more than a megabyte":         "version: 1\n" + strings.Repeat("#", 1<<20),
		"aliases that expand for ever": bomb,
		"an alias of itself":           "version: 1\nrules: &r [*r]\n",
		"a thousand brackets":          "version: 1\nrules: " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "\n",
		"null":                         "null\n",
	} {
		if p, err := load(text); err == nil || p != nil {
			t.Errorf("%s: loaded", what)
		}
	}
}

func TestAFileMayLeaveEverythingOut(t *testing.T) {
	p := mustLoad(t, "version: 1\n")
	if p.Mode != policy.ModeReport || len(p.Rules) != 0 || !p.Discover {
		t.Errorf("mode %q, %d rules, discover %v", p.Mode, len(p.Rules), p.Discover)
	}
	if p.Schedule.Spec != "@every 30s" || p.Limits != (policy.Limits{MaxActions: 500, Concurrency: 8}) {
		t.Errorf("schedule %q, limits %+v", p.Schedule.Spec, p.Limits)
	}
	p = mustLoad(t, "version: 1\nextends: builtin\nrules:\nlimits:\nprotect:\n")
	if !equalPolicies(p, shipped(t)) {
		t.Errorf("a file that only extends is not the built-in policy:\n%s", p.Show())
	}
}

func TestRuleDefaults(t *testing.T) {
	p := mustLoad(t, `version: 1
rules:
  - {name: plain, match: {kind: server}}
  - {name: copies, match: {finding: duplicate}}
  - {name: zombies, match: {finding: zombies}}
  - {name: respawns, match: {finding: respawning}}
  - {name: limit, match: {finding: duplicate}, max_per_owner: 20}
`)
	plain := p.Rules[0]
	if plain.Action != policy.ActionReport || plain.For != 30*time.Second || plain.Grace != 5*time.Second || plain.KeepNewest != 0 {
		t.Errorf("plain: %+v", plain)
	}
	if copies := p.Rules[1]; copies.KeepNewest != 1 || copies.Match.IdleFor != 30*time.Minute {
		t.Errorf("copies: %+v", copies)
	}
	if p.Rules[2].Match.ZombiesOver != 100 || p.Rules[3].Match.RespawnsOver != 10 {
		t.Errorf("zombies %+v, respawns %+v", p.Rules[2], p.Rules[3])
	}
	if limit := p.Rules[4]; limit.MaxPerOwner != 20 || limit.Match.IdleFor != 0 {
		t.Errorf("limit: %+v", limit)
	}
	if p.Rules[1].Match.IdleFor != policy.DefaultIdleFor {
		t.Errorf("the constant says %s", policy.DefaultIdleFor)
	}
	shown := strings.Fields(string(p.Show()))
	for _, text := range []string{"30s", "5s", "30m"} {
		if !slices.Contains(shown, text) {
			t.Errorf("%s is not shown as a person would write it:\n%s", text, p.Show())
		}
	}
}

func TestScalarsAndListsAreBothTaken(t *testing.T) {
	p := mustLoad(t, `version: 1
rules:
  - name: all
    match:
      kind: [server, Gateway]
      finding: [orphaned, disconnected]
      server: "github-*"
      session: [claude-code, codex]
      name: x
      argv: ["*/node", "--stdio"]
      image: [mcp/*, "ghcr.io/*"]
      label: {a: 1, b: true, c: "*", d: ""}
      state: [exited, "d*"]
      user: [root, 1000]
      older_than: 1d12h
      idle_for: 90s
      memory_over: 2GiB
      cpu_over: 12.5
      zombies_over: 3
      respawns_over: 4
      listening: true
`)
	m := p.Rules[0].Match
	listening := true
	want := policy.Match{
		Kinds: []graph.Kind{"server", "gateway"}, Findings: []graph.Finding{"orphaned", "disconnected"},
		Server: []string{"github-*"}, Session: []string{"claude-code", "codex"}, Name: []string{"x"},
		Argv: []string{"*/node", "--stdio"}, Image: []string{"mcp/*", "ghcr.io/*"},
		Label: []policy.Label{{Key: "a", Glob: "1"}, {Key: "b", Glob: "true"}, {Key: "c", Glob: "*"}, {Key: "d", Glob: ""}},
		State: []string{"exited", "d*"}, User: []string{"root", "1000"},
		OlderThan: 36 * time.Hour, IdleFor: 90 * time.Second, MemoryOver: 2 << 30, CPUOver: 12.5,
		ZombiesOver: 3, RespawnsOver: 4, Listening: &listening,
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

const overlay = `version: 1
extends: builtin
schedule: "*/5 * * * *"
limits: {max_actions: 20}
protect:
  - {name: ours, match: {label: {com.example.keep: "*"}}, reason: "the nightly jobs share it"}
rules:
  - name: scratch
    match: {server: "scratch-*"}
    action: terminate
  - name: duplicates
    action: terminate
    match: {idle_for: 2h}
  - name: orphaned-servers
    match: {listening: null}
    exclude: {label: {reaperd.keep: "true"}}
    for: 5m
`

func TestAnOverlayChangesWhatItSaysAndInheritsTheRest(t *testing.T) {
	p, base := mustLoad(t, overlay), shipped(t)
	if p.Mode != policy.ModeEnforce || p.Schedule.Spec != "*/5 * * * *" || p.Limits != (policy.Limits{MaxActions: 20, Concurrency: 8}) {
		t.Errorf("mode %q, schedule %q, limits %+v", p.Mode, p.Schedule.Spec, p.Limits)
	}
	var names, baseNames []string
	for _, rule := range p.Rules {
		names = append(names, rule.Name)
	}
	for _, rule := range base.Rules {
		baseNames = append(baseNames, rule.Name)
	}
	if want := append([]string{"scratch"}, baseNames...); !slices.Equal(names, want) {
		t.Errorf("rules %v, want %v", names, want)
	}
	copies := ruleOf(t, p, "duplicates")
	if copies.Action != policy.ActionTerminate || copies.Match.IdleFor != 2*time.Hour || copies.KeepNewest != 1 ||
		!slices.Equal(copies.Match.Findings, []graph.Finding{graph.FindingDuplicate}) {
		t.Errorf("duplicates: %+v", copies)
	}
	orphans := ruleOf(t, p, "orphaned-servers")
	if orphans.Match.Listening != nil || orphans.For != 5*time.Minute || orphans.Action != policy.ActionTerminate || orphans.Exclude == nil {
		t.Errorf("orphaned-servers: %+v", orphans)
	}
	if got := orphans.Origin.String(); got != "policies.yaml:14" {
		t.Errorf("orphaned-servers comes from %s", got)
	}
	if len(p.Sources) != 2 || p.Hash == base.Hash || base.Hash != base.Sources[0].SHA256 {
		t.Errorf("sources %v, hash %s", p.Sources, p.Hash)
	}
}

func ruleOf(t *testing.T, p *policy.Policy, name string) policy.Rule {
	t.Helper()
	for _, rule := range p.Rules {
		if rule.Name == name {
			return rule
		}
	}
	t.Fatalf("no rule %q", name)
	return policy.Rule{}
}

func TestShowNamesTheOriginOfEachLine(t *testing.T) {
	shown := string(mustLoad(t, overlay).Show())
	for _, want := range []string{
		"mode: enforce", "# built-in:", "schedule: \"*/5 * * * *\"", "# policies.yaml:3",
		"max_actions: 20", "# policies.yaml:4", "concurrency: 8", "# default", "for: 5m", "# policies.yaml:17",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	for _, line := range strings.Split(shown, "\n") {
		if strings.Contains(line, "for: 5m") && !strings.HasSuffix(line, "# policies.yaml:17") {
			t.Errorf("origin of %q", line)
		}
	}
	if strings.Contains(shown, "extends") {
		t.Error("what was extended is shown as still to be extended")
	}
}

func TestWordsAreShownAsReportsHaveThem(t *testing.T) {
	shown := string(mustLoad(t, "version: 1\nmode: Enforce\nrules: [{name: Mine, match: {kind: [Server, GATEWAY], finding: Orphaned, server: Foo}, action: Report}]\n").Show())
	for _, want := range []string{"mode: enforce ", "name: Mine ", "kind: [server, gateway] ", "finding: orphaned ", "server: Foo ", "action: report "} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
}

func TestWhatIsShownIsTheSamePolicyWhenLoaded(t *testing.T) {
	for name, p := range map[string]*policy.Policy{
		"shipped": shipped(t), "overlay": mustLoad(t, overlay), "nothing": mustLoad(t, "version: 1"),
		"other mode": shipped(t).WithMode(policy.ModeReport, "--mode"),
		"odd texts": mustLoad(t, `version: 1
sessions: [{name: "no", match: {exe: ["*", "a: b", "#x", "true"], argv: ["'", "\"", "é\t"]}}]
protect: [{name: "1", match: {label: {"on": yes, "a b: c": "12"}, name: ["~", "1e3", 0x10]}, reason: "- x: y # z"}]
`),
	} {
		again, err := load(string(p.Show()))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, p.Show())
			continue
		}
		if !equalPolicies(p, again) {
			t.Errorf("%s: shown and loaded it is another one:\n%s\nthen:\n%s", name, p.Show(), again.Show())
		}
	}
}

// equalPolicies compares all but where things come from.
func equalPolicies(a, b *policy.Policy) bool {
	return reflect.DeepEqual(withoutOrigins(a), withoutOrigins(b))
}

func withoutOrigins(p *policy.Policy) policy.Policy {
	bare := policy.Policy{
		Mode: p.Mode, Discover: p.Discover, Limits: p.Limits,
		Sessions: p.Sessions, Servers: p.Servers, Protect: p.Protect,
	}
	bare.Schedule.Spec = p.Schedule.Spec
	for _, rule := range p.Rules {
		rule.Origin = policy.Origin{}
		bare.Rules = append(bare.Rules, rule)
	}
	return bare
}

func TestTheShippedPolicyEnforcesWhatIsProvenAndReportsWhatIsLikely(t *testing.T) {
	p := shipped(t)
	if p.Mode != policy.ModeEnforce {
		t.Errorf("mode %q", p.Mode)
	}
	want := map[string]policy.Action{
		"orphaned-servers": policy.ActionTerminate, "orphaned-gateways": policy.ActionTerminate,
		"orphaned-containers": policy.ActionRemove, "disconnected-servers": policy.ActionTerminate, "disconnected-gateways": policy.ActionTerminate,
		"zombie-gateways": policy.ActionTerminate, "respawning-gateways": policy.ActionTerminate,
		"exited-leftovers": policy.ActionRemove, "listening-orphans": policy.ActionReport,
		"duplicates": policy.ActionReport, "orphaned-sessions": policy.ActionReport, "idle-sessions": policy.ActionReport,
	}
	got := map[string]policy.Action{}
	for _, rule := range p.Rules {
		got[rule.Name] = rule.Action
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rules %v, want %v", got, want)
	}
}

func TestScheduleTakesCronInLocalTimeAndNothingThatNeverComes(t *testing.T) {
	for _, spec := range []string{"@every 30s", "*/5 * * * *", "@hourly", "CRON_TZ=UTC 0 3 * * *", "0 3 * * MON-FRI", "  @daily "} {
		if _, err := policy.ParseSchedule(spec); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, spec := range []string{
		"", " ", "TZ=UTC", "CRON_TZ=", "CRON_TZ= * * * * *", "TZ=Nowhere/Land 0 3 * * *", "CRON_TZ=UTC ", "* * * * * *", "0 3",
		"0 0 30 2 *", "@every", "@every x", "@every 0s", "@every -5s", "@every 10ms", "@sometimes", "* 22-6 * * *", "*/0 * * * *", "99 * * * *", "a b c d e",
	} {
		if _, err := policy.ParseSchedule(spec); err == nil {
			t.Errorf("%q was taken", spec)
		}
	}
}

func TestNextSweepsAreInTheLocationTheyAreAskedFor(t *testing.T) {
	zone := time.FixedZone("east", 3*3600)
	p := mustLoad(t, "version: 1\nschedule: \"0 3 * * *\"\n")
	got := p.NextSweeps(time.Date(2026, 11, 20, 2, 0, 0, 0, zone), 2)
	want := []time.Time{time.Date(2026, 11, 20, 3, 0, 0, 0, zone), time.Date(2026, 11, 21, 3, 0, 0, 0, zone)}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("got %v", got)
	}
	p = mustLoad(t, "version: 1\nschedule: \"CRON_TZ=UTC 0 3 * * *\"\n")
	if got := p.NextSweeps(time.Date(2026, 11, 20, 2, 0, 0, 0, zone), 1); !got[0].Equal(time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v", got)
	}
	p = mustLoad(t, "version: 1\n")
	from := time.Date(2026, 11, 20, 2, 0, 0, 0, zone)
	if got := p.NextSweeps(from, 3); len(got) != 3 || !got[2].Equal(from.Add(90*time.Second)) {
		t.Errorf("got %v", got)
	}
	if got := (&policy.Policy{}).NextSweeps(from, 3); got != nil {
		t.Errorf("no schedule, and %v", got)
	}
}

func TestEntryMatches(t *testing.T) {
	dialpad := &inventory.Process{Exe: "/usr/local/bin/dialpad-messaging", Argv: []string{"/usr/local/bin/dialpad-messaging", "--stdio", "x"}}
	node := &inventory.Process{Exe: "/usr/bin/node (deleted)", Argv: []string{"node", "dist/index.js", "gateway", "--port", "18789"}}
	npm := &inventory.Process{Exe: "/usr/bin/node", Argv: []string{"npm exec @acme/tool@latest", "", ""}}
	for what, row := range map[string]struct {
		entry   policy.Entry
		process *inventory.Process
		want    bool
	}{
		"by base name":                         {policy.Entry{Exe: []string{"dialpad-*"}}, dialpad, true},
		"by path":                              {policy.Entry{Exe: []string{"/usr/local/*"}}, dialpad, true},
		"by any of the names":                  {policy.Entry{Exe: []string{"x", "dialpad-messaging"}}, dialpad, true},
		"a program replaced by an upgrade":     {policy.Entry{Exe: []string{"/usr/bin/node"}}, node, true},
		"by arguments in order":                {policy.Entry{Argv: []string{"*/index.js", "gateway"}}, node, true},
		"not by arguments out of order":        {policy.Entry{Argv: []string{"gateway", "*/index.js"}}, node, false},
		"not by part of an argument":           {policy.Entry{Argv: []string{"index.js"}}, node, false},
		"both given, both hold":                {policy.Entry{Exe: []string{"node"}, Argv: []string{"gateway"}}, node, true},
		"both given, one does not":             {policy.Entry{Exe: []string{"deno"}, Argv: []string{"gateway"}}, node, false},
		"a title that npm gave itself":         {policy.Entry{Argv: []string{"npm", "exec", "@acme/*"}}, npm, true},
		"an empty entry means nothing":         {policy.Entry{Name: "all"}, node, false},
		"nothing known of the process":         {policy.Entry{Exe: []string{"*"}}, &inventory.Process{}, false},
		"one argument is not matched by two":   {policy.Entry{Argv: []string{"gateway", "gateway"}}, node, false},
		"case counts in the name of a program": {policy.Entry{Exe: []string{"NODE"}}, node, false},
	} {
		if got := row.entry.Matches(row.process); got != row.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestTheReferenceIsComplete holds the description against the reader: every key
// that is described is one that is read, and the built-in policy's keys are all
// described.
func TestTheReferenceIsComplete(t *testing.T) {
	reference := policy.Reference()
	for _, word := range strings.Fields(`version extends mode schedule discover sessions servers protect limits rules
		max_actions concurrency name match exclude for action grace keep_newest max_per_owner reason exe argv
		kind finding listening server session image label state user older_than idle_for memory_over cpu_over
		zombies_over respawns_over orphaned disconnected respawning zombies duplicate exited ambiguous none any
		report terminate remove enforce`) {
		if !strings.Contains(reference, word) {
			t.Errorf("%s is not explained", word)
		}
	}
	for line := range strings.Lines(reference) {
		if len(line) > 81 {
			t.Errorf("a line of more than 80 columns: %q", line)
		}
	}
	for _, key := range policy.Keys() {
		if _, err := load("version: 1\n" + key.Name + ": {nothing: of that}\n"); err != nil && strings.Contains(err.Error(), "unknown key \""+key.Name) {
			t.Errorf("%s is described and not read", key.Name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(string(reaperd.DefaultPolicy()))
	f.Add(overlay)
	archives, _ := filepath.Glob("testdata/faults/*.txtar")
	for _, name := range archives {
		if archive, err := txtar.ParseFile(name); err == nil {
			f.Add(string(archive.Files[0].Data))
		}
	}
	for _, text := range []string{"version: 1\nschedule: TZ=\n", "a: &a [*a]", "? [x]: y", "\xff\xfe\x00", "version: !!binary x", "rules: [{match: {name: '[]'}}]", "version: 1\nextends: builtin\nrules: [1, {name: []}, {name: duplicates, match: x}]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := load(text)
		if err != nil {
			var faults policy.Faults
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("an error that is no fault: %v", err)
			}
			for _, fault := range faults {
				if fault.Line < 1 {
					t.Fatalf("a fault without a line: %v", fault)
				}
			}
			return
		}
		again, err := load(string(p.Show()))
		if err != nil {
			t.Fatalf("what is shown does not load: %v\n%s", err, p.Show())
		}
		if !equalPolicies(p, again) {
			t.Fatalf("what is shown is another policy:\n%s", p.Show())
		}
	})
}

// TestAModeThatIsSetLeavesThatOfTheFilesKnown, also where it is set twice.
func TestAModeThatIsSetLeavesThatOfTheFilesKnown(t *testing.T) {
	p := shipped(t)
	if got := p.Identity().FileMode; got != "" {
		t.Errorf("nothing has set it: %q", got)
	}
	if got := p.WithMode(policy.ModeReport, "--mode").WithMode(policy.ModeReport, "REAPERD_MODE").Identity().FileMode; got != p.Mode {
		t.Errorf("%q, want %q", got, p.Mode)
	}
}
