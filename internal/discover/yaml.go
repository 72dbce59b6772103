package discover

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads the first document of a file.
func parseYAML(data []byte) (Value, error) {
	if err := bounded(data); err != nil {
		return Value{}, err
	}
	var parsed yaml.Node
	if err := yaml.Unmarshal(data, &parsed); err != nil {
		return Value{}, yamlFault(err)
	}
	if len(parsed.Content) == 0 {
		return Value{}, nil
	}
	y := yamlReader{data: data, lines: lineStarts(data), anchors: map[*yaml.Node]Value{}}
	return y.value(parsed.Content[0]), nil
}

// yamlFault reads the place out of yaml's message, "yaml: line 3: …".
func yamlFault(err error) error {
	message := regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`).FindStringSubmatch(err.Error())
	if message == nil {
		return Faults{{Text: "not valid YAML"}}
	}
	line, _ := strconv.Atoi(message[1])
	return Faults{{Line: line, Text: unquoted("not valid YAML: " + message[2])}}
}

type yamlReader struct {
	data    []byte
	lines   []int // the position of each line
	anchors map[*yaml.Node]Value
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// at returns the position of a line and a column. Both count from 1; columns count
// characters.
func (y *yamlReader) at(line, column int) int {
	if line < 1 || line > len(y.lines) {
		return len(y.data)
	}
	at := y.lines[line-1]
	if line == 1 && bytes.HasPrefix(y.data, byteOrderMark) {
		at = len(byteOrderMark)
	}
	for ; column > 1 && at < len(y.data); column-- {
		_, size := utf8.DecodeRune(y.data[at:])
		at += size
	}
	return at
}

func (y *yamlReader) value(node *yaml.Node) Value {
	v := Value{From: y.at(node.Line, node.Column), Block: node.Style&yaml.FlowStyle == 0}
	v.Fixed = node.Anchor != "" || node.Kind == yaml.AliasNode || node.Style&yaml.TaggedStyle != 0
	switch node.Kind {
	case yaml.AliasNode:
		if anchored, known := y.anchors[node.Alias]; known { // unless it stands in what it is of
			v.alias = &anchored
		}
	case yaml.ScalarNode:
		y.scalar(node, &v)
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range node.Content {
			v.Items = append(v.Items, y.value(item))
		}
	case yaml.MappingNode:
		v.Kind = Table
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			from := y.at(key.Line, key.Column)
			v.Fields = append(v.Fields, Field{Key: key.Value, From: from, Last: from, Value: y.value(node.Content[i+1])})
		}
	}
	if node.Anchor != "" {
		y.anchors[node] = v
	}
	return v
}

// scalar finds the end of a scalar and sets fixed if the scalar takes several lines.
func (y *yamlReader) scalar(node *yaml.Node, v *Value) {
	if node.ShortTag() == "!!null" {
		return
	}
	v.Kind, v.Text = Word, node.Value
	rest := string(y.data[min(v.From, len(y.data)):])
	line, _, _ := strings.Cut(rest, "\n")
	length := 0
	switch {
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case node.Style&yaml.DoubleQuotedStyle != 0:
		length = doubleQuoted(line)
	case node.Style&yaml.SingleQuotedStyle != 0:
		length = singleQuoted(line)
	case strings.HasPrefix(line, node.Value):
		length = len(node.Value)
	}
	v.To, v.Fixed = v.From+length, v.Fixed || length == 0
}

// doubleQuoted returns the length of a text in double quotes; 0 if it does not end in
// this line.
func doubleQuoted(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// singleQuoted returns the length of a text in single quotes. Inside, two quotes mean
// one.
func singleQuoted(line string) int {
	for i := 1; i < len(line); i++ {
		if line[i] != '\'' {
			continue
		}
		if i++; i == len(line) || line[i] != '\'' {
			return i
		}
	}
	return 0
}
