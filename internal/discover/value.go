package discover

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"github.com/titanous/json5"
	"go.yaml.in/yaml/v3"
)

// value is a parsed value of any format. The walk only descends to what it needs, so
// it never touches a secret beside it.
type value interface {
	// text is a string, a number or a boolean in the form of a command line's
	// argument.
	text() (string, bool)
	list() ([]value, bool)
	// table is in the file's order if that is known, else sorted.
	table() ([]member, bool)
	null() bool
	// line is the line in the file; 0 is unknown.
	line() int
}

type member struct {
	key   string
	value value
}

// Limits on the memory that reading one file may take: each value takes a hundred bytes
// or more, and each level of nesting takes stack.
const (
	maxValues   = 100_000
	maxNesting  = 256
	maxOpenings = 20_000 // brackets in formats whose strings are not skipped
	maxAliased  = 20_000 // entries that YAML's aliases may stand for
)

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(data []byte) (value, error) {
	if err := bounded(data, nesting(data), maxNesting); err != nil {
		return nil, err
	}
	parsed, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonFault(err)
	}
	return jsonValue{&parsed, data}, nil
}

// parseJSON5 reads JSON5. The library reports positions only with errors. It takes
// any slash behind a star for the end of a comment, so comments are blanked first. It
// is old, and panics are caught.
func parseJSON5(data []byte) (parsed value, err error) {
	data = withoutComments(data)
	if err := bounded(data, nesting(data), maxNesting); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			parsed, err = nil, Faults{{Text: "not valid JSON5"}}
		}
	}()
	return decodeJSON5(data)
}

func decodeJSON5(data []byte) (value, error) {
	var parsed any
	err := json5.Unmarshal(data, &parsed)
	var syntax *json5.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, Faults{{Line: lineAt(data, int(syntax.Offset)-1), Text: unquoted("not valid JSON5: " + syntax.Error())}}
	case err != nil:
		return nil, Faults{{Text: "not valid JSON5"}}
	}
	return plainValue{parsed}, nil
}

// parseTOML reads TOML. The library reports positions only with errors, whose text
// may quote the file and is dropped.
func parseTOML(data []byte) (value, error) {
	if err := bounded(data, openings(data), maxOpenings); err != nil {
		return nil, err
	}
	var parsed map[string]any
	err := toml.Unmarshal(data, &parsed)
	var syntax *toml.DecodeError
	switch {
	case errors.As(err, &syntax):
		line, column := syntax.Position()
		return nil, Faults{{Line: line, Text: fmt.Sprintf("not valid TOML at column %d", column)}}
	case err != nil:
		return nil, Faults{{Text: "not valid TOML"}}
	}
	return plainValue{parsed}, nil
}

// parseYAML reads the first document of a YAML file.
func parseYAML(data []byte) (value, error) {
	if err := bounded(data, openings(data), maxOpenings); err != nil {
		return nil, err
	}
	if lines := bytes.Count(data, []byte("\n")); lines > maxValues {
		return nil, Faults{{Text: "too many lines"}}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, yamlFault(err)
	}
	if len(document.Content) == 0 {
		return plainValue{nil}, nil
	}
	return yamlValue{document.Content[0]}, nil
}

// bounded refuses a file that would cost more to read than any configuration is
// worth.
func bounded(data []byte, depth, deepest int) error {
	if depth > deepest {
		return Faults{{Text: "nested too deeply"}}
	}
	if bytes.Count(data, []byte(","))+openings(data) > maxValues {
		return Faults{{Text: "too many values"}}
	}
	return nil
}

func openings(data []byte) int {
	return bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{"))
}

// nesting is the depth of the brackets in JSON or JSON5, outside strings and
// comments. In malformed text it is right up to the first fault, where the parsers
// stop.
func nesting(data []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		case '"', '\'':
			i = stringEnd(data, i)
		case '/':
			i = commentEnd(data, i, "\n")
		}
	}
	return deepest
}

// withoutComments is JSON5 with comments replaced by blanks. Line numbers stay the
// same.
func withoutComments(data []byte) []byte {
	data = bytes.Clone(data)
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"', '\'':
			i = stringEnd(data, i)
		case '/':
			end := commentEnd(data, i, "\n\r\u2028\u2029")
			blank(data[i:min(end+1, len(data))])
			i = end
		}
	}
	return data
}

// blank overwrites a comment. A lone slash is none.
func blank(comment []byte) {
	if len(comment) < 2 {
		return
	}
	for i, c := range comment {
		if c != '\n' {
			comment[i] = ' '
		}
	}
}

// stringEnd is the index of the quote that closes the string opened at i.
func stringEnd(data []byte, i int) int {
	quote := data[i]
	for i++; i < len(data) && data[i] != quote; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// commentEnd is the index of the last byte of the comment that starts at i, or
// i where none does. A line comment ends before any of the given characters.
func commentEnd(data []byte, i int, lineEnds string) int {
	rest := data[i:]
	end := 1
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexAny(rest, lineEnds)
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 4
		}
	}
	if end < 0 {
		return len(data)
	}
	return i + end - 1
}

// lineAt is the line, from 1, of the byte at offset.
func lineAt(data []byte, offset int) int {
	offset = min(max(offset, 0), len(data))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

// unquoted cuts a library's message where it begins to quote the file, since the
// quote may be a secret.
func unquoted(message string) string {
	if quote := strings.IndexAny(message, "\"'`"); quote >= 0 {
		message = message[:quote]
	}
	return strings.TrimRight(message, " :(")
}

// jsonFault reads the place out of hujson's message, "hujson: line 3, column 5: …":
// its errors have no fields.
func jsonFault(err error) error {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		return Faults{{Text: "not valid JSON"}}
	}
	return Faults{{Line: line, Text: fmt.Sprintf("not valid JSON at column %d", column)}}
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

type jsonValue struct {
	node *hujson.Value
	data []byte
}

func (v jsonValue) text() (string, bool) {
	literal, ok := v.node.Value.(hujson.Literal)
	switch {
	case !ok || literal.Kind() == 'n':
		return "", false
	case literal.Kind() == '"':
		return literal.String(), true
	}
	return string(literal), true
}

func (v jsonValue) list() ([]value, bool) {
	array, ok := v.node.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	items := make([]value, len(array.Elements))
	for i := range array.Elements {
		items[i] = jsonValue{&array.Elements[i], v.data}
	}
	return items, true
}

func (v jsonValue) table() ([]member, bool) {
	object, ok := v.node.Value.(*hujson.Object)
	if !ok {
		return nil, false
	}
	members := make([]member, len(object.Members))
	for i := range object.Members {
		name, _ := object.Members[i].Name.Value.(hujson.Literal)
		members[i] = member{name.String(), jsonValue{&object.Members[i].Value, v.data}}
	}
	return members, true
}

func (v jsonValue) null() bool {
	literal, ok := v.node.Value.(hujson.Literal)
	return ok && literal.Kind() == 'n'
}

func (v jsonValue) line() int { return lineAt(v.data, v.node.StartOffset) }

type yamlValue struct{ node *yaml.Node }

// target follows an alias. An alias of an alias does not exist.
func (v yamlValue) target() *yaml.Node {
	if v.node.Kind == yaml.AliasNode && v.node.Alias != nil {
		return v.node.Alias
	}
	return v.node
}

func (v yamlValue) text() (string, bool) {
	node := v.target()
	return node.Value, node.Kind == yaml.ScalarNode && !v.null()
}

func (v yamlValue) list() ([]value, bool) {
	node := v.target()
	if node.Kind != yaml.SequenceNode || len(node.Content) > maxAliased {
		return nil, false
	}
	items := make([]value, len(node.Content))
	for i, item := range node.Content {
		items[i] = yamlValue{item}
	}
	return items, true
}

func (v yamlValue) table() ([]member, bool) {
	node := v.target()
	if node.Kind != yaml.MappingNode || len(node.Content) > maxAliased {
		return nil, false
	}
	members := make([]member, 0, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		members = append(members, member{node.Content[i].Value, yamlValue{node.Content[i+1]}})
	}
	return members, true
}

func (v yamlValue) null() bool {
	node := v.target()
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func (v yamlValue) line() int { return v.node.Line }

// plainValue is a value of a library without a syntax tree.
type plainValue struct{ any }

func (v plainValue) text() (string, bool) {
	switch scalar := v.any.(type) {
	case string:
		return scalar, true
	case float64:
		return strconv.FormatFloat(scalar, 'f', -1, 64), true
	case int64, bool:
		return fmt.Sprint(scalar), true
	}
	return "", false
}

func (v plainValue) list() ([]value, bool) {
	var items []value
	switch array := v.any.(type) {
	case []any:
		for _, item := range array {
			items = append(items, plainValue{item})
		}
	case []map[string]any:
		for _, item := range array {
			items = append(items, plainValue{item})
		}
	default:
		return nil, false
	}
	return items, true
}

func (v plainValue) table() ([]member, bool) {
	object, ok := v.any.(map[string]any)
	if !ok {
		return nil, false
	}
	members := make([]member, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		members = append(members, member{key, plainValue{object[key]}})
	}
	return members, true
}

func (v plainValue) null() bool { return v.any == nil }

func (v plainValue) line() int { return 0 }
