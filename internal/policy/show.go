package policy

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// showHead is what stands above a policy that is shown.
const showHead = `# What holds, and where each line comes from. The first rule that matches
# decides: rules that a file adds stand before the built-in ones, rules that it
# changes stay in their place.
`

// Show is the policy in force as YAML, with the origin of each line behind it.
// Loading it again gives the same policy.
func (p *Policy) Show() []byte {
	if p.tree == nil {
		return nil
	}
	var s shower
	for _, key := range Keys() {
		if key.Name == "extends" { // what it brought in is shown
			continue
		}
		if n := p.tree.get(key.Name); n != nil && !n.isNull() && (n.kind == scalarNode || len(n.items)+len(n.fields) > 0) {
			s.field(0, key.Name, n)
		}
	}
	return append([]byte(showHead), s.text()...)
}

// shower collects lines and their origins.
type shower struct {
	lines []shownLine
}

type shownLine struct {
	text   string
	origin string // empty where the line says nothing of its own
}

func (s *shower) add(indent int, text, origin string) {
	s.lines = append(s.lines, shownLine{strings.Repeat("  ", indent) + text, origin})
}

func (s *shower) field(indent int, key string, n *node) {
	switch {
	case n.kind == mappingNode:
		s.add(indent, key+":", "")
		s.fields(indent+1, n)
	case n.kind == listNode && len(n.items) > 0 && n.items[0].kind == mappingNode:
		s.add(indent, key+":", "")
		for _, item := range n.items {
			s.item(indent+1, item)
		}
	default:
		s.add(indent, key+": "+inline(n), n.at.String())
	}
}

// item writes one entry of a list of mappings, with a dash on its first line.
func (s *shower) item(indent int, n *node) {
	first := len(s.lines)
	s.fields(indent+1, n)
	if first < len(s.lines) {
		dash := strings.Repeat("  ", indent) + "- "
		s.lines[first].text = dash + strings.TrimLeft(s.lines[first].text, " ")
	}
}

func (s *shower) fields(indent int, n *node) {
	order := slices.Concat(protectKeys(&Protect{}).names(), ruleKeys(&Rule{}).names())
	sorted := slices.Clone(n.fields)
	slices.SortStableFunc(sorted, func(a, b field) int { return rank(order, a.key) - rank(order, b.key) })
	for _, f := range sorted {
		s.field(indent, plain(f.key), f.value)
	}
}

func rank(order []string, key string) int {
	if at := slices.Index(order, key); at >= 0 {
		return at
	}
	return len(order)
}

// text is all lines, with the origins in a column of their own if there is room.
func (s *shower) text() []byte {
	const widest = 60
	column := 0
	for _, line := range s.lines {
		if width := utf8.RuneCountInString(line.text); line.origin != "" && width <= widest {
			column = max(column, width)
		}
	}
	var b bytes.Buffer
	for _, line := range s.lines {
		b.WriteString(line.text)
		if line.origin != "" {
			b.WriteString(strings.Repeat(" ", max(0, column-utf8.RuneCountInString(line.text))))
			b.WriteString("  # " + strings.Join(strings.Fields(line.origin), " "))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// inline is a scalar or a list of scalars on one line.
func inline(n *node) string {
	if n.kind == scalarNode {
		if word := (yaml.Node{Kind: yaml.ScalarNode, Value: n.text}); n.tag != "!!str" && word.ShortTag() == n.tag {
			return n.text
		}
		return plain(n.text)
	}
	texts := make([]string, len(n.items))
	for i, item := range n.items {
		texts[i] = inline(item)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// plain writes a text so that YAML reads it back as text.
func plain(text string) string {
	word := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if plainWord.MatchString(text) && word.ShortTag() == "!!str" && !oldBoolean(text) {
		return text
	}
	word.Tag, word.Style = "!!str", yaml.DoubleQuotedStyle
	written, err := yaml.Marshal(&word)
	if err != nil {
		return `""`
	}
	return strings.TrimRight(string(written), "\n")
}

// oldBoolean reports a word that older YAML readers take for a boolean.
func oldBoolean(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}
