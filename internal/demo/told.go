package demo

import (
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// narrow is the width of the narration: that of the narrowest terminal in common use.
const narrow = 80

// told breaks the paragraphs of a text that are wider than a narrow terminal. Further
// lines of a step, "1. ", and of an indented text are indented as its first words are.
func told(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		begin := len(paragraph) - len(strings.TrimLeft(paragraph, "\n"))
		end := len(strings.TrimRight(paragraph, "\n"))
		if begin < end {
			paragraphs[i] = paragraph[:begin] + toldParagraph(paragraph[begin:end]) + paragraph[end:]
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func toldParagraph(text string) string {
	indent := len(text) - len(strings.TrimLeft(text, "0123456789. "))
	if indent == 0 {
		return human.WrapParagraphs(text, narrow)
	}
	return strings.Join(human.Hang(text[:indent], strings.Join(strings.Fields(text[indent:]), " "), narrow), "\n")
}
