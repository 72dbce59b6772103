package status

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

func TestStatusTellsWhatCameOfWhatWasFound(t *testing.T) {
	due := serve.Count{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "codex", Decision: "reap", Number: 3}
	gone := due
	gone.Gone = true
	kept := serve.Count{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "codex", Decision: "keep", Number: 3}
	for _, c := range []struct {
		count  serve.Count
		mode   policy.Mode
		paused bool
		want   string
	}{
		{due, policy.ModeEnforce, false, "reap"},
		{gone, policy.ModeEnforce, false, "gone now"},
		{kept, policy.ModeEnforce, false, "left alone"},
		{due, policy.ModeReport, false, "would be reaped, but the mode is report"},
		{due, policy.ModeEnforce, true, "would be reaped, but it is paused"},
		{gone, policy.ModeEnforce, true, "gone now"},
	} {
		is := serve.State{Ready: true, Findings: []serve.Count{c.count}, Mode: c.mode, Paused: c.paused}
		var out strings.Builder
		if err := Write(&out, &is, View{Now: time.Now(), Width: 200}); err != nil {
			t.Fatal(err)
		}
		if want := "found     3 × orphaned server of codex: " + c.want + "\n"; !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestStatusWritesTheReadersHomeAsATilde(t *testing.T) {
	is := serve.State{Ready: true, Policy: serve.PolicyState{Source: "/srv/dev/.config/reaperd/policies.yaml", SHA256: "0123456789abcdef"}}
	var out strings.Builder
	if err := Write(&out, &is, View{Now: time.Now(), Width: 200, Home: "/srv/dev"}); err != nil {
		t.Fatal(err)
	}
	if want := "policy    ~/.config/reaperd/policies.yaml sha256 0123456789ab\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is missing in\n%s", want, out.String())
	}
}

func TestTheNextSweepIsNeverInNoTime(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		next time.Time
		want string
	}{
		{"none is known", time.Time{}, "none yet"},
		{"soon", now.Add(18 * time.Second), "none yet, next in 18s"},
		{"in less than a second", now.Add(400 * time.Millisecond), "none yet, next within 1s"},
		{"it is due", now.Add(-time.Second), "none yet, next within 1s"},
	} {
		lines := sweepLines(&serve.State{NextSweep: row.next}, now)
		if len(lines) != 1 || lines[0].text != row.want {
			t.Errorf("%s: %+v, want %q", row.name, lines, row.want)
		}
	}
}
