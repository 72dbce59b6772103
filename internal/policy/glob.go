package policy

import (
	"errors"
	"path"
	"strings"
)

// A glob is matched against a whole text: * is any run of characters, slashes
// included; ? is one; [a-z] one of a set and [^a-z] one not of it; \ takes the
// next one as it is. Brackets that do not close, and braces, are faults.

// checkGlob says why a glob is malformed; nil if it is not.
func checkGlob(glob string) error {
	_, err := path.Match(slashless(glob), "")
	plain := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(glob)
	switch {
	case glob == "":
		return errors.New("is empty")
	case err != nil:
		return errors.New(`is malformed; write \[ or \\ for the character`)
	case strings.ContainsAny(plain, "{}"):
		return errors.New(`has a brace: write a list of globs, or \{ for the character`)
	case strings.Contains(plain, "[!"):
		return errors.New("has a [!: write [^ for one that is not of the set")
	}
	return nil
}

// matchGlob reports that a valid glob matches the text.
func matchGlob(glob, text string) bool {
	matches, err := path.Match(slashless(glob), slashless(text))
	return matches && err == nil
}

// slashless is a text in which a slash is a character like any other for [path.Match].
func slashless(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// anyGlob reports whether any of the globs matches any of the texts.
func anyGlob(globs []string, texts ...string) bool {
	for _, glob := range globs {
		for _, text := range texts {
			if text != "" && matchGlob(glob, text) {
				return true
			}
		}
	}
	return false
}

// anyName is anyGlob for names, which ignore case.
func anyName(globs []string, names ...string) bool {
	for _, glob := range globs {
		for _, name := range names {
			if name != "" && matchGlob(strings.ToLower(glob), strings.ToLower(name)) {
				return true
			}
		}
	}
	return false
}

// inOrder reports that each glob matches some argument, in order.
func inOrder(globs, arguments []string) bool {
	for _, argument := range arguments {
		if len(globs) > 0 && matchGlob(globs[0], argument) {
			globs = globs[1:]
		}
	}
	return len(globs) == 0
}

// MatchesName reports whether a glob matches a name. Names have no case. What is no
// valid glob is a name.
func MatchesName(glob, name string) bool {
	return name != "" && strings.EqualFold(glob, name) || anyName([]string{glob}, name)
}
