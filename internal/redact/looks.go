package redact

import "strings"

// Name is the name of a container or server without parts that look like tokens.
func Name(name string) string {
	if isMixed(name) {
		return Mask
	}
	return replaceTokens(name)
}

// opensHeader reports an argument that is the name of a header with a secret, or an
// authorization scheme: the next argument is the secret.
func opensHeader(arg string) bool {
	if strings.EqualFold(arg, "bearer") || strings.HasSuffix(strings.ToLower(arg), " bearer") {
		return true
	}
	name, ok := strings.CutSuffix(arg, ":")
	return ok && headerName().MatchString(name) && isSecretName(name)
}

// isScheme reports a word between the name of a header and its secret.
func isScheme(arg string) bool { return in("bearer basic token digest apikey", strings.ToLower(arg)) }

// headerValue masks the value of a header in an argument of its own.
func headerValue(arg string) string {
	if isScheme(arg) || arg == "" || reference().MatchString(arg) {
		return arg
	}
	return Mask
}

// isSwitchedOn reports a flag in the place of a value: the flag before it was a
// switch.
func isSwitchedOn(arg string) bool { return strings.HasPrefix(arg, "--") }

// isUserFlag reports flags whose value is NAME:PASSWORD.
func isUserFlag(flag string) bool {
	return in("-u -U --user --proxy-user --userpass --basic", flag)
}

// credentials masks the password of NAME:PASSWORD. Two numbers are a user and a
// group, and no password.
func credentials(value string) string {
	name, password, ok := strings.Cut(value, ":")
	if !ok || password == "" || strings.Trim(password, "0123456789") == "" && strings.Trim(name, "0123456789") == "" ||
		strings.HasPrefix(password, "//") {
		return value
	}
	return name + ":" + Mask
}

// looksLikePassword tells a password behind -p from ports, paths and packages.
func looksLikePassword(value string) bool {
	return value != "" && strings.Trim(value, "0123456789.:-") != "" && !strings.ContainsAny(value, "/@\\$=") &&
		!strings.HasSuffix(value, ".json") && !strings.HasSuffix(value, ".toml")
}

// isIDFlag reports flags whose value identifies a thing.
func isIDFlag(name string) bool {
	words := nameWords(name)
	return len(words) > 0 && in("id ids name container cid cidfile digest sha sha256 hash commit revision rev checksum integrity session resume", words[len(words)-1])
}

// isOpaque reports an argument that is a secret by its looks.
func (l *line) isOpaque(arg string) bool {
	return !l.containers && longHex().MatchString(arg) || isMixed(arg)
}

// A word of mixed letters and digits is taken for a key if it has at least minMixed
// characters, a part between dashes of at least 16, and at least minChanges
// changes between letters and digits.
const (
	minMixed   = 32
	minChanges = 5
)

// isMixed reports a word that nobody would make up: long, with letters and digits in
// turn, and neither a hexadecimal number nor a path.
func isMixed(word string) bool {
	if len(word) < minMixed || !base64Word().MatchString(word) || hexWord().MatchString(word) {
		return false
	}
	if strings.Contains(word, "/") && (len(word)%4 != 0 || !strings.ContainsAny(word, "+=")) {
		return false
	}
	return changes(word) >= minChanges && longRun().MatchString(word)
}

// changes counts how often a word changes between letters and digits.
func changes(word string) int { return len(oneKind().FindAllString(word, -1)) - 1 }

var (
	oneKind    = lazily(`[A-Za-z][^0-9]*|[0-9][^A-Za-z]*`)
	longRun    = lazily(`[^_\-]{16}`)
	headerName = lazily(`^[A-Za-z][A-Za-z0-9_\-]*$`)
	longHex    = lazily(`^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$`)
	hexWord    = lazily(`^[0-9a-fA-F\-]*$`) // UUIDs too
	base64Word = lazily(`^[A-Za-z0-9][A-Za-z0-9+/_\-]*={0,2}$`)
)
