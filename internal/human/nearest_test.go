package human

import "testing"

func TestTheWordThatWasProbablyMeant(t *testing.T) {
	known := []string{"match", "older_than", "grace", "Codex", "for", "fetch", "d1", "gh10"}
	for word, want := range map[string]string{
		"mach":      "match", // a letter left out
		"gracee":    "grace", // one too many
		"codx":      "Codex", // in another case
		"GARCE":     "grace", // two swapped
		"frace":     "grace", // another letter
		"fro":       "for",
		"older":     "older_than", // its first part
		"olde":      "",
		"mat":       "", // two letters are missing, of three
		"nope":      "",
		"something": "",
		"":          "",
		"p1":        "", // another letter, of two
		"gh11":      "", // another number
		"hg10":      "gh10",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
