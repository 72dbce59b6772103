package history

import (
	"io"
	"strings"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/report"
)

// hasRoom reports that the word that identifies an act is whole on its line. Otherwise the act has
// its outcome and the memory freed on a line of its own, so that nothing is cut.
func (s Style) hasRoom(a *Act, line string) bool {
	more := human.Width(s.what(a)) - human.Width(a.called())
	return s.Width <= 0 || human.Width(line)-more <= s.Width
}

// outcomeWith is the outcome with its explanation and the memory freed.
func (a *Act) outcomeWith(detail string) string {
	text := done.Result(a.outcome()).With(detail)
	if a.FreedBytes > 0 && !a.Again {
		text += "; " + human.Bytes(a.FreedBytes) + " freed"
	}
	return human.Safe(text)
}

// cellsOf are the cells of a row: when, outcome, memory freed, target.
func (s Style) cellsOf(a *Act) []string {
	freed := ""
	if a.FreedBytes > 0 && !a.Again {
		freed = human.Bytes(a.FreedBytes)
	}
	return []string{human.Moment(a.At().Local()), human.Safe(a.outcome()), freed, s.what(a)}
}

// called is the target's name, and the word by which it can be typed.
func (a *Act) called() string { return human.Safe(a.Name + " " + ThingOf(&a.Entry).Handle()) }

// processes counts those of the target: "2 processes". A container, and an act that an older journal
// has, count as one.
func (a *Act) processes() (text string, n int) {
	n = max(1, len(a.Tree)+a.TreeOmitted)
	return human.Count(n, "process"), n
}

// what is the target as it is called, with what it consisted of.
func (s Style) what(a *Act) string {
	text := a.called()
	if processes, n := a.processes(); n > 1 {
		text += " (" + processes + ")"
	}
	if a.Kind == string(graph.KindSession) && a.Cwd != "" {
		text += human.Safe(" in " + s.Home.Short(a.Cwd, ""))
	}
	return text
}

// news is what the explanation adds to the outcome: nothing where all processes exited in less than a
// second.
func (a *Act) news() string {
	processes, _ := a.processes()
	within, asked := done.AskedWithin(processes, a.Detail)
	if asked && a.outcome() == string(done.Exited) && strings.HasSuffix(within, "ms") {
		return ""
	}
	return a.detail()
}

// detail is the outcome's explanation, safe to print.
func (a *Act) detail() string {
	if a.Again {
		return done.Together
	}
	return human.Safe(a.Detail)
}

// fit cuts a line to the terminal's width.
func (s Style) fit(line string) string {
	line = strings.TrimRight(line, " ")
	if s.Width <= 0 {
		return line
	}
	return human.Truncate(line, s.Width, "…")
}

// wrap breaks a text into lines of the terminal's width behind a lead; those after
// the first are indented further.
func (s Style) wrap(lead, text string) []string {
	if s.Width <= 0 {
		return []string{lead + text}
	}
	lines := report.Wrap(text, max(s.Width-len(lead+indent+indent), 8))
	for i := range lines {
		if lines[i] = lead + strings.TrimRight(lines[i], " "); i > 0 {
			lines[i] = indent + indent + lines[i]
		}
	}
	return lines
}

// folded breaks a text into lines of the terminal's width.
func (s Style) folded(text string) []string {
	if s.Width <= 0 {
		return []string{text}
	}
	return report.Wrap(text, s.Width)
}

func writeLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
