package human

import "strings"

// Shell writes words as a person types them into a POSIX shell, with a space between: a word
// with other characters than those of plain names, paths and flags stands in single quotes.
func Shell(words ...string) string {
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
