package wrap

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/human"
)

// entryState says whether an entry is wrapped, and whether it can be.
type entryState uint8

// The states. The zero value is an entry with nothing to wrap: it has no command, or it
// has an address.
const (
	remote    entryState = iota // nothing to wrap: it is only spoken to, or reaperd's own
	unwrapped                   // starts a server directly
	wrapped                     // starts a server with reaperd exec
	unclear                     // cannot be changed in place
)

// entry is one server of a file.
type entry struct {
	Name  string
	State entryState
	// Words is the command line as the file has it. Those of an unclear entry may be missing, or split
	// otherwise than its client does.
	Words []string

	command   field // the word, or the whole list
	arguments field // a list; its key is empty if there is no list
	wide      bool  // the command is one text with spaces, without arguments
	// obstacle is why an unclear entry cannot be changed in place, and what to write instead.
	obstacle string
}

// The obstacles to changing an entry in place.
const (
	anchored    = "it has a YAML anchor, alias or tag; write it out"
	noCommand   = "its command is empty; name a program"
	oddCommand  = "its command is no text of one line without an anchor; write it as one"
	noList      = "its args are no list; write a list, or leave them out"
	oddArgument = "one of its args is no text of one line without an anchor; write each as one"
	oneText     = "it has its command line in one text, and not every client splits that the same way; write it as command and args"
)

// entries are the servers of a document, at the places that its client's catalogue
// entry names. Package discover reads the same places.
func (d document) entries() []entry {
	var found []entry
	for _, place := range d.config.Tables {
		if place == "." {
			name := path.Base(d.config.File)
			if server, ok := entryOf(strings.TrimSuffix(name, path.Ext(name)), d.root); ok {
				found = append(found, server)
			}
			continue
		}
		for _, servers := range descend(d.root, strings.Split(place, "/")) {
			found = append(found, entriesOf(servers)...)
		}
	}
	return found
}

func descend(v value, path []string) []value {
	if len(path) == 0 {
		return []value{v}
	}
	var found []value
	for _, f := range v.fields {
		if path[0] == "*" || path[0] == f.key {
			found = append(found, descend(f.value, path[1:])...)
		}
	}
	return found
}

// entriesOf reads a table of servers by name, or a list of servers with names.
func entriesOf(servers value) []entry {
	var found []entry
	for _, f := range servers.fields {
		if server, ok := entryOf(f.key, f.value); ok {
			found = append(found, server)
		}
	}
	for _, item := range servers.items {
		name, named := item.lookup("name")
		if server, ok := entryOf(name.value.text, item); ok && named {
			found = append(found, server)
		}
	}
	return found
}

// entryOf reads one server; false for an entry that starts nothing.
func entryOf(name string, v value) (entry, bool) {
	found := entry{Name: name}
	if v.kind == other && v.fixed { // an alias: its text belongs to another entry
		found.State, found.obstacle = unclear, anchored
		return found, true
	}
	if transport, ok := v.lookup("transport"); ok && transport.value.kind == table { // cline
		v = transport.value
	}
	for _, key := range []string{"url", "httpUrl", "uri", "serverUrl"} {
		if address, ok := v.lookup(key); ok && address.value.text != "" {
			return found, true
		}
	}
	command, ok := v.lookup("command")
	if !ok {
		command, ok = v.lookup("cmd")
	}
	if !ok || v.kind != table || command.value.kind == other {
		return found, false
	}
	if command.value.kind == table { // zed's older form
		v = command.value
		if command, ok = v.lookup("path"); !ok {
			return found, false
		}
	}
	found.command = command
	found.arguments, _ = v.lookup("args")
	found.read(v.fixed)
	return found, true
}

// read sets the words and the state.
func (e *entry) read(fixed bool) {
	e.State, e.obstacle = unclear, e.findObstacle(fixed)
	if e.obstacle != "" {
		return
	}
	words, clear := e.commandWords()
	more, _ := e.arguments.value.texts()
	e.Words = append(words, more...)
	switch {
	case isAnswerer(e.Words):
		e.State = remote
	case isWrapped(e.Words):
		e.State = wrapped
	case clear:
		e.State = unwrapped
	default:
		e.obstacle = oneText
	}
}

// findObstacle returns why the words of an entry cannot be replaced, whatever they are; "" if they can.
// fixed is that of the whole entry.
func (e *entry) findObstacle(fixed bool) string {
	command, arguments := e.command.value, e.arguments.value
	words := []string{command.text}
	isClear := !command.fixed
	if command.kind == list {
		words, isClear = command.texts()
	}
	_, areClear := arguments.texts()
	switch {
	case fixed:
		return anchored
	case !isClear:
		return oddCommand
	case len(words) == 0 || words[0] == "":
		return noCommand
	case e.arguments.key == "":
		return ""
	case arguments.fixed:
		return anchored
	case arguments.kind != list:
		return noList
	case !areClear:
		return oddArgument
	}
	return ""
}

// commandWords returns the words of the command field: a list, or one text. Clients split a
// text at spaces, unless it is a path; false if they may split it in different ways.
func (e *entry) commandWords() ([]string, bool) {
	if e.command.value.kind == list {
		return e.command.value.texts()
	}
	text := e.command.value.text
	words := strings.Fields(text)
	if len(e.arguments.value.items) > 0 || len(words) < 2 || isPath(words) {
		return []string{text}, true
	}
	e.wide = true
	return words, splitsOneWay(words)
}

// isPath reports that a text with spaces, in words, is the path of one program.
func isPath(words []string) bool {
	return path.IsAbs(words[0]) && isPlain(words) && !slices.ContainsFunc(words[1:], func(word string) bool {
		return path.IsAbs(word) || strings.HasPrefix(word, "-")
	})
}

// splitsOneWay reports that every client makes the same words of a text: a shell would read
// nothing in it, such as quotes or a variable, and nothing makes it the path of a program.
func splitsOneWay(words []string) bool {
	isAssignment := strings.Contains(words[0], "=")
	return isPlain(words) && !isAssignment && !path.IsAbs(words[0])
}

// isPlain reports words in which a shell reads nothing but the words.
func isPlain(words []string) bool { return human.Shell(words...) == strings.Join(words, " ") }

// isWrapped reports whether a command line starts with `reaperd exec`, with any path of
// reaperd.
func isWrapped(words []string) bool {
	return len(words) > 1 && path.Base(words[0]) == "reaperd" && words[1] == "exec"
}

// isAnswerer reports reaperd's own server, which ends with its input.
func isAnswerer(words []string) bool {
	return len(words) > 1 && path.Base(words[0]) == "reaperd" && words[1] == "mcp"
}

// inner is the index of the command that `reaperd exec` runs; -1 if there is none.
func inner(words []string) int {
	for i := 2; i < len(words); i++ {
		switch {
		case words[i] == "--":
			if i+1 < len(words) {
				return i + 1
			}
			return -1
		case !strings.HasPrefix(words[i], "-"):
			return i
		case !strings.Contains(words[i], "="):
			i++ // a flag's value
		}
	}
	return -1
}

// unwrapWords returns the command line that a wrapped one runs. It returns any other
// command line unchanged.
func unwrapWords(words []string) []string {
	if at := inner(words); isWrapped(words) && at > 0 {
		return words[at:]
	}
	return words
}

// isOurs reports a command line that wrap has written. People write `reaperd exec` without
// the name of the server, which wrap always gives.
func isOurs(words []string) bool { return isWrapped(words) && len(words) > 2 && words[2] == nameFlag }

// undoneWords returns the command line as it was before wrap wrote it.
func undoneWords(words []string) []string {
	if isOurs(words) {
		return unwrapWords(words)
	}
	return words
}

const nameFlag = "--name"

// prefix returns the words in front of the server's own command.
func prefix(program, name string) []string {
	return []string{program, "exec", nameFlag, name, "--"}
}

// wrapWords returns a command line with `reaperd exec` in front.
func wrapWords(program, name string, words []string) []string {
	return append(prefix(program, name), slices.Clone(words)...)
}

// runsContainerInShell reports whether a shell line runs a container: exec cannot learn
// which container that is.
func (e entry) runsContainerInShell() bool {
	words := unwrapWords(e.Words)
	line, isClient := cmdline.ReadContainer(cmdline.Read(words).Argv)
	return cmdline.RunsLine(words) && isClient && line.Command == "run"
}
