package human

import "strings"

// unbroken is a no-break space.
const unbroken = "\u00a0"

// Lines breaks a text at spaces into lines of at most width that are safe to print. It breaks a
// word that is wider. A size stays with its unit.
func Lines(text string, width int) []string {
	lines := Wrap(glue(text), width)
	for i, line := range lines {
		lines[i] = Safe(line)
	}
	return lines
}

// Hanging is [Hang] as one text that is safe to print. A size stays with its unit.
func Hanging(lead, text string, width int) string {
	lines := Hang(lead, glue(text), width)
	for i, line := range lines {
		lines[i] = Safe(line)
	}
	return strings.Join(lines, "\n")
}

// glue joins a size and its unit.
func glue(text string) string {
	for _, end := range []string{"B", "kB", "MB", "GB", "TB"} {
		text = strings.ReplaceAll(text+" ", " "+end+" ", unbroken+end+" ")
		for _, stop := range []string{".", ",", ";", ")"} {
			text = strings.ReplaceAll(text, " "+end+stop, unbroken+end+stop)
		}
		text = strings.TrimSuffix(text, " ")
	}
	return text
}
