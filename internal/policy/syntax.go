package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is a policy file as it was read: its bytes, and the name faults give it.
type File struct {
	Name string
	Data []byte
}

// parseYAML reads the one document of a file; nil if it cannot be used.
func parseYAML(file File, faults *Faults) *node {
	if len(file.Data) > maxFileBytes {
		*faults = append(*faults, Fault{Origin: Origin{file.Name, 1}, Text: fmt.Sprintf("larger than %d bytes; this is no policy", maxFileBytes)})
		return nil
	}
	document, extra, err := decodeDocument(file.Data)
	switch {
	case errors.Is(err, io.EOF):
		*faults = append(*faults, Fault{Origin: Origin{file.Name, 1}, Text: emptyText})
		return nil
	case err != nil:
		*faults = append(*faults, syntaxFault(file, err))
		return nil
	case extra > 0:
		*faults = append(*faults, Fault{Origin: Origin{file.Name, extra}, Text: "a second document begins here; a policy is one document"})
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		*faults = append(*faults, Fault{Origin: Origin{file.Name, 1}, Text: emptyText})
		return nil
	}
	convert := converter{file: file.Name, faults: faults}
	return convert.convert(root, 0, false)
}

const emptyText = `empty; a policy begins with "version: 1"`

// decodeDocument is the first document, and the line of a second one or 0.
func decodeDocument(data []byte) (document *yaml.Node, extra int, err error) {
	// The YAML library panics on a few inputs that it does not expect; those
	// are bad files, not bad programs.
	defer func() {
		if caught := recover(); caught != nil {
			document, err = nil, fmt.Errorf("yaml: %v", caught)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		return nil, 0, err
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &first, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return &first, max(second.Line, 1), nil
}

var syntaxLine = regexp.MustCompile(`^line (\d+): `)

// syntaxFault is the fault of a file that is no YAML, with the line that a person
// must look at. The library counts some of its lines from zero, some from the
// beginning of the block, and leaves the first out.
func syntaxFault(file File, err error) Fault {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if found := syntaxLine.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = text[len(found[0]):]
	}
	switch {
	case strings.Contains(text, "cannot start any token"):
		text = startText(lineOf(file.Data, line))
	case strings.HasPrefix(text, "did not find expected alphabetic"):
		text = "a value that begins with * or & must be put in quotes"
	case strings.HasPrefix(text, "unknown anchor '"):
		anchor, _, _ := strings.Cut(strings.TrimPrefix(text, "unknown anchor '"), "'")
		line, text = firstFailing(file.Data, text, line), fmt.Sprintf("no anchor %s is set above; a value that begins with * must be put in quotes", quoted(anchor))
	case strings.HasPrefix(text, "mapping values are not allowed"):
		text = `a second "key:" stands where a value does: wrong indentation, or a text with a colon that must be put in quotes`
	case strings.HasPrefix(text, "could not find expected ':'"):
		text = `a line without its "key:"`
	case text == "found unexpected end of stream":
		text = "a quoted text begins here and is not closed"
	case text == "control characters are not allowed":
		line = firstFailing(file.Data, text, line)
	case strings.HasPrefix(text, "did not find expected ',' or"):
		line, text = line+1, "a list or mapping in brackets begins here and is not closed"
	case strings.HasPrefix(text, "did not find expected"):
		line, text = firstFailing(file.Data, text, line+1), "this line does not fit the one above: wrong indentation, or something left open"
	}
	return Fault{Origin: Origin{file.Name, line}, Text: "not YAML: " + text}
}

// startText explains a line on which no value can begin.
func startText(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case strings.Contains(indent, "\t"):
		return "a tab indents this line; YAML wants spaces"
	case strings.ContainsAny(line, "@`"):
		return "a value that begins with @ or ` must be put in quotes"
	}
	return "a value begins with a character that must be put in quotes"
}

// firstFailing is the first line up to which the file has that fault.
func firstFailing(data []byte, text string, fallback int) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	end := 0
	ends := make([]int, len(lines))
	for i, line := range lines {
		end += len(line)
		ends[i] = end
	}
	found := sort.Search(len(lines), func(i int) bool {
		_, _, err := decodeDocument(data[:ends[i]])
		return err != nil && strings.HasSuffix(err.Error(), text)
	})
	if found == len(lines) {
		return fallback
	}
	return found + 1
}

func lineOf(data []byte, number int) string {
	lines := strings.Split(string(data), "\n")
	if number < 1 || number > len(lines) {
		return ""
	}
	return lines[number-1]
}
