package cli

import (
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Remark writes lines to Err, so that Out contains the answer alone, and makes them safe to
// print. On a terminal it breaks them at words. A line that is a command, behind
// an indent of four, stays whole, so that it can be copied.
func (t *Terminal) Remark(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(t.Err, t.fit(line))
	}
}

func (t *Terminal) fit(line string) string {
	columns := columnsOf(t.Err)
	if columns == 0 {
		return human.Safe(line) // it may end on a terminal yet
	}
	return fitted(human.Safe(t.short(line)), columns)
}

// short writes "~" for the home folder at the beginning of a word. A shell reads that as the
// folder, but not within an option.
func (t *Terminal) short(line string) string {
	words := strings.Split(line, " ")
	for i, word := range words {
		if !strings.HasPrefix(word, "-") {
			words[i] = t.Home.Short(word)
		}
	}
	return strings.Join(words, " ")
}

// indented begins a line that is a command.
const indented = "    "

// hint is the lead of a line with commands to type.
const hint = "hint: "

// fitted breaks a remark that is too wide. The text behind "error: ", "hint: ", "note: "
// or "warning: " keeps its indent. Each command of a hint has its own lines and, if it does
// not fit, its purpose below it.
func fitted(remark string, columns int) string {
	if human.Width(remark) <= columns || strings.HasPrefix(remark, indented) {
		return remark
	}
	lead, text := led(remark)
	parts := []string{text}
	if lead == hint {
		parts = strings.Split(text, "; ")
	}
	var lines []string
	for _, part := range parts {
		indent := strings.Repeat(" ", human.Width(lead))
		command, purpose, isCommand := strings.Cut(part, behindCommand)
		if isCommand && human.Width(lead+part) > columns {
			lines = append(lines, human.Hang(lead, command, columns)...)
			lines = append(lines, human.Hang(indent+"  ", purpose, columns)...)
		} else {
			lines = append(lines, human.Hang(lead, part, columns)...)
		}
		lead = indent
	}
	return strings.Join(lines, "\n")
}

// behindCommand stands between a command of a hint and its purpose.
const behindCommand = "   "

func led(remark string) (lead, text string) {
	for _, lead := range []string{"error: ", hint, "note: ", "warning: "} {
		if text, found := strings.CutPrefix(remark, lead); found {
			return lead, text
		}
	}
	return "", remark
}
