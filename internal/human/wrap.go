package human

import "strings"

// Wrap breaks a text at its spaces into lines of at most width columns. A word that is
// wider than that is cut.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.SplitSeq(text, " ") {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case Width(*last)+1+Width(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
		for last = &lines[len(lines)-1]; Width(*last) > width; last = &lines[len(lines)-1] {
			head := Truncate(*last, width, "")
			rest := strings.TrimPrefix(*last, head)
			if head == "" || rest == *last {
				break
			}
			*last = head
			lines = append(lines, rest)
		}
	}
	return lines
}

// Hang wraps a text behind lead. Further lines are indented to the beginning of the text. A size stays with its unit.
func Hang(lead, text string, width int) []string {
	indent := strings.Repeat(" ", Width(lead))
	lines := Wrap(glue(text), max(width-len(indent), leastHanging))
	for i, line := range lines {
		lines[i] = lead + strings.ReplaceAll(line, unbroken, " ")
		lead = indent
	}
	return lines
}

// unbroken is a no-break space.
const unbroken = "\u00a0"

// glue joins a size and its unit.
func glue(text string) string {
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		text = strings.ReplaceAll(text, " "+unit, unbroken+unit)
	}
	return text
}

// Hanging is [Hang] as one text that is safe to print.
func Hanging(lead, text string, width int) string {
	return strings.Join(Hang(lead, Safe(text), width), "\n")
}

// leastHanging is the least width of a text behind a lead, however narrow the terminal is.
const leastHanging = 8

// WrapParagraphs breaks the paragraphs of a text that are wider than width anew. It leaves
// those with an indented line as they are: tables and examples.
func WrapParagraphs(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		if isWider(paragraph, width) && !IsLaidOut(paragraph) {
			paragraphs[i] = strings.Join(Wrap(strings.Join(strings.Fields(paragraph), " "), width), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func isWider(paragraph string, width int) bool {
	for line := range strings.SplitSeq(paragraph, "\n") {
		if Width(line) > width {
			return true
		}
	}
	return false
}

// IsLaidOut reports whether the line breaks of a paragraph have a meaning.
func IsLaidOut(paragraph string) bool {
	return strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") || strings.Contains(paragraph, "\t")
}
