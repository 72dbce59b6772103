package cli

import "strings"

// Shell writes words as a POSIX shell reads them: a word with other characters than those
// of plain names, paths and flags stands in single quotes.
func Shell(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsFunc(word, isForShell) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// isForShell reports a character that may mean something to a shell.
func isForShell(r rune) bool {
	isPlain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,+@%=", r)
	return !isPlain
}

// WithFlag is a command line with one more flag, which stands before the "--" that ends
// the flags.
func WithFlag(args []string, flag string) []string {
	var before []string
	for i, arg := range args {
		if arg == "--" {
			return append(append(before, flag), args[i:]...)
		}
		before = append(before, arg)
	}
	return append(before, flag)
}
