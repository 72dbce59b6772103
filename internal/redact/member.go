package redact

import (
	"slices"
	"strings"
)

// member is a value of a table without its secret. names are those of the tables around it, the outermost first, and
// its own; an item of a list has the name of the list; there may be none. Whatever is in a table of variables, headers or
// secrets is taken for a secret, else what is called like one.
func member(names []string, value string) string {
	if len(names) == 0 {
		return value
	}
	for i, name := range names {
		switch {
		case i < len(names)-1 && (holdsSecrets(name) || isSecretsName(name)):
			return mask(value)
		case i == len(names)-1 && holdsSecrets(name) && isVariable(value): // an item of "env"
			return assignment(value)
		case i == len(names)-1 && holdsSecrets(name): // one of "headers", or something else
			if header, _, is := strings.Cut(value, ":"); is {
				return header + ": " + Mask
			}
		}
	}
	own := names[len(names)-1]
	if isSecretsName(own) && value != "true" && value != "false" {
		return secretValue(own, value)
	}
	return value
}

// isSecretsName is [isSecretName] of one secret or of several: "token", "apiKeys".
func isSecretsName(name string) bool {
	return isSecretName(name) || isSecretName(strings.TrimSuffix(name, "s"))
}

// holdsSecrets reports the name of a table whose values may all be secrets: "env", "http_headers".
func holdsSecrets(name string) bool {
	return slices.ContainsFunc(nameWords(name), func(word string) bool {
		return in("env envs environment environ header headers secrets credentials", word)
	})
}

func mask(value string) string {
	if value == "" {
		return ""
	}
	return Mask
}

// Line is a command line in one text without its secrets: those of [Text], and those that an argument's place
// tells.
func Line(text string) string { return strings.Join(Args(wordsOf(Text(text))), " ") }

// wordsOf are the words of a command line with their quotes; of one whose quotes do not close, what stands
// between spaces.
func wordsOf(line string) []string {
	if strings.Count(line, `"`)%2 != 0 || strings.Count(line, "'")%2 != 0 {
		return strings.Split(line, " ")
	}
	return quotedWord().FindAllString(line, -1)
}

var quotedWord = lazily(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
