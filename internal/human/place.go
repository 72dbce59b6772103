package human

import "strings"

// unbroken is a no-break space.
const unbroken = "\u00a0"

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
