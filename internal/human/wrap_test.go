package human

import (
	"slices"
	"testing"
)

func TestParagraphsAreBrokenAtWords(t *testing.T) {
	for _, row := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"the lines fit: their breaks stay", "one two\nthree\nfour", 10, "one two\nthree\nfour"},
		{"a line is too wide: the paragraph is broken anew", "one two three\nfour", 10, "one two\nthree four"},
		{"only the paragraph that needs it", "one\ntwo\n\none two three\nfour", 10, "one\ntwo\n\none two\nthree four"},
		{"a table stays as it is", "one\n  two three four\nfive", 10, "one\n  two three four\nfive"},
		{"so does an indented line alone", "  two three four", 10, "  two three four"},
		{"a word without room is cut", "abcdefghijkl m", 10, "abcdefghij\nkl m"},
		{"a line that fits to the column", "one two th\nx", 10, "one two th\nx"},
	} {
		if got := WrapParagraphs(row.text, row.width); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func TestATextHangsBehindItsLead(t *testing.T) {
	for _, row := range []struct {
		name, lead, text string
		width            int
		want             []string
	}{
		{"it fits", "note: ", "one two", 13, []string{"note: one two"}},
		{"the further lines are indented", "note: ", "one two three", 13, []string{"note: one two", "      three"}},
		{"without a lead", "", "one two three", 9, []string{"one two", "three"}},
		{"a lead that leaves no room", "a very long lead: ", "one two three", 10, []string{"a very long lead: one two", "                  three"}},
	} {
		if got := Hang(row.lead, row.text, row.width); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
