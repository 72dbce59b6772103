package redact

import "strings"

// Member is a value of a configuration without its secret. names are those of the tables around it, the
// outermost first, and its own; an item of a list has the name of the list. Whatever is in a table of
// variables or headers is taken for a secret, else what is called like one.
func Member(names []string, value string) string {
	for i, name := range names {
		switch {
		case !holdsSecrets(name):
		case i < len(names)-1:
			return mask(value)
		case isVariable(value): // an item of "env"
			return assignment(value)
		}
	}
	if own := names[len(names)-1]; isSecretName(own) {
		return secretValue(own, value)
	}
	return value
}

// holdsSecrets reports the name of a table whose values may all be secrets.
func holdsSecrets(name string) bool {
	switch name {
	case "env", "envs", "environment", "headers", "http_headers", "httpHeaders", "secrets", "credentials":
		return true
	}
	return false
}

func mask(value string) string {
	if value == "" {
		return ""
	}
	return Mask
}

// Configuration is [Text] of lines of a configuration, where spaces may stand around an equals sign, as in
// a comment that a parser leaves out: "# api_key = x".
func Configuration(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = replaceNamed(spacedPair(), line)
	}
	return Text(strings.Join(lines, "\n"))
}

// # api_key = x, "X-Api-Key" = "x"
var spacedPair = lazily(`([A-Za-z_][A-Za-z0-9_.\-]*)["']?\s*=\s*` + value)
