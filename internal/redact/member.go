package redact

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
