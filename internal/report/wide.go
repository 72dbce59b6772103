package report

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// wide shows each target with the full command and all evidence: on one line of any
// length or, on a terminal that is narrower than that, in columns whose last two are broken
// or, if there is no room for these, on several lines.
func (v *view) wide(s *screen) {
	if len(v.shown) == 0 {
		return
	}
	table := [][]string{{"DECISION", "FINDING", "KIND", "NAME", "ID", "OWNER", "UP", "MEMORY", "CPU", "COMMAND", "EVIDENCE"}}
	tones := []tone{plain}
	for _, verdict := range v.inOrder() {
		table = append(table, v.wideRow(verdict))
		tones = append(tones, toneOf(verdict))
	}
	s.gap()
	lines, legend := aligned(table), v.columnLegend()
	switch tooWide := slices.ContainsFunc(lines, func(line string) bool { return human.Width(line) > s.width }); {
	case v.options.Terminal && tooWide && s.columned(table, tones):
	case v.options.Terminal && tooWide:
		legend = v.stackedLegend(s.stacked(table, tones))
	default:
		for i, line := range lines {
			s.heading(tones[i], line)
		}
	}
	s.gap()
	for _, text := range legend {
		s.wrap("", text)
	}
}

// stacked writes the rows of the wide table on several lines each: what is decided about
// what, then what it takes, its command and the evidence. Where the owner does not fit on
// the first line of every row, it is on the second, and ownerIsBelow is true.
func (s *screen) stacked(table [][]string, tones []tone) (ownerIsBelow bool) {
	heads, short := make([][]string, len(table)), make([][]string, len(table))
	for i, row := range table {
		heads[i] = []string{row[0], row[1], row[3], row[4], row[5]}
		short[i] = heads[i][:4]
	}
	lines := Columns(heads)
	ownerIsBelow = slices.ContainsFunc(lines, func(line string) bool { return human.Width(line) > s.width })
	if ownerIsBelow {
		lines = Columns(short)
	}
	for i, line := range lines {
		s.heading(tones[i], human.Truncate(line, s.width, s.glyphs.ellipsis))
		if i == 0 {
			continue
		}
		row, parts := table[i], []string{table[i][2]}
		if ownerIsBelow && row[5] != s.glyphs.none {
			parts[0] += ", owner " + row[5]
		}
		for _, cell := range []struct{ before, text, behind string }{{"up ", row[6], ""}, {"", row[7], ""}, {"", row[8], " cpu"}} {
			if cell.text != s.glyphs.none {
				parts = append(parts, cell.before+cell.text+cell.behind)
			}
		}
		for _, text := range append([]string{strings.Join(parts, ", ")}, row[9:]...) {
			if text != s.glyphs.none {
				s.wrap("   ", text)
			}
		}
	}
	return ownerIsBelow
}

// inOrder returns the verdicts by shelf: going, reaped, pending, noted, ending, in use. Within a
// shelf they are in the order of the table.
func (v *view) inOrder() verdicts {
	var out verdicts
	for _, shelf := range []shelf{leaving, reaping, waiting, noted, ending, inUse} {
		for _, g := range v.grouping.groups(v.on(shelf)) {
			out = append(out, g.verdicts...)
		}
	}
	return out
}

func (v *view) wideRow(verdict *policy.Verdict) []string {
	t := verdict.Target
	cells := verdicts{verdict}.cells(v.glyphs)
	row := []string{
		v.decisionCell(verdict), findingCell(verdict), string(t.Kind), nameOf(t), handle(t), v.ownerCell(t),
		cells.age, cells.memory, cells.cpu, commandOf(t, v.options.Home).String(), v.evidenceCell(verdict),
	}
	for i := range row {
		if row[i] == "" {
			row[i] = v.glyphs.none
		}
	}
	return row
}

// decisionCell is the decision, that its end has begun or, of what goes with an idle session that a rule stops or ends
// with its container, that.
func (v *view) decisionCell(verdict *policy.Verdict) string {
	if head := v.alongWith(verdict); head != nil && verdict.Decision == policy.Keep {
		return "with " + handle(head.Target)
	}
	if verdict.UnderWay {
		return verdict.Action.Stage(verdict.Imminent)
	}
	return verdict.Decision.String()
}

// findingCell is what is wrong with a target, or that nothing proves whose it is.
func findingCell(v *policy.Verdict) string {
	if isUnclear(v) {
		return "unclear"
	}
	return v.Target.Finding.String()
}

// isUnclear reports a target with nothing wrong of which nothing proves whose it is.
func isUnclear(v *policy.Verdict) bool {
	return shelfOf(v) == noted && v.Target.Finding == graph.FindingNone
}

func (v *view) ownerCell(t *graph.Target) string {
	o := t.Owner
	switch text := ownerText(o); {
	case t.Kind == graph.KindSession: // a session is an owner itself
		return v.glyphs.none
	case text == "" && o.Liveness == graph.LivenessGone:
		return "nobody"
	case text == "":
		return graph.LivenessUnknown.String()
	case o.Liveness == graph.LivenessGone:
		return text + " (gone)"
	default:
		return text
	}
}

// evidenceCell lists the checks that speak for or against an owner, proofs marked, and
// why the target is kept.
func (v *view) evidenceCell(verdict *policy.Verdict) string {
	var parts []string
	for _, says := range []graph.Says{graph.SaysOrphaned, graph.SaysOwned} {
		var checks []string
		for _, e := range verdict.Target.Evidence {
			if e.Says == says {
				checks = append(checks, string(e.Check)+proofMark(e))
			}
		}
		if len(checks) > 0 {
			parts = append(parts, string(says)+": "+strings.Join(checks, " "))
		}
	}
	if s := v.session(verdict.Target); s != nil && isIdle(verdict.Target) {
		parts = append(parts, "idle for "+idleText(s))
	}
	if head := v.headOf(verdict.Target); head != nil {
		parts = append(parts, "goes with "+called(head.Target)+", by rule "+head.Rule)
		return strings.Join(parts, "; ")
	}
	if isIdle(verdict.Target) && verdict.Rule != "" && verdict.Decision != policy.Keep {
		parts = append(parts, "rule "+verdict.Rule)
	}
	if pin := unsaidPin(verdict); pin != "" && !verdict.UnderWay {
		parts = append(parts, howKept(verdict.Target)+": "+pin+v.pinReach(verdict.Target))
	}
	switch {
	case isProtectedInUse(verdict):
		parts = append(parts, "kept: "+sentence(verdict.Reason)+v.inOwnSweeps(verdict))
	case shelfOf(verdict) == noted:
		parts = append(parts, "kept: "+v.keptBecause(verdict).text)
	case verdict.Rests():
		parts = append(parts, "kept: "+verdicts{verdict}.resting()+"; "+asks(verdict.Threshold))
	}
	return strings.Join(parts, "; ")
}

// asks tells what the rule about an older copy asks for that counts as in use.
func asks(t *policy.Threshold) string {
	if t.Rule == "" {
		return "no rule acts on it"
	}
	return "rule " + t.Rule + " asks for " + t.Wants
}

func proofMark(e graph.Evidence) string {
	if e.Proof {
		return "!"
	}
	return ""
}

func toneOf(v *policy.Verdict) tone {
	switch shelfOf(v) {
	case leaving, reaping:
		return red
	case waiting:
		return yellow
	case inUse:
		return green
	}
	return plain
}

// mostPadded is the width up to which a cell makes its column wider. A longer cell, such
// as a command, moves only the rest of its own line.
const mostPadded = 60

// aligned pads every column but the last to its widest cell, up to mostPadded.
func aligned(table [][]string) []string {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], min(human.Width(cell), mostPadded))
		}
	}
	lines := make([]string, len(table))
	for i, row := range table {
		var b strings.Builder
		for j, cell := range row {
			if j == len(row)-1 {
				b.WriteString(cell)
				continue
			}
			b.WriteString(human.Left(cell, widths[j]) + "  ")
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
