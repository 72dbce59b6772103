package discover

import (
	"path"
	"strings"
)

// argument is one word of a configured command, with the variables that the client
// replaces before it starts the command.
type argument struct {
	raw string // as it is written; some clients replace nothing
	// pieces are the texts between variables whose values are not known. A single
	// piece is plain text.
	pieces []string
}

func newArgument(s *Server, word string) argument {
	return argument{raw: word, pieces: expand(s, word)}
}

// matches reports that a process's argument can be this one.
func (a argument) matches(word string) bool {
	return word == a.raw || matchPieces(a.pieces, word)
}

// matchesTitle is matches for a word of a title, in which npm replaces secrets with
// ***.
func (a argument) matchesTitle(word string) bool {
	return a.matches(word) || strings.Contains(word, "***") && matchPieces(strings.Split(word, "***"), a.raw)
}

// tells reports that the argument says something about the program: it is no option,
// no verb and no lone variable.
func (a argument) tells() bool {
	switch a.raw {
	case "run", "exec", "tool", "uvx", "dlx", "x", "container", "compose":
		return false
	}
	text := strings.Join(a.pieces, "")
	return text != "" && !strings.HasPrefix(text, "-")
}

// matchPieces reports whether text has the pieces in order, the first at its
// start, the last at its end, anything between.
func matchPieces(pieces []string, text string) bool {
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return text == first
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		at := strings.Index(text, piece)
		if at < 0 {
			return false
		}
		text = text[at+len(piece):]
	}
	return true
}

// expand replaces the variables whose values are known: the home, the project's
// folder. Any other ${…}, or opencode's {env:…}, splits the word.
func expand(s *Server, word string) []string {
	var pieces []string
	var piece strings.Builder
	if rest, ok := strings.CutPrefix(word, "~"); ok && (rest == "" || rest[0] == '/') && s.Home != "" {
		piece.WriteString(s.Home)
		word = rest
	}
	for word != "" {
		before, name, after := nextVariable(word)
		piece.WriteString(before)
		word = after
		if name == "" {
			continue
		}
		if text, known := variable(s, name); known {
			piece.WriteString(text)
			continue
		}
		pieces = append(pieces, piece.String())
		piece.Reset()
	}
	return append(pieces, piece.String())
}

// nextVariable splits a word at its first variable. Without one, before is the whole
// word.
func nextVariable(word string) (before, name, after string) {
	closed := strings.Contains(word, "}")
	for i := range len(word) {
		rest := word[i:]
		if opening := variableOpening(rest); opening > 0 && closed {
			end := strings.IndexByte(rest, '}')
			if closed = end >= 0; end > opening {
				return word[:i], strings.Trim(rest[:end], "${"), rest[end+1:]
			}
		}
		if home, ok := strings.CutPrefix(rest, "$HOME"); ok && (home == "" || home[0] == '/' || home[0] == ':') {
			return word[:i], "HOME", home
		}
	}
	return word, "", ""
}

// variableOpening is the length of the text that opens a variable here; 0 if none
// does.
func variableOpening(text string) int {
	for _, opening := range [...]string{"${", "{env:", "{file:"} {
		if strings.HasPrefix(text, opening) {
			return len(opening)
		}
	}
	return 0
}

// variable is the value of a variable that is the same for every process of that
// server.
func variable(s *Server, name string) (string, bool) {
	name, _, _ = strings.Cut(name, ":-")
	project := s.Folder != "" && s.Folder != s.Home
	switch name {
	case "HOME", "userHome", "env:HOME", "env.HOME":
		return s.Home, s.Home != ""
	case "workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR":
		return s.Folder, project
	case "workspaceFolderBasename":
		return path.Base(s.Folder), project
	case "pathSeparator", "/":
		return "/", true
	}
	return "", false
}
