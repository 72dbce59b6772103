package account

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// Near are the names here that a word which means nothing may stand for, the nearest first:
// that of the session whose program it is; else those of [NearOf].
func Near(g *graph.Graph, word string) []string {
	var names []string
	for _, session := range g.Sessions {
		if session.Process != nil && strings.EqualFold(session.Process.Comm, word) && isTypable(session.Name) {
			return []string{session.Name}
		}
		names = append(names, session.Name)
	}
	for _, t := range g.Targets {
		thing := SubjectOf(t)
		if t.Container != nil && isBeginning(word, t.ID) {
			return []string{thing.Handle()}
		}
		names = append(names, thing.Name, thing.Container)
	}
	return NearOf(names, word)
}

// leastPart is how much of a name a word must have to be taken for a part of it.
const leastPart = 3

// NearOf are those of the names that a word may stand for, each once: those that begin with
// it, then those with it as a part ([hasWithin]); else the one that differs from it by a typing
// mistake. A package or an image is looked for without its scope, registry and version. A glob, a
// number and one of the names stand for nothing but themselves.
func NearOf(names []string, word string) []string {
	isName := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, word) })
	if _, err := strconv.Atoi(word); err == nil || word == "" || isName || IsGlob(word) {
		return nil
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isTypable(name) })
	near := having(names, word)
	if bare := bareName(word); len(near) == 0 && bare != word {
		near = having(names, bare)
	}
	if slip := human.Nearest(word, names); len(near) == 0 && slip != "" {
		near = []string{slip}
	}
	return near
}

// having are the names that begin with a word, then those that have it within.
func having(names []string, word string) (near []string) {
	word = strings.ToLower(word)
	for _, within := range []bool{false, true} {
		for _, name := range names {
			begins := strings.HasPrefix(strings.ToLower(name), word)
			has := begins && !within || within && !begins && len(word) >= leastPart && hasWithin(strings.ToLower(name), word)
			if has && !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
	}
	return near
}

// hasWithin reports that a name has a part with which a word of it begins, or that is most of a word: of
// "playwright-mcp" these are "mcp" and "wright", and of "everything" "thing" is none.
func hasWithin(name, part string) bool {
	for at := range name {
		if !strings.HasPrefix(name[at:], part) {
			continue
		}
		before := at - len(strings.TrimRightFunc(name[:at], isInWord)) // of the word around it, up to the part
		rest := len(name[at:]) - len(strings.TrimLeftFunc(name[at:], isInWord))
		if before == 0 || 2*min(rest, len(part)) > before+rest {
			return true
		}
	}
	return false
}

// isInWord reports a character of a word in a name, such as those between the hyphens.
func isInWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// bareName is a package or an image without its scope, registry and version.
func bareName(word string) string {
	base := path.Base(word)
	if at := strings.LastIndexAny(base, "@:"); at > 0 {
		base = base[:at]
	}
	return base
}

// isTypable reports whether a name can be shown, and typed as it is shown.
func isTypable(name string) bool {
	return name != "" && redact.Name(name) == name && human.Safe(name) == name
}

// mostNear is how many near names a hint has.
const mostNear = 4

// NearHint is the hint for a word that means nothing: a command, with the nearest of the
// names that the word may stand for, and the others.
func NearHint(command string, near []string) string {
	hint := command + " " + human.Shell(near[0]) + "   the nearest name"
	others := slices.Clone(near[1:min(len(near), mostNear)])
	if more := len(near) - mostNear; more > 0 {
		others = append(others, human.Number(more)+" more")
	}
	if len(others) > 0 {
		hint += "; also near: " + human.List(others)
	}
	return hint
}

// NearestHint is the hint what a word that means nothing may stand for: something in the look
// or, if there is nothing near, something that is gone; "" if there is neither.
func NearestHint(command, word string, look *graph.Graph, gone []string) string {
	near := Near(look, word)
	if len(near) == 0 {
		near = NearOf(gone, word)
	}
	if len(near) == 0 {
		return ""
	}
	return NearHint(command, near)
}
