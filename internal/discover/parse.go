package discover

import (
	"fmt"
	"path"
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

// parserOf reads the tables that a client's entry in the catalogue names.
func parserOf(config catalogue.Config) parser {
	return func(data []byte) ([]Server, error) {
		found := findings{data: data}
		entries, err := found.entries(config)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if server, ok := found.server(e); ok && server.Name != "" {
				found.servers = append(found.servers, server)
			}
		}
		if len(found.faults) > 0 {
			return found.servers, found.faults
		}
		return found.servers, nil
	}
}

// Entry is one server of a file, with the places of the words that start it.
type Entry struct {
	Name     string
	Disabled bool
	// Command is a word or the whole list. URL, Command and Args are zero where the entry does not have them.
	URL, Command, Args Field
	// Fixed: it cannot be changed in place.
	Fixed  bool
	folder string
	at     Value
}

// Entries are the servers of a file as they stand there. The error is of type [Faults], of a file that is malformed as a
// whole.
func Entries(config Config, data []byte) ([]Entry, error) {
	found := findings{data: data}
	return found.entries(config.Config)
}

// findings collects servers and faults during the walk through a file. It only descends to what it needs, so it never
// touches a secret beside that.
type findings struct {
	data    []byte
	servers []Server
	faults  Faults
}

// entries reads the places of a file where its client has servers ([catalogue.Config]).
func (f *findings) entries(config catalogue.Config) (entries []Entry, err error) {
	root, err := parse(config, f.data)
	if err != nil {
		return nil, err
	}
	for _, table := range config.Tables {
		folders, inside, perFolder := strings.Cut(table, "/*/")
		switch {
		case table == ".":
			name := path.Base(config.File)
			entries = append(entries, entryOf(strings.TrimSuffix(name, path.Ext(name)), "", root))
		case perFolder:
			for _, folder := range f.members(root, folders) {
				entries = append(entries, f.inFolder(folder.Value, inside, folder.Key)...)
			}
		default:
			entries = append(entries, f.inFolder(root, table, "")...)
		}
	}
	return entries, nil
}

// inFolder are the entries of the table at a path, for sessions in a folder; "" is any.
func (f *findings) inFolder(root Value, table, folder string) (entries []Entry) {
	for _, member := range f.members(root, table) {
		entries = append(entries, entryOf(member.Key, folder, member.Value))
	}
	return entries
}

func (f *findings) fault(at Value, text string) {
	if len(f.faults) < maxFaults {
		f.faults = append(f.faults, Fault{Line: lineAt(f.data, at.From), Text: text})
	}
}

// members are the entries of the table at a path; empty if it is missing or null.
func (f *findings) members(at Value, path string) []Field {
	for _, key := range strings.Split(path, "/") {
		next, ok := at.target().Lookup(key)
		if !ok {
			return nil
		}
		at = next.Value
	}
	named := strings.ReplaceAll(path, "/", ".")
	table := at.target()
	members := table.Fields
	switch table.Kind {
	case List:
		members = namedItems(table)
	case Word:
		f.fault(at, named+": want a table")
	case Nothing, Table:
	}
	if len(members) > maxServers {
		f.fault(at, fmt.Sprintf("%s: %d entries, of which the first %d are used", named, len(members), maxServers))
		members = members[:maxServers]
	}
	return members
}

// namedItems are the entries of a list by their names. An entry without a name is no
// server (continue refers to others' servers that way).
func namedItems(list Value) (members []Field) {
	for _, item := range list.Items {
		if name, named := item.target().Lookup("name"); named && name.Value.target().Kind == Word {
			members = append(members, Field{Key: name.Value.target().Text, Value: item})
		}
	}
	return members
}

// entryOf finds the fields of an entry that say what is started, or spoken to.
func entryOf(name, folder string, at Value) Entry {
	table := at.target()
	e := Entry{Name: name, Fixed: at.Fixed, Disabled: says(table, "enabled", "false") || says(table, "disabled", "true"), folder: folder, at: at}
	if transport, nested := table.Lookup("transport"); nested && transport.Value.target().Kind == Table { // cline
		table = transport.Value.target()
	}
	for _, key := range []string{"url", "httpUrl", "uri", "serverUrl", "baseUrl"} {
		address, _ := table.Lookup(key)
		if at := address.Value.target(); e.URL.Key == "" && at.Kind != Nothing && (at.Kind != Word || at.Text != "") {
			e.URL = address
		}
	}
	var ok bool
	if e.Command, ok = table.Lookup("command"); !ok {
		e.Command, _ = table.Lookup("cmd") // goose
	}
	if inner := e.Command.Value.target(); inner.Kind == Table { // zed's older form
		e.Command, _ = inner.Lookup("path")
		table = inner
	}
	e.Args, _ = table.Lookup("args")
	return e
}

// says reports that a field has that text.
func says(table Value, key, want string) bool {
	field, _ := table.Lookup(key)
	return strings.EqualFold(field.Value.target().Text, want)
}

// server reads one entry. An entry without a command and a URL is no server: an
// editor's settings for an extension, a built-in. Neither is one with a fault: with
// half of its arguments it would be another server.
func (f *findings) server(e Entry) (Server, bool) {
	r := entryReader{findings: f, name: e.Name}
	if kind := e.at.target().Kind; kind != Table {
		if kind != Nothing {
			r.fault(e.at, "want a table")
		}
		return Server{}, false
	}
	words := append(r.words(e.Command, true), r.words(e.Args, false)...)
	server := Server{Name: e.Name, URL: r.text(e.URL), Disabled: e.Disabled, Folder: e.folder}
	if len(words) > 0 && words[0] != "" {
		server.Command, server.Args = words[0], words[1:]
	}
	return server, !r.faulty && (server.Command != "" || server.URL != "")
}

// entryReader reads the fields of one entry.
type entryReader struct {
	*findings
	name   string
	faulty bool
}

// fault is a fault in the entry; its name may be of any length.
func (r *entryReader) fault(at Value, text string) {
	r.faulty = true
	r.findings.fault(at, fmt.Sprintf("server %.80q: %s", r.name, text))
}

// text is a scalar field; "" if it is missing or null.
func (r *entryReader) text(f Field) string {
	at := f.Value.target()
	if at.Kind > Word || len(at.Text) > maxWord {
		r.fault(f.Value, f.Key+": want text that fits on a command line")
		return ""
	}
	return at.Text
}

// words is a field that is a list of scalars, or may be a single one.
func (r *entryReader) words(f Field, orOne bool) []string {
	list := f.Value.target()
	switch {
	case list.Kind == Nothing:
		return nil
	case orOne && list.Kind != List:
		return []string{r.text(f)}
	case list.Kind != List || len(list.Items) > maxArgs:
		r.fault(f.Value, fmt.Sprintf("%s: want a list of at most %d words", f.Key, maxArgs))
		return nil
	}
	words := make([]string, len(list.Items))
	for i, item := range list.Items {
		word := item.target()
		if word.Kind != Word || len(word.Text) > maxWord {
			r.fault(item, f.Key+": want a list of text that fits on a command line")
			return nil
		}
		words[i] = word.Text
	}
	return words
}
