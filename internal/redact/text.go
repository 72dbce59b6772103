package redact

import (
	"net/url"
	"regexp"
	"strings"
)

// Text is a text without its secrets: a shell line, a title, a log line.
func Text(s string) string {
	for range maxPasses {
		s = boundedText(s, maxBytes)
		clean := pass(s)
		if clean == s {
			return s
		}
		s = clean
	}
	return Mask
}

// pass masks the secrets that one reading finds.
func pass(s string) string {
	if !strings.ContainsAny(s, "=:@, %{[\"\n\t") { // a bare word is a secret by its shape only
		return replaceTokens(s)
	}
	return encoded().ReplaceAllStringFunc(literal(s), decodedSecret)
}

// literal is pass for text that is not percent-encoded.
func literal(s string) string {
	s = structured(s, "")
	s = privateKey().ReplaceAllString(s, "${1}"+Mask+"${2}")
	s = slashedUserInfo().ReplaceAllStringFunc(s, slashedCredentials)
	s = userInfo().ReplaceAllString(s, "${1}"+Mask+"@")
	s = webhook().ReplaceAllString(s, "${1}"+Mask)
	s = address().ReplaceAllStringFunc(s, opaqueSegments)
	s = replaceGroup(parameter(), 2, s, func(m []int) (string, bool) {
		return Mask, isSecretParameter(s[m[2]:m[3]], s[m[4]:m[5]])
	})
	s = cookie().ReplaceAllString(s, "${1}"+Mask)
	s = replaceGroup(header(), 1, s, unlessReferred(s))
	s = replaceGroup(bearer(), 1, s, unlessReferred(s))
	s = replaceNamed(headerLine(), s)
	s = envVariable().ReplaceAllString(s, "${1}${2}${3}${4}"+Mask)
	s = replaceGroup(userFlag(), 1, s, func(m []int) (string, bool) { return credentials(s[m[2]:m[3]]), true })
	s = larkSecret().ReplaceAllString(s, "${1}"+Mask)
	s = replaceNamed(fragment(), s)
	s = replaceNamed(pair(), s)
	s = replaceNamed(flag(), s)
	return replaceTokens(s)
}

// replaceNamed masks the second group of a pattern, a value, if the first, its name, is
// that of a secret.
func replaceNamed(pattern *regexp.Regexp, s string) string {
	return replaceGroup(pattern, 2, s, func(m []int) (string, bool) {
		name, value := s[m[2]:m[3]], s[m[4]:m[5]]
		return masked(value), isSecretName(name) && !isPlain(name, value)
	})
}

// replaceGroup replaces one group in each match of a pattern by the text that instead
// returns for the match's positions; false keeps it.
func replaceGroup(pattern *regexp.Regexp, group int, s string, instead func(match []int) (string, bool)) string {
	var b strings.Builder
	from := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		if text, replaced := instead(m); replaced {
			b.WriteString(s[from:m[2*group]])
			b.WriteString(text)
			from = m[2*group+1]
		}
	}
	return b.String() + s[from:]
}

// unlessReferred masks the first group of a pattern in a text, unless it is a reference to a variable.
func unlessReferred(s string) func(match []int) (string, bool) {
	return func(m []int) (string, bool) { return Mask, !reference().MatchString(s[m[2]:m[3]]) }
}

// maxDecoded is how many layers of percent-encoding are decoded.
const maxDecoded = 3

// decodedSecret masks a percent-encoded word that holds a secret once it is decoded.
func decodedSecret(text string) string {
	plain := text
	for range maxDecoded {
		next, err := url.QueryUnescape(plain)
		if err != nil || next == plain {
			break
		}
		if plain = next; literal(plain) != plain {
			return Mask
		}
	}
	return text
}

// slashedCredentials masks the credentials of an address whose password has a slash.
// Digits before the slash are a port in a web address.
func slashedCredentials(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	at := strings.LastIndexByte(rest, '@')
	_, password, _ := strings.Cut(rest[:at], ":")
	before, _, _ := strings.Cut(password, "/")
	if strings.Trim(before, "0123456789") == "" && (strings.HasPrefix(scheme, "http") || strings.HasPrefix(scheme, "ws")) {
		return text
	}
	return scheme + "://" + Mask + rest[at:]
}

// opaqueSegments masks the parts of an address's path that nobody would make up: some
// services use such addresses as keys.
func opaqueSegments(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	parts := strings.Split(rest, "/")
	for i, part := range parts[1:] {
		if len(part) >= minSegment && segment().MatchString(part) && changes(part) >= minChanges-1 {
			parts[i+1] = Mask
		}
	}
	return scheme + "://" + strings.Join(parts, "/")
}

// minSegment is the least length of a part of a path that is taken for a key.
const minSegment = 16

// isSecretParameter reports a parameter of an address whose value is a key: by names that are so short that they
// mean it only there, or by looks.
func isSecretParameter(name, value string) bool {
	if in("code ak sk appcode pw", strings.ToLower(name)) {
		return value != Mask
	}
	return len(value) >= minSegment && base64Word().MatchString(value) && !hexWord().MatchString(value) && changes(value) >= minChanges-1 && longRun().MatchString(value)
}

// isPlain reports values that are no secret under any name: an empty one, the mask, a
// reference to a variable, the path of a file that holds it.
func isPlain(name, value string) bool {
	value = strings.Trim(value, `"'`)
	return isScheme(value) || value == "" || value == Mask || strings.HasPrefix(value, "$") || secretValue(name, value) == value
}

// masked is the mask, in the quotes of the value.
func masked(value string) string {
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[:1] + Mask + value[:1]
	}
	return Mask
}

// replaceTokens masks tokens with an issuer's prefix. A word without a digit only
// begins like one, unless it is long and mixes capitals with small letters.
func replaceTokens(s string) string {
	if len(s) < 14 { // shorter than any of them
		return s
	}
	return replaceGroup(token(), 1, s, func(m []int) (string, bool) {
		word := s[m[2]:m[3]]
		return Mask, strings.ContainsAny(word, "0123456789") || len(word) >= minLetters && word != strings.ToLower(word) && word != strings.ToUpper(word)
	})
}

// minLetters is the least length of a token of letters alone, such as one of Hugging Face.
const minLetters = 24

const value = `("(?:[^"\\]|\\.)*"|'[^']*'|[^\s&;|"'<>)]+)`

var (
	// https://user:password@host, postgres://user@host
	userInfo = lazily(`([A-Za-z][A-Za-z0-9+.\-]*://)[^/\s@'"?#]+(?:@[^/\s@'"?#]+)*@`)
	// postgres://user:pass/word@host
	slashedUserInfo = lazily(`[A-Za-z][A-Za-z0-9+.\-]*://[^/\s@:'"?#]*:[^\s'"@?#]*/[^\s'"?#]*@`)
	// https://hooks.example.com/hooks/catch/123/abc
	webhook = lazily(`(?i)(://[^\s"'?#]*?(?:/(?:webhooks?|webhookb2|hooks?/catch|services|trigger/[^/\s"'?#]+/with/key)/|hooks?\.[^/\s"'?#]+/|telegram\.org/bot))[^\s"'?#*]+`)
	// ?ak=x, &code=x, #code=x
	parameter = lazily(`[?&#]([A-Za-z0-9_.\-]+)=([^&\s"'<>#]+)`)
	address   = lazily(`[A-Za-z][A-Za-z0-9+.\-]*://[^\s"'<>?#]+`)
	segment   = lazily(`^[A-Za-z0-9_\-]+$`)
	cookie    = lazily(`(?i)(\b(?:set-)?cookie:\s*)[^"'\n]+`)
	// %7B%22token%22%3A%22x%22%7D
	encoded = lazily(`[^\s=?&"']*%[0-9A-Fa-f]{2}[^\s&"']*`)
	// -u name:password
	userFlag = lazily(`(?:^|\s)(?:-u|-U|--user|--proxy-user)\s+([^\s:"']+:[^\s"']+)`)
	// lark-mcp mcp -a cli_x -s x
	larkSecret = lazily(`(lark-mcp\b[^\n]*?\s-s\s+)[^\s"']+`)
	// Authorization: Bearer x, authorization=Basic x
	header = lazily(`(?i)\bauthorization["'\\]*\s*[:=]\s*["'\\]*(?:(?:bearer|basic|token|digest|apikey)\s+)?((?:\$\{\w+\}|[^\s"'\\,;}])+)`)
	bearer = lazily(`(?i)\bbearer\s+((?:\$\{\w+\}|[^\s"'\\,;}])+)`)
	// X-Api-Key: x, as in --header
	headerLine = lazily(`(?:^|[\s"'])([A-Za-z][A-Za-z0-9_\-]*):\s*([^\s"'{\[,/\\][^\s"',}]*)`)
	// docker run -e NAME=x, whatever the name, with the quotes where a person puts them
	envVariable = lazily(`((?:^|\s)(?:-e|--env)[\s=]\s*)(?:("[A-Za-z_][A-Za-z0-9_]*=)[^"]+|('[A-Za-z_][A-Za-z0-9_]*=)[^']+|([A-Za-z_][A-Za-z0-9_]*=)(?:"[^"]*"|'[^']*'|[^\s"']+))`)
	// NAME=x, --name=x, ?name=x, &name=x, api_key = x, "X-Api-Key" = "x", environ["API_KEY"] = "x"
	pair = lazily(`([A-Za-z_][A-Za-z0-9_.\-]*)(?:["']\]?)?[ \t]*=[ \t]*` + value)
	// #name=x, also behind ?other=y, which pair takes with all that follows up to the next &
	fragment = lazily(`#([A-Za-z_][A-Za-z0-9_.\-]*)=` + value)
	// --name x, --name,x
	flag = lazily(`(?:^|[\s"',])--?([A-Za-z][A-Za-z0-9_\-]+)(?:\s+|,)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s\-"';&|][^\s"';&|]*)`)

	privateKey = lazily(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?`)

	// token knows issuers by their prefixes; gitleaks' list is what it is compared with.
	// gitleaks itself was measured as a library: of 13 shapes of secrets in command
	// lines it found one, because its rules expect source code. It takes 16 µs for a
	// short command line and 13 ms for 32 KiB, as this package does, 46 ms at the start
	// and 8.8 MB in the binary.
	token = lazily(`(?:^|[^A-Za-z0-9])((?:` + strings.Join([]string{
		`gh[pousr]_[A-Za-z0-9]{16,}`, `github_pat_[A-Za-z0-9_]{16,}`, // GitHub
		`gl(?:pat|ptt|rt|dt|cbt|oas|soat)-[A-Za-z0-9_\-]{16,}`,                                       // GitLab
		`sk-[A-Za-z0-9_\-]{12,}`, `[srpw]k_(?:live|test)_[A-Za-z0-9]{10,}`, `whsec_[A-Za-z0-9]{10,}`, // OpenAI, Anthropic, Stripe
		`ctx7sk-[A-Za-z0-9\-]{8,}`, `xox[abeoprs]-[A-Za-z0-9\-]{8,}`, `xapp-[A-Za-z0-9\-]{8,}`, // Context7, Slack
		`(?:AKIA|ASIA)[A-Z0-9]{16}`, `AIza[A-Za-z0-9_\-]{20,}`, `ya29\.[A-Za-z0-9_\-]{10,}`, // AWS, Google
		`npm_[A-Za-z0-9]{20,}`, `pypi-[A-Za-z0-9_\-]{20,}`, `dckr_(?:pat|oat)_[A-Za-z0-9_\-]{16,}`, // registries
		`hf_[A-Za-z0-9]{20,}`, `gsk_[A-Za-z0-9]{20,}`, `xai-[A-Za-z0-9]{20,}`, `pplx-[A-Za-z0-9]{20,}`, `r8_[A-Za-z0-9]{20,}`, // models
		`tvly-[A-Za-z0-9\-]{8,}`, `fc-[0-9a-f]{16,}`, `BSA[A-Za-z0-9_\-]{20,}`, // search
		`lin_(?:api|oauth)_[A-Za-z0-9]{16,}`, `ntn_[A-Za-z0-9]{20,}`, `secret_[A-Za-z0-9]{30,}`, `fig[dur]_[A-Za-z0-9_\-]{16,}`, // Linear, Notion, Figma
		`ATATT[A-Za-z0-9_\-=]{20,}`, `PMAK-[A-Za-z0-9\-]{20,}`, `shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}`, // Atlassian, Postman, Shopify
		`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, `[MNO][A-Za-z0-9_\-]{22,25}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}`, // Airtable, Discord
		`SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, `dop_v1_[a-f0-9]{32,}`, `glsa_[A-Za-z0-9_]{20,}`, `hv[sb]\.[A-Za-z0-9_\-]{16,}`, `sntry[su]_[A-Za-z0-9_\-=+/]{16,}`,
		`eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`, // a JSON Web Token
		`AGE-SECRET-KEY-1[A-Z0-9]{20,}`,
		`hooks\.slack\.com/services/[A-Za-z0-9/]{10,}`, `discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_\-]+`,
	}, "|") + `)[A-Za-z0-9_\-]*)`) // what is glued to a token may be another
)
