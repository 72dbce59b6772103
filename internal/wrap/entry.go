package wrap

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/discover"
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

	command   discover.Field // the word, or the whole list
	arguments discover.Field // a list; its key is empty if there is no list
	wide      bool           // the command is one text with spaces, without arguments
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

// parse reads the entries of a file. Those that start nothing are left out.
func parse(data []byte, config discover.Config) (document, error) {
	d := document{data: data, config: config}
	found, err := discover.Entries(config, data)
	for _, e := range found {
		if server, ok := entryOf(e); ok {
			d.entries = append(d.entries, server)
		}
	}
	return d, err
}

// entryOf reads one server; false for an entry that starts nothing, and is not spoken to.
func entryOf(e discover.Entry) (entry, bool) {
	found := entry{Name: e.Name, command: e.Command, arguments: e.Args}
	switch {
	case e.URL.Key != "":
		return found, true
	case e.Command.Value.Kind == discover.Nothing && !e.Command.Value.Fixed:
		return found, false
	}
	found.read(e.Fixed)
	return found, true
}

// read sets the words and the state.
func (e *entry) read(fixed bool) {
	e.State, e.obstacle = unclear, e.findObstacle(fixed)
	if e.obstacle != "" {
		return
	}
	words, areClear := e.commandWords()
	more, _ := texts(e.arguments.Value)
	e.Words = append(words, more...)
	switch {
	case isAnswerer(e.Words):
		e.State = remote
	case isWrapped(e.Words):
		e.State = wrapped
	case areClear:
		e.State = unwrapped
	default:
		e.obstacle = oneText
	}
}

// findObstacle returns why the words of an entry cannot be replaced, whatever they are; "" if they can.
// fixed is that of the whole entry.
func (e *entry) findObstacle(fixed bool) string {
	command, arguments := e.command.Value, e.arguments.Value
	words := []string{command.Text}
	isClear := command.Kind == discover.Word && !command.Fixed
	if command.Kind == discover.List {
		words, isClear = texts(command)
	}
	_, areClear := texts(arguments)
	switch {
	case fixed:
		return anchored
	case !isClear:
		return oddCommand
	case len(words) == 0 || words[0] == "":
		return noCommand
	case e.arguments.Key == "":
		return ""
	case arguments.Fixed:
		return anchored
	case arguments.Kind != discover.List:
		return noList
	case !areClear:
		return oddArgument
	}
	return ""
}

// texts are the words of a list; false if an item is not a word, or the list is none.
func texts(v discover.Value) ([]string, bool) {
	var all []string
	for _, item := range v.Items {
		if item.Kind != discover.Word || item.Fixed {
			return nil, false
		}
		all = append(all, item.Text)
	}
	return all, v.Kind == discover.List && !v.Fixed
}

// commandWords returns the words of the command field: a list, or one text; false if clients may split that in different
// ways.
func (e *entry) commandWords() (words []string, areClear bool) {
	if e.command.Value.Kind == discover.List {
		return texts(e.command.Value)
	}
	words = split(e.command.Value.Text, len(e.arguments.Value.Items) > 0)
	e.wide = len(words) > 1
	return words, len(words) == 1 || splitsOneWay(words)
}

// split returns the words of a command in one text. Clients split it at spaces, unless it is a path or has arguments.
func split(command string, hasArguments bool) []string {
	if words := strings.Fields(command); !hasArguments && len(words) > 1 && !isPath(words) {
		return words
	}
	return []string{command}
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
