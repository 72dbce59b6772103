package wrap

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/redact"
)

// The comments of each language, and in front of them the quoted texts, in which there are none. YAML quotes
// a text only where it begins one.
var (
	jsonComments = lazily(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|//[^\n\r]*|(?s:/\*.*?\*/)`)
	tomlComments = lazily(`(?s:""".*?"""|'''.*?''')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n\r]*`)
	yamlComments = lazily(`(?m)(?:^|[ \t:,\[{-])"(?:[^"\\]|\\.)*"|(?:^|[ \t:,\[{-])'[^']*'|(?:^|[ \t])#[^\n\r]*`)
	// prose is a comment in which no value can stand.
	prose = lazily(`^(?:#+|//+)?[ \t]*(?:[A-Za-z][A-Za-z']{0,15}[,.;!?()]*[ \t]*)*$`)
)

// lazily compiles a pattern when it is first asked for: every command of this program would spend the time.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// hiddenComments replace the comments of a file but for plain words: what a person has switched off or kept for
// later stands there as it was, and no parser tells of what it is the value.
func hiddenComments(data []byte, format catalogue.Format) (masks []edit) {
	pattern := jsonComments
	switch format {
	case catalogue.TOML:
		pattern = tomlComments
	case catalogue.YAML:
		pattern = yamlComments
	case catalogue.JSON:
	}
	for _, at := range pattern().FindAllIndex(data, -1) {
		found := data[at[0]:at[1]]
		comment := bytes.TrimLeft(found, " \t")
		from := at[1] - len(comment)
		switch {
		case bytes.HasPrefix(comment, []byte("/*")):
			lines := bytes.Repeat([]byte("\n"), bytes.Count(comment, []byte("\n")))
			masks = append(masks, edit{from, at[1], "/* " + redact.Mask + string(lines) + " */"})
		case !bytes.HasPrefix(comment, []byte("#")) && !bytes.HasPrefix(comment, []byte("//")) || prose().Match(comment):
		default:
			sign := comment[:len(comment)-len(bytes.TrimLeft(comment, "#/"))]
			masks = append(masks, edit{from, at[1], string(sign) + " " + redact.Mask})
		}
	}
	return masks
}
