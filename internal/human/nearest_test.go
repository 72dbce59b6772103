package human

import "testing"

func TestTheWordThatWasProbablyMeant(t *testing.T) {
	known := []string{"match", "older_than", "grace", "Codex", "for", "fetch"}
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
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
