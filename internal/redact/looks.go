package redact

import (
	"strings"
	"unicode"
)

// Name is a name that somebody chose, of a container or a server, without what
// looks like a token in it.
func Name(name string) string {
	if isMixed(name) {
		return Mask
	}
	return replaceTokens(name)
}

// opensHeader recognises the name of a header with a secret, and a scheme, as an
// argument of its own: the next argument is the value.
func opensHeader(arg string) bool {
	if strings.EqualFold(arg, "bearer") || strings.HasSuffix(strings.ToLower(arg), " bearer") {
		return true
	}
	name, ok := strings.CutSuffix(arg, ":")
	return ok && headerName().MatchString(name) && isSecretName(name)
}

// isScheme recognises what stands between the name of a header and its secret.
func isScheme(arg string) bool {
	switch strings.ToLower(arg) {
	case "bearer", "basic", "token", "digest", "apikey":
		return true
	}
	return false
}

// headerValue masks the value of a header that is an argument of its own.
func headerValue(arg string) string {
	if isScheme(arg) || arg == "" || reference().MatchString(arg) {
		return arg
	}
	return Mask
}

// isSwitchedOn recognises the next flag where a value was to stand.
func isSwitchedOn(arg string) bool { return strings.HasPrefix(arg, "--") }

// isUserFlag recognises flags whose value is NAME:PASSWORD.
func isUserFlag(flag string) bool {
	switch flag {
	case "-u", "-U", "--user", "--proxy-user", "--userpass", "--basic":
		return true
	}
	return false
}

// credentials masks the password of NAME:PASSWORD. Numbers are a user and a group.
func credentials(value string) string {
	name, password, ok := strings.Cut(value, ":")
	if !ok || password == "" || strings.Trim(password, "0123456789") == "" && strings.Trim(name, "0123456789") == "" ||
		strings.HasPrefix(password, "//") {
		return Text(value)
	}
	return name + ":" + Mask
}

// looksLikePassword tells what stands behind -p from ports, paths and packages.
func looksLikePassword(value string) bool {
	return value != "" && strings.Trim(value, "0123456789.:-") != "" && !strings.ContainsAny(value, "/@\\$=") &&
		!strings.HasSuffix(value, ".json") && !strings.HasSuffix(value, ".toml")
}

// isIDFlag recognises flags whose value identifies a thing.
func isIDFlag(name string) bool {
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "id", "ids", "name", "container", "cid", "cidfile", "digest", "sha", "sha256", "hash", "commit", "revision", "rev", "checksum", "integrity", "session", "resume":
		return true
	}
	return false
}

// isOpaque recognises an argument that is a secret by its looks.
func (l *line) isOpaque(arg string) bool {
	return !l.containers && longHex().MatchString(arg) || isMixed(arg)
}

// minMixed is how long a word of mixed letters and digits is at least to be taken
// for a key, minRun how long its longest part between dashes, and minChanges how
// often it changes between letters and digits.
const (
	minMixed   = 32
	minRun     = 16
	minChanges = 5
)

// isMixed recognises a word that nobody would make up: long, of letters and digits
// in turn, which is neither a number in base 16 nor a path.
func isMixed(word string) bool {
	if len(word) < minMixed || !base64Word().MatchString(word) || hexWord().MatchString(word) {
		return false
	}
	if strings.Contains(word, "/") && (len(word)%4 != 0 || !strings.ContainsAny(word, "+=")) {
		return false
	}
	return changes(word) >= minChanges && longestRun(word) >= minRun
}

// longestRun is the length of the longest part of a word between dashes and
// underscores.
func longestRun(word string) int {
	longest := 0
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' || r == '_' }) {
		longest = max(longest, len(part))
	}
	return longest
}

// changes counts how often a word changes between letters and digits.
func changes(word string) int {
	count, before := 0, rune(0)
	for _, r := range word {
		kind := kindOf(r)
		if kind != 0 && before != 0 && kind != before {
			count++
		}
		if kind != 0 {
			before = kind
		}
	}
	return count
}

// kindOf is 'a' for a letter, '0' for a digit, 0 for what stands between them.
func kindOf(r rune) rune {
	switch {
	case unicode.IsDigit(r):
		return '0'
	case unicode.IsLetter(r):
		return 'a'
	}
	return 0
}

var (
	headerName = lazily(`^[A-Za-z][A-Za-z0-9_\-]*$`)
	longHex    = lazily(`^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$`)
	hexWord    = lazily(`^[0-9a-fA-F\-]*$`) // UUIDs too
	base64Word = lazily(`^[A-Za-z0-9][A-Za-z0-9+/_\-]*={0,2}$`)
)
