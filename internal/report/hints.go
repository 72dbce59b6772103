package report

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// hints shows commands, in two columns if they fit. Where there is no room for a
// command and its purpose, the purpose stands below.
func (v *view) hints(s *screen, commands []hint) {
	if len(commands) == 0 {
		return
	}
	s.gap()
	if hintWidth(commands, 1) > s.width {
		s.narrowHints(commands)
		return
	}
	perLine := 2
	if hintWidth(commands, 2) > s.width {
		perLine = 1
	}
	widths := hintWidths(commands, perLine)
	for i := 0; i < len(commands); i += perLine {
		var line strings.Builder
		for j, h := range commands[i:min(i+perLine, len(commands))] {
			line.WriteString(human.Left(h.command, widths[j].command+3) + human.Left(h.what, widths[j].what+4))
		}
		s.say(strings.TrimRight(line.String(), " "))
	}
}

// narrowHints writes each command with its purpose behind it, or below if there is no room.
func (s *screen) narrowHints(hints []hint) {
	for _, h := range hints {
		if line := h.command + "   " + h.what; human.Width(line) <= s.width {
			s.say(line)
			continue
		}
		s.wrap("", h.command)
		s.wrap("   ", h.what)
	}
}

type hintCells struct{ command, what int }

func hintWidths(hints []hint, perLine int) []hintCells {
	widths := make([]hintCells, perLine)
	for i, h := range hints {
		w := &widths[i%perLine]
		w.command = max(w.command, human.Width(h.command))
		w.what = max(w.what, human.Width(h.what))
	}
	return widths
}

func hintWidth(hints []hint, perLine int) int {
	sum := 0
	for _, w := range hintWidths(hints, perLine) {
		sum += w.command + 3 + w.what + 4
	}
	return sum - 4
}

// flow writes parts separated by dots, and breaks lines only between parts.
func (s *screen) flow(parts []string) {
	separator := " " + s.glyphs.dot + " "
	line := ""
	for _, part := range parts {
		switch {
		case part == "":
		case line == "":
			line = part
		case human.Width(line+separator+part) <= s.width:
			line += separator + part
		default:
			s.wrap("", line)
			line = part
		}
	}
	if line != "" {
		s.wrap("", line)
	}
}
