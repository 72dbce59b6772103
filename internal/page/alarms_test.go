package page

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestAlarmsNameTheirWayOut(t *testing.T) {
	reports := tree()
	reports.Mode = policy.ModeReport
	paused := tree()
	paused.Pause = overview.Pause{On: true, Reason: "release"}
	refused := tree()
	const file = "/home/dev/p.yaml"
	faults := []string{file + ":3: unknown key", file + ":5: unknown key", file + ":6: unknown key", "no version"}
	refused.Refused = faults
	const mended = " says when it is mended:"
	lines := []string{"line 3: unknown key", "line 5: unknown key", "line 6: unknown key", "no version"}
	many := append(slices.Clone(faults), slices.Repeat([]string{file + ":9: unknown key"}, 3)...)
	both := paused
	both.Mode, both.Pause = policy.ModeReport, overview.Pause{On: true}
	if all := alarms(Input{Tree: both, Status: Status{ModeFrom: "--mode"}}, clockOf(Input{})); len(all) != 2 || all[1].Command != "" {
		t.Errorf("while it is paused, a sweep is refused: %+v", all)
	}
	for _, row := range []struct {
		world string
		in    Input
		want  alarm
	}{
		{"mode report by a flag", Input{Tree: reports, Status: Status{ModeFrom: "--mode"}},
			alarm{"Mode is report, by --mode: nothing is stopped, whatever the rules say. Started without that, the daemon goes by its policy; ", "reaperd sweep --mode enforce", " stops what is due, this one time", nil}},
		{"mode report by the policy", Input{Tree: reports, Status: Status{Policy: file}},
			alarm{"Mode is report, by the policy ~/p.yaml: nothing is stopped, whatever the rules say. With mode: enforce there the daemon acts; ", "reaperd sweep --mode enforce", " stops what is due, this one time", nil}},
		{"a pause without an end", Input{Tree: paused}, alarm{Text: "Paused (release): nothing is stopped until ", Command: "reaperd resume"}},
		{"a policy that is refused", Input{Tree: refused, Status: Status{Faults: faults, RefusedFile: file}},
			alarm{"The policy file is refused, and the one before it holds; ", "reaperd policy check " + file, mended, lines}},
		{"one that is refused at the start", Input{Tree: overview.Tree{}, Status: Status{NotReady: "the policy has 7 faults", Faults: many, RefusedFile: file}},
			alarm{"Not ready: the policy has 7 faults; ", "reaperd policy check " + file, " says when:", append(lines, "line 9: unknown key", "2 more")}},
	} {
		row.in.Now, row.in.Home = noon.Add(time.Minute), "/home/dev"
		got := alarms(row.in, clockOf(row.in))
		if len(got) != 1 || got[0].Text != row.want.Text || got[0].Command != row.want.Command || got[0].Then != row.want.Then || !slices.Equal(got[0].Lines, row.want.Lines) {
			t.Errorf("%s:\n%+v, want\n%+v", row.world, got, row.want)
		}
	}
}
