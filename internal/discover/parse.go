package discover

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// Fault is an error at one place of a file. It never quotes the file.
type Fault struct {
	Line int // 0 is unknown
	Text string
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.Text
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}

// Faults are all errors of a file. The rest of the file was read all the same.
type Faults []Fault

func (f Faults) Error() string {
	texts := make([]string, len(f))
	for i, fault := range f {
		texts[i] = fault.String()
	}
	return strings.Join(texts, "; ")
}

// Limits on the content that is taken from one file. YAML's aliases let a small file
// expand into a large document, so a limit on the file's size is not enough.
const (
	maxServers = 1000 // entries of one table
	maxArgs    = 256
	maxWord    = 128 << 10 // bytes: the longest argument on Linux
	maxFaults  = 20
)

// parser reads the servers of one file. The error is of type Faults; servers that
// could be read are returned beside it. Folder is set only if the file itself names
// one.
type parser func(data []byte) ([]Server, error)

// readers read a whole file of each format.
var readers = [...]func([]byte) (value, error){
	catalogue.JSON: parseJSON, catalogue.JSON5: parseJSON5, catalogue.TOML: parseTOML, catalogue.YAML: parseYAML,
}

// parserOf reads the tables that a client's entry in the catalogue names.
func parserOf(config catalogue.Config) parser {
	return func(data []byte) ([]Server, error) {
		if config.Format == catalogue.JSON || config.Format == catalogue.JSON5 {
			data = pruned(bytes.TrimPrefix(data, []byte("\ufeff")), config.Tables)
		}
		doc, err := document(data, readers[config.Format])
		if err != nil {
			return nil, err
		}
		var found findings
		for _, table := range config.Tables {
			found.table(doc, table, config.File)
		}
		return found.result()
	}
}

// table reads the servers at one place of a file ([catalogue.Config]).
func (f *findings) table(doc value, table, file string) {
	if table == "." {
		name := path.Base(file)
		f.entry(member{strings.TrimSuffix(name, path.Ext(name)), doc}, "")
		return
	}
	folders, inside, perFolder := strings.Cut(table, "/*/")
	if !perFolder {
		f.servers(doc, "", strings.Split(table, "/"))
		return
	}
	for _, folder := range f.members(doc, strings.Split(folders, "/")...) {
		f.servers(folder.value, folder.key, strings.Split(inside, "/"))
	}
}

// document parses a whole file. An empty one holds nothing.
func document(data []byte, parse func([]byte) (value, error)) (value, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return plainValue{nil}, nil
	}
	return parse(data)
}

// findings collects servers and faults during the walk through a file.
type findings struct {
	found  []Server
	faults Faults
}

// result is the servers and faults; if there are too many, the first ones.
func (f *findings) result() ([]Server, error) {
	if len(f.faults) > 0 {
		return f.found, f.faults
	}
	return f.found, nil
}

func (f *findings) add(s Server) {
	if s.Name != "" {
		f.found = append(f.found, s)
	}
}

func (f *findings) fault(at value, text string) {
	if len(f.faults) < maxFaults {
		f.faults = append(f.faults, Fault{Line: at.line(), Text: text})
	}
}

// serverFault is a fault in one entry; its name may be of any length.
func (f *findings) serverFault(at value, name, text string) {
	f.fault(at, fmt.Sprintf("server %.80q: %s", name, text))
}

// members are the entries of the table at a path; empty if it is missing or null.
func (f *findings) members(doc value, path ...string) []member {
	at, ok := descend(doc, path)
	if !ok || at.null() {
		return nil
	}
	members, ok := at.table()
	if !ok {
		members, ok = f.named(at)
	}
	if !ok {
		f.fault(at, strings.Join(path, ".")+": want a table")
	}
	if len(members) > maxServers {
		f.fault(at, fmt.Sprintf("%s: %d entries, of which the first %d are used", strings.Join(path, "."), len(members), maxServers))
		members = members[:maxServers]
	}
	return members
}

// named are the entries of a list by their names. An entry without a name is no
// server (continue refers to others' servers that way).
func (f *findings) named(at value) (members []member, ok bool) {
	items, ok := at.list()
	for _, item := range items {
		fields, _ := item.table()
		name, named := lookup(fields, "name")
		if !named {
			continue
		}
		if key, isText := name.text(); isText {
			members = append(members, member{key, item})
		}
	}
	return members, ok
}

// descend goes down a path of keys.
func descend(at value, path []string) (value, bool) {
	for _, key := range path {
		members, _ := at.table()
		next, ok := lookup(members, key)
		if !ok {
			return nil, false
		}
		at = next
	}
	return at, true
}

// lookup is the last value of a key, as JSON readers take it.
func lookup(members []member, key string) (value, bool) {
	for _, m := range slices.Backward(members) {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// servers reads the table of servers at a path. folder is set if the file names one.
func (f *findings) servers(doc value, folder string, path []string) {
	for _, entry := range f.members(doc, path...) {
		f.entry(entry, folder)
	}
}

func (f *findings) entry(entry member, folder string) {
	if server, ok := f.server(entry.key, entry.value); ok {
		server.Folder = folder
		f.add(server)
	}
}

// server reads one entry. An entry without a command and a URL is no server: an
// editor's settings for an extension, a built-in. Neither is one with a fault: with
// half of its arguments it would be another server.
func (f *findings) server(name string, entry value) (Server, bool) {
	fields, ok := entry.table()
	if !ok {
		if !entry.null() {
			f.serverFault(entry, name, "want a table")
		}
		return Server{}, false
	}
	isOff := says(fields, "enabled", "false") || says(fields, "disabled", "true")
	if transport, nested := lookup(fields, "transport"); nested { // cline
		if inner, isTable := transport.table(); isTable {
			fields = inner
		}
	}
	faulty := false
	e := entryReader{fields: fields, fault: func(at value, text string) {
		faulty = true
		f.serverFault(at, name, text)
	}}
	words := append(e.command(), e.words("args")...)
	server := Server{Name: name, URL: e.url(), Disabled: isOff}
	if len(words) > 0 && words[0] != "" {
		server.Command, server.Args = words[0], words[1:]
	}
	return server, !faulty && (server.Command != "" || server.URL != "")
}

// says reports that a field has that text.
func says(fields []member, key, want string) bool {
	at, ok := lookup(fields, key)
	if !ok {
		return false
	}
	text, _ := at.text()
	return strings.EqualFold(text, want)
}

// entryReader reads the fields of one entry; it looks at no others.
type entryReader struct {
	fields []member
	fault  func(at value, text string)
}

// command is the program and the arguments before args: a string (command, or cmd in
// goose), a list (opencode), or a table of path and args (zed).
func (e entryReader) command() []string {
	key := "command"
	at, ok := lookup(e.fields, key)
	if !ok {
		key = "cmd"
		at, ok = lookup(e.fields, key)
	}
	if !ok || at.null() {
		return nil
	}
	if fields, isTable := at.table(); isTable {
		inner := entryReader{fields, e.fault}
		return append([]string{inner.text("path")}, inner.words("args")...)
	}
	if _, isList := at.list(); isList {
		return e.words(key)
	}
	if command := e.text(key); command != "" {
		return []string{command}
	}
	return nil
}

func (e entryReader) url() string {
	for _, key := range []string{"url", "httpUrl", "uri", "serverUrl", "baseUrl"} {
		if address := e.text(key); address != "" {
			return address
		}
	}
	return ""
}

// text is a scalar field; "" if it is missing or null.
func (e entryReader) text(key string) string {
	at, ok := lookup(e.fields, key)
	if !ok || at.null() {
		return ""
	}
	text, ok := at.text()
	if !ok || len(text) > maxWord {
		e.fault(at, key+": want text that fits on a command line")
		return ""
	}
	return text
}

// words is a field that is a list of scalars.
func (e entryReader) words(key string) []string {
	at, ok := lookup(e.fields, key)
	if !ok || at.null() {
		return nil
	}
	items, ok := at.list()
	if !ok || len(items) > maxArgs {
		e.fault(at, fmt.Sprintf("%s: want a list of at most %d words", key, maxArgs))
		return nil
	}
	words := make([]string, 0, len(items))
	for _, item := range items {
		word, ok := item.text()
		if !ok || len(word) > maxWord {
			e.fault(item, key+": want a list of text that fits on a command line")
			return nil
		}
		words = append(words, word)
	}
	return words
}
