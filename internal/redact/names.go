package redact

import (
	"slices"
	"strings"
)

// isSecretName reports that the value under this name is a secret: the name of a flag
// with or without its dashes, a variable, a header, a label or a JSON member.
func isSecretName(name string) bool {
	tables := strings.Split(name, ".")
	if slices.ContainsFunc(tables[:len(tables)-1], holdsSecrets) { // servers.x.env.NAME
		return true
	}
	words := nameWords(name)
	if len(words) == 0 || in(switches, words[0]) || in(abouts, words[len(words)-1]) {
		return false
	}
	before := ""
	return slices.ContainsFunc(words, func(word string) bool {
		is := isSecretWord(word) || isSecretPair(before, word)
		before = word
		return is
	})
}

// nameWords splits a name at dashes, underscores, dots and capitals: apiKey, API_KEY
// and api-key are the same two words.
func nameWords(name string) []string {
	var spaced strings.Builder
	lower := false
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && lower {
			spaced.WriteByte(' ')
		}
		lower = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if r == '-' || r == '_' || r == '.' || r == '/' || r == ':' {
			r = ' '
		}
		spaced.WriteRune(r)
	}
	return strings.Fields(strings.ToLower(spaced.String()))
}

// switches are first words of flags without a value, and abouts last words of names that are about a secret and not its own.
const (
	switches = "no disable enable skip allow without require show print max min"
	abouts   = "file files path paths dir directory folder name names type mode method limit count length size ttl expiry timeout provider scope scopes " +
		"host port enabled required format prefix header env algorithm version store backend issuer audience policy url uri endpoint server"
)

// in reports one of the words of a list.
func in(list, word string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

func isSecretWord(word string) bool {
	const secrets = "token secret secrets password passwd passphrase passcode pwd pass pat credential credentials creds auth authorization bearer " +
		"apikey dsn jwt signature sig cookie cookies accesskey appkey mnemonic secretkey privatekey authkey webhook otp totp mfa passkey pw"
	return in(secrets, word) || !in("bypass compass", word) && secretEnding().MatchString(word)
}

var secretEnding = lazily(`(?:pass|pwd|token|password|apikey|secret)$`)

// isSecretPair reports words that name a secret only together, and "key" behind any
// word but those of keys that are looked up or shown.
func isSecretPair(before, word string) bool {
	switch word {
	case "key":
		return !in("public primary foreign sort partition cache hot idempotency routing group", before)
	case "string", "str":
		return in("connection conn", before)
	case "phrase":
		return in("pass seed", before)
	}
	return word == "word" && before == "pass"
}
