package catalogue

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// anyFits reports whether arguments have one of the forms; values are the flags
// that take a value.
func anyFits(forms []Form, args []string, values cmdline.Words) bool {
	return slices.ContainsFunc(forms, func(f Form) bool {
		_, ok := f.fits(args, values)
		return ok
	})
}

// fits reports whether arguments have the form, and the last word of its
// command.
func (f Form) fits(args []string, values cmdline.Words) (last string, ok bool) {
	rest := cmdline.SkipFlags(args, values, nil)
	if f.Bare && len(rest) > 0 {
		return "", false
	}
	for want := range strings.FieldsSeq(f.Command) {
		if len(rest) == 0 || !isWord(want, rest[0]) {
			return "", false
		}
		last, rest = rest[0], rest[1:]
	}
	if f.Alone && len(cmdline.SkipFlags(rest, values, nil)) > 0 {
		return "", false
	}
	return last, (f.Flag == "" || hasFlag(args, f.Flag)) && (f.Without == "" || !hasFlag(args, f.Without))
}

// isWord compares a word with one of a form: one of several, anything (*), or
// anything that does not contain the text behind a !.
func isWord(want, word string) bool {
	if part, not := strings.CutPrefix(want, "!"); not {
		return !strings.Contains(word, part)
	}
	return want == "*" || slices.Contains(strings.Split(want, "|"), word)
}

// hasFlag reports that one of several flags was given. A flag wanted with a value
// must have that value, behind = or as the next argument.
func hasFlag(args []string, flags string) bool {
	for want := range strings.SplitSeq(flags, "|") {
		name, value, valued := strings.Cut(want, "=")
		for i, arg := range args {
			flag, given, joined := strings.Cut(arg, "=")
			if flag != name {
				continue
			}
			if !joined && i+1 < len(args) {
				given = args[i+1]
			}
			if !valued || matchesAny([]string{value}, given) {
				return true
			}
		}
	}
	return false
}

// flagValue is the value of the first such flag.
func flagValue(args []string, flag string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// matchesAny compares a name with others, each of which may end in *.
func matchesAny(names []string, name string) bool {
	return slices.ContainsFunc(names, func(pattern string) bool {
		start := len(pattern) - 1
		return pattern == name || pattern[start] == '*' && strings.HasPrefix(name, pattern[:start])
	})
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}
