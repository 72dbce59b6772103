package wrap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/discover"
)

// edit replaces the bytes [from, to) by text.
type edit struct {
	from, to int
	text     string
}

// document is a file of a client.
type document struct {
	data    []byte
	config  discover.Config
	entries []entry
}

// is reports whether the file is written in that language.
func (d document) is(language string) bool { return d.config.Language() == language }

var byteOrderMark = []byte("\xef\xbb\xbf")

// apply makes all edits at once. They must not overlap.
func apply(data []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(data[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(data[at:])
	return out.Bytes()
}

// quote writes a word as a JSON string, which is also valid in TOML, YAML and JSON5.
func quote(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(out.String(), "\n")
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, text := range words {
		out[i] = quote(text)
	}
	return out
}

// wrap makes the edits that put `reaperd exec` in front of an entry's command.
func (d document) wrap(e entry, program string) []edit {
	before := prefix(program, e.Name)
	command := e.command.Value
	if command.Kind == discover.List {
		return []edit{d.insert(command, before)}
	}
	own := []string{command.Text}
	if e.wide {
		own = e.Words
	}
	edits := []edit{{command.From, command.To, quote(program)}}
	words := append(before[1:], own...)
	if e.arguments.Key == "" {
		return append(edits, d.addArguments(e.command, words))
	}
	return append(edits, d.insert(e.arguments.Value, words))
}

// insert puts words before the first item of a list, in that list's layout.
func (d document) insert(l discover.Value, words []string) edit {
	texts := quoted(words)
	switch {
	case l.Block && len(l.Items) > 0 && d.is("YAML"):
		return d.insertLines(l, texts)
	case len(l.Items) == 0:
		return edit{l.From + 1, l.From + 1, strings.Join(texts, ", ")}
	}
	first := l.Items[0].From
	between := ", "
	if blank := d.blankBefore(first); strings.Contains(blank, "\n") {
		between = "," + blank
	}
	return edit{first, first, strings.Join(texts, between) + between}
}

// insertLines puts words on lines of their own before the first dash of a list.
func (d document) insertLines(l discover.Value, texts []string) edit {
	dash := d.dashBefore(l.Items[0].From)
	indent := d.lineEnd() + d.indentOf(dash)
	var lines strings.Builder
	for _, text := range texts {
		lines.WriteString("- " + text + indent)
	}
	return edit{dash, dash, lines.String()}
}

// addArguments adds a list of arguments to a command without one.
func (d document) addArguments(command discover.Field, words []string) edit {
	items := "[" + strings.Join(quoted(words), ", ") + "]"
	at := command.Value.To
	switch {
	case d.is("JSON"):
		blank := d.blankBefore(command.From)
		if blank == "" {
			blank = " "
		}
		return edit{at, at, "," + blank + `"args": ` + items}
	case d.isInline(command):
		return edit{at, at, ", " + d.argumentsKey(command) + items}
	}
	end := at + bytes.IndexByte(append(bytes.Clone(d.data[at:]), '\n'), '\n')
	if end > at && d.data[end-1] == '\r' {
		end--
	}
	return edit{end, end, d.lineEnd() + d.indentOf(command.From) + d.argumentsKey(command) + items}
}

// isInline reports whether a field is between braces, where a line break does not end it.
func (d document) isInline(f discover.Field) bool {
	line := d.data[d.lineStart(f.From):f.From]
	return bytes.ContainsAny(line, "{,")
}

// argumentsKey is the key of the list, with the text between it and the value.
func (d document) argumentsKey(command discover.Field) string {
	if d.is("YAML") {
		return "args: "
	}
	return string(d.data[command.From:command.Last]) + "args = "
}

// unwrap makes the edits that take `reaperd exec` away.
func (d document) unwrap(e entry) []edit {
	at := inner(e.Words)
	if at < 0 {
		return nil
	}
	if command := e.command.Value; command.Kind == discover.List {
		return []edit{d.remove(command, at)}
	}
	if e.wide {
		return []edit{{e.command.Value.From, e.command.Value.To, quote(strings.Join(e.Words[at:], " "))}}
	}
	return []edit{
		{e.command.Value.From, e.command.Value.To, quote(e.Words[at])},
		d.remove(e.arguments.Value, at), // the words in front of the command, and the command, which moves to its own field
	}
}

// remove deletes the first items of a list.
func (d document) remove(l discover.Value, count int) edit {
	from := func(item discover.Value) int {
		if l.Block && d.is("YAML") {
			return d.dashBefore(item.From)
		}
		return item.From
	}
	if count < len(l.Items) {
		return edit{from(l.Items[0]), from(l.Items[count]), ""}
	}
	return edit{from(l.Items[0]), l.Items[len(l.Items)-1].To, ""}
}

// blankBefore is the white space right before a position.
func (d document) blankBefore(at int) string {
	start := at
	for start > 0 && strings.IndexByte(" \t\r\n", d.data[start-1]) >= 0 {
		start--
	}
	return string(d.data[start:at])
}

// dashBefore returns the position of the dash in front of an item of a list.
func (d document) dashBefore(at int) int {
	return d.lineStart(at) + bytes.LastIndexByte(d.data[d.lineStart(at):at], '-')
}

func (d document) lineStart(at int) int { return 1 + bytes.LastIndexByte(d.data[:at], '\n') }

// indentOf returns white space as wide as the text before a position in its line.
func (d document) indentOf(at int) string {
	line := bytes.TrimPrefix(d.data[d.lineStart(at):at], byteOrderMark)
	return string(bytes.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line))
}

// lineEnd is the file's line ending.
func (d document) lineEnd() string {
	if at := bytes.IndexByte(d.data, '\n'); at > 0 && d.data[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
