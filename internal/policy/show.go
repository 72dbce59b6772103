package policy

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd/internal/human"
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
	shown := &node{kind: mappingNode}
	for _, key := range Keys() {
		if n := p.tree.get(key.Name); n != nil && key.Name != "extends" && (n.kind == scalarNode || len(n.items)+len(n.fields) > 0) { // what it extends is shown
			shown.fields = append(shown.fields, field{key: key.Name, value: n})
		}
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(shown.yaml()); err != nil {
		return nil
	}
	return append([]byte(showHead), aligned(b.String())...)
}

// yaml is the node for the YAML library, with the origin of each line as its comment.
func (n *node) yaml() *yaml.Node {
	origin := strings.Join(strings.Fields(n.at.String()), " ")
	switch n.kind {
	case listNode:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range n.items {
			list.Content = append(list.Content, item.yaml())
			if item.kind == scalarNode {
				list.Style, list.LineComment, list.Content[len(list.Content)-1].LineComment = yaml.FlowStyle, origin, ""
			}
		}
		return list
	case mappingNode:
		mapping := &yaml.Node{Kind: yaml.MappingNode}
		order := slices.Concat(protectKeys(&Protect{}).names(), ruleKeys(&Rule{}).names())
		fields := slices.Clone(n.fields)
		slices.SortStableFunc(fields, func(a, b field) int { return rank(order, a.key) - rank(order, b.key) })
		for _, f := range fields {
			mapping.Content = append(mapping.Content, scalar("!!str", f.key), f.value.yaml())
		}
		return mapping
	}
	value := scalar(n.tag, n.text)
	value.LineComment = origin
	return value
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// scalar is a word, in quotes where a reader of YAML could stumble.
func scalar(tag, text string) *yaml.Node {
	word := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
	if tag == "!!str" && !plainWord.MatchString(text) {
		word.Style = yaml.DoubleQuotedStyle
	}
	return word
}

func rank(order []string, key string) int {
	if at := slices.Index(order, key); at >= 0 {
		return at
	}
	return len(order)
}

// aligned is YAML with its comments in a column of their own, if there is room.
func aligned(text string) string {
	const widest, mark = 60, " # "
	lines := strings.SplitAfter(text, "\n")
	column := 0
	for _, line := range lines {
		if at := strings.LastIndex(line, mark); at >= 0 && utf8.RuneCountInString(line[:at]) <= widest {
			column = max(column, utf8.RuneCountInString(line[:at]))
		}
	}
	for i, line := range lines {
		if at := strings.LastIndex(line, mark); at >= 0 {
			lines[i] = human.Left(line[:at], column) + " " + line[at:]
		}
	}
	return strings.Join(lines, "")
}
