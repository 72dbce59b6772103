package cmdline

import "strings"

// lineProgram is the program, with its arguments, that a shell line runs in the end:
// that of the last command and, in a pipeline, of the first, unless the first only
// feeds the rest.
//
// Lines are read by a lexer of our own, not by a parser of the shell language. It
// knows quotes, escapes, comments, pipelines and lists, keeps as words what only a
// running shell can resolve, and accepts any text: a line that was cut off still has
// a first word. mvdan.cc/sh 3.14 was measured as the alternative: it reads nothing of
// a line with an open quote, takes 7.6 µs instead of 1.8 µs for a line of 90 bytes
// (BenchmarkLineProgram), and adds 0.85 MB to the binary. It also knows
// here-documents and arithmetic, which name no program.
func lineProgram(line string) []string {
	pipelines := splitLine(line)
	for i := len(pipelines) - 1; i >= 0; i-- {
		if words := pipeLineProgram(pipelines[i]); len(words) > 0 {
			return words
		}
	}
	return nil
}

func pipeLineProgram(pipeline [][]string) []string {
	first := simpleCommand(pipeline[0])
	if len(pipeline) > 1 && (len(first) == 0 || IsTool(ProgramName(first[0]))) {
		return simpleCommand(pipeline[len(pipeline)-1])
	}
	return first
}

// simpleCommand drops the words that may stand before a command's program:
// assignments, reserved words, redirections. It is empty for a command that runs no
// program.
func simpleCommand(words []string) []string {
	words = withoutRedirections(words)
	for len(words) > 0 {
		word := words[0]
		switch {
		case reserved[word] || isAssignment(word):
			words = words[1:]
		case idle[word]:
			return nil
		default:
			return words
		}
	}
	return nil
}

// reserved may stand before a command; idle are commands of the shell's own, and
// others that never are the program a line is for.
var (
	reserved = WordsOf("do then else elif if while until { ( ! exec command builtin time")
	idle     = WordsOf("done fi esac } ) cd export set unset source . trap wait exit return true false : umask ulimit shopt pushd popd pwd " +
		"for case local readonly declare eval sleep echo printf kill")
)

// isAssignment recognises NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// withoutRedirections drops <x, 2>x, > x and &>x.
func withoutRedirections(words []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		operator := strings.TrimLeft(word, "0123456789&")
		if operator == "" || operator[0] != '<' && operator[0] != '>' {
			kept = append(kept, word)
			continue
		}
		if strings.Trim(operator, "<>|&") == "" && !strings.HasSuffix(operator, "&") {
			i++ // its target is the next word
		}
	}
	return kept
}

// splitLine splits a shell line into pipelines of commands of words. It knows quotes,
// backslashes and comments. What only a real shell can resolve (substitutions,
// here-documents) stays as words.
func splitLine(line string) [][][]string {
	l := lineLexer{text: line}
	for l.at < len(l.text) {
		l.step()
	}
	l.endPipeline()
	return l.pipelines
}

// lineLexer collects words into commands and commands into pipelines.
type lineLexer struct {
	text      string
	at        int
	word      strings.Builder
	inWord    bool
	words     []string
	commands  [][]string
	pipelines [][][]string
}

func (l *lineLexer) step() {
	c := l.text[l.at]
	l.at++
	switch c {
	case ' ', '\t', '\r':
		l.endWord()
	case '\n', ';':
		l.endPipeline()
	case '&', '|':
		l.operator(c)
	case '\'', '"', '`':
		l.quoted(c)
	case '\\':
		if l.at < len(l.text) {
			l.add(l.text[l.at])
			l.at++
		}
	case '(', ')':
		l.parenthesis(c)
	case '#':
		l.comment()
	default:
		l.add(c)
	}
}

func (l *lineLexer) add(c byte) {
	l.word.WriteByte(c)
	l.inWord = true
}

// operator reads &, &&, | and ||. The & of a redirection is part of its word.
func (l *lineLexer) operator(c byte) {
	written := l.word.String()
	redirects := strings.HasSuffix(written, ">") || strings.HasSuffix(written, "<")
	if redirects || c == '&' && l.at < len(l.text) && l.text[l.at] == '>' {
		l.add(c)
		return
	}
	doubled := l.at < len(l.text) && l.text[l.at] == c
	if doubled {
		l.at++
	}
	if c == '|' && !doubled {
		l.endCommand()
		return
	}
	l.endPipeline()
}

// parenthesis reads a substitution, $(…), as part of its word, and the parentheses of
// a subshell as spaces.
func (l *lineLexer) parenthesis(c byte) {
	if c == ')' || !strings.HasSuffix(l.word.String(), "$") {
		l.endWord()
		return
	}
	for depth := 1; ; c = l.text[l.at-1] {
		l.add(c)
		if c == ')' {
			depth--
		}
		if depth == 0 || l.at >= len(l.text) {
			return
		}
		if l.text[l.at] == '(' {
			depth++
		}
		l.at++
	}
}

// quoted reads up to the closing quote, or to the end of the text.
func (l *lineLexer) quoted(quote byte) {
	l.inWord = true
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		if c == quote {
			return
		}
		if c == '\\' && quote == '"' && l.at < len(l.text) && strings.IndexByte("\"\\$`", l.text[l.at]) >= 0 {
			c = l.text[l.at]
			l.at++
		}
		l.word.WriteByte(c)
	}
}

// comment skips to the end of the line. Inside a word, # is a letter.
func (l *lineLexer) comment() {
	if l.inWord {
		l.add('#')
		return
	}
	if end := strings.IndexByte(l.text[l.at:], '\n'); end >= 0 {
		l.at += end
		return
	}
	l.at = len(l.text)
}

func (l *lineLexer) endWord() {
	if l.inWord {
		l.words = append(l.words, l.word.String())
	}
	l.word.Reset()
	l.inWord = false
}

func (l *lineLexer) endCommand() {
	l.endWord()
	if len(l.words) > 0 {
		l.commands = append(l.commands, l.words)
	}
	l.words = nil
}

func (l *lineLexer) endPipeline() {
	l.endCommand()
	if len(l.commands) > 0 {
		l.pipelines = append(l.pipelines, l.commands)
	}
	l.commands = nil
}
