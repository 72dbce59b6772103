package policy

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// A glob is matched against a whole text: * is any run of characters, slashes
// included; ? is one; [a-z] one of a set and [^a-z] one not of it; \ takes the
// next one as it is. Brackets that do not close, and braces, are faults.

// checkGlob says why a glob is malformed; nil if it is not.
func checkGlob(glob string) error {
	if glob == "" {
		return errors.New("is empty")
	}
	for rest := glob; rest != ""; {
		switch rest[0] {
		case '{', '}':
			return errors.New(`has a brace: write a list of globs, or \{ for the character`)
		case '\\':
			if len(rest) == 1 {
				return errors.New(`ends in a \ with nothing behind it`)
			}
			rest = rest[1:]
		case '[':
			end := classEnd(rest)
			if end < 0 {
				return errors.New(`has a [ that is not closed; write \[ for the character`)
			}
			rest = rest[end:]
			continue
		}
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return nil
}

// matchGlob reports that a valid glob matches the text. It takes at most the product
// of their lengths.
func matchGlob(glob, text string) bool {
	starGlob, starText, starred := "", "", false
	for {
		switch {
		case strings.HasPrefix(glob, "*"):
			glob = glob[1:]
			starGlob, starText, starred = glob, text, true
			continue
		case glob == "" && text == "":
			return true
		case glob != "" && text != "":
			if restGlob, restText, ok := matchOne(glob, text); ok {
				glob, text = restGlob, restText
				continue
			}
		}
		if !starred || starText == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(starText)
		starText = starText[size:]
		glob, text = starGlob, starText
	}
}

// matchOne matches one character and returns the rest of both.
func matchOne(glob, text string) (restGlob, restText string, ok bool) {
	char, size := utf8.DecodeRuneInString(text)
	restText = text[size:]
	switch glob[0] {
	case '?':
		return glob[1:], restText, true
	case '[':
		end := classEnd(glob)
		if end < 0 {
			return "", "", false
		}
		return glob[end:], restText, inClass(glob[1:end-1], char)
	case '\\':
		glob = glob[1:]
	}
	want, width := utf8.DecodeRuneInString(glob)
	if width == 0 {
		return "", "", false
	}
	return glob[width:], restText, want == char
}

// classEnd is the index behind the bracket that closes a class, or -1. A bracket
// right behind the opening one is a member.
func classEnd(glob string) int {
	at := 1
	if at < len(glob) && (glob[at] == '^' || glob[at] == '!') {
		at++
	}
	for first := true; at < len(glob); first = false {
		switch {
		case glob[at] == ']' && !first:
			return at + 1
		case glob[at] == '\\':
			at++
		}
		at++
	}
	return -1
}

// inClass reports that a class, without its brackets, contains the character.
func inClass(class string, char rune) bool {
	negated := class[0] == '^' || class[0] == '!'
	if negated {
		class = class[1:]
	}
	found := false
	for class != "" {
		var low, high rune
		low, class = classRune(class)
		high = low
		if len(class) > 1 && class[0] == '-' {
			high, class = classRune(class[1:])
		}
		found = found || low <= char && char <= high
	}
	return found != negated
}

func classRune(class string) (rune, string) {
	if class[0] == '\\' && len(class) > 1 {
		class = class[1:]
	}
	r, size := utf8.DecodeRuneInString(class)
	return r, class[size:]
}

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

// anyMatchesAll reports that one of some globs matches every text.
func anyMatchesAll(globs []string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return glob != "" && strings.Trim(glob, "*") == "" })
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
