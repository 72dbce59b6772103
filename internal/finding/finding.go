// Package finding has the words for findings, on every screen and in the log. Programs read
// the findings themselves (package graph).
package finding

// words are the forms of a finding.
type words struct{ is, as, word string }

func wordsOf(finding string) words {
	switch finding {
	case "zombies":
		return words{"collects zombies", "collecting zombies", "failing"}
	case "respawning":
		return words{"starts again what was reaped", "starting again what was reaped", "failing"}
	case "duplicate":
		return words{"is an older copy", "an older copy", "an older copy"}
	case "exited":
		return words{"has exited", "left behind", "left behind"}
	}
	return words{"is " + finding, finding, finding}
}

// Is is a finding as a predicate.
func Is(finding string) string { return wordsOf(finding).is }

// As is a finding as an attribute, behind a name.
func As(finding string) string { return wordsOf(finding).as }

// Word is a finding in a count or a column, where both ways of failing are one.
func Word(finding string) string { return wordsOf(finding).word }

// Since is a finding as an attribute, with the moment of its beginning, if that is known: "orphaned, first seen
// 2026-11-20 12:00:00". What idles has done so since it last did something: nobody need have looked then.
func Since(finding, at string) string {
	switch {
	case at == "":
		return As(finding)
	case finding == "idle":
		return As(finding) + " since " + at
	case finding == "":
		return "first seen " + at
	}
	return As(finding) + ", first seen " + at
}
