package top

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

// gaps tells what is wrong with the tree, what could not be seen, and what helps; nothing if
// all was seen.
func (m Model) gaps() []Line {
	if !m.looked {
		return nil
	}
	var lines []Line
	for _, fault := range m.tree.Faults(m.clock, stopsNothing) {
		lines = append(lines, m.warned(fault.String(), fault.What+" (e: more)")...)
	}
	names, texts := m.unseen()
	if len(names) == 0 {
		return lines
	}
	const lead = "Not all was seen: "
	long, short := lead+strings.Join(texts, "; "), lead+strings.Join(names, ", ")+" (e: why)"
	if m.rootReads() { // that stands there for good: one line of it is enough
		short = lead + strings.Join(names, ", ") + " (e: why; " + readsThem + ")"
		if human.Width(m.safe(long)) > m.width {
			long = short
		}
	}
	return append(lines, m.warned(long, short)...)
}

// unseen names the sources that could not be read fully, and tells why that is and what reads them.
func (m Model) unseen() (names, texts []string) {
	for _, source := range m.tree.Gaps() {
		text := source.Called() + " " + string(source.Status)
		names = append(names, text)
		if source.Reason != "" {
			text += ": " + source.Reason
		}
		if m.rootReads() {
			text += " (" + readsThem + ")"
		}
		texts = append(texts, text)
	}
	return names, texts
}

// rootReads reports that root may read all that could not be read.
func (m Model) rootReads() bool { return !m.options.Root && m.tree.LacksOnlyRoots() }

// warned is a text in red, in a few lines, or in one on a low screen. It is short where it is too wide for
// these, and where that is too wide too, its last line is cut, with the mark of that.
func (m Model) warned(text, short string) []Line {
	most := mostGapLines
	if m.height < roomForGaps {
		most = 1
	}
	lines := human.Lines(m.safe(text), max(m.width, 8))
	if len(lines) > most {
		lines = human.Lines(m.safe(short), max(m.width, 8))
	}
	if len(lines) > most {
		lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
	}
	var red []Line
	for _, line := range lines {
		red = append(red, toned(overview.ToneGoes, line))
	}
	return red
}
