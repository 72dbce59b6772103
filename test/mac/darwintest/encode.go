// Package darwintest makes bytes as macOS's kernel gives them, and plays that
// kernel: processes, pipes, sockets, launchd.
//
// It knows the structs from what XNU's headers gave when they were compiled
// (xnu.txt), and not from package darwin, whose decoders it is to try.
package darwintest

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

//go:embed xnu.txt
var headers string

// Line is one line of xnu.txt. Value is an offset, or a constant's value.
type Line struct {
	Kind, Of, Field string // kind is size, field or const
	Value, Bytes    int
	Header          string
}

// Headers are the lines of xnu.txt.
func Headers() ([]Line, error) {
	var all []Line
	for text := range strings.Lines(headers) {
		words := strings.Fields(text)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		line, err := lineOf(words)
		if err != nil {
			return nil, fmt.Errorf("xnu.txt: %q: %w", strings.TrimSpace(text), err)
		}
		all = append(all, line)
	}
	return all, nil
}

func lineOf(words []string) (Line, error) {
	line := Line{Kind: words[0], Header: words[len(words)-1]}
	if len(words) < 5 {
		return line, fmt.Errorf("%d words", len(words))
	}
	line.Of = words[1]
	if words[2] != "-" {
		line.Field = words[2]
	}
	value, err := strconv.ParseInt(words[3], 0, 64)
	if err != nil {
		return line, err
	}
	switch {
	case line.Kind == "size":
		line.Bytes = int(value)
		return line, nil
	case line.Kind == "const":
		line.Value = int(value)
		return line, nil
	case len(words) != 6:
		return line, fmt.Errorf("%d words", len(words))
	}
	line.Value = int(value)
	line.Bytes, err = strconv.Atoi(words[4])
	return line, err
}

// Encoder writes structs by the lines of xnu.txt.
type Encoder struct{ lines []Line }

// NewEncoder is an encoder by these lines.
func NewEncoder(lines []Line) *Encoder { return &Encoder{lines} }

// Struct makes a struct of these fields; all other bytes are filler, so that
// what is read beside a field is seen.
func (e *Encoder) Struct(name string, fields map[string]any) []byte {
	data := make([]byte, e.size(name))
	for i := range data {
		data[i] = filler
	}
	for field, value := range fields {
		e.put(data, name, field, value)
	}
	return data
}

// filler is what the kernel's other fields hold here.
const filler = 0xA5

func (e *Encoder) size(name string) int {
	for _, line := range e.lines {
		if line.Kind == "size" && line.Of == name {
			return line.Bytes
		}
	}
	panic("xnu.txt has no struct " + name)
}

func (e *Encoder) put(data []byte, name, field string, value any) {
	for _, line := range e.lines {
		if line.Kind != "field" || line.Of != name || line.Field != field {
			continue
		}
		at := data[min(line.Value, len(data)):]
		at = at[:min(line.Bytes, len(at))]
		clear(at)
		copy(at, encoded(value))
		return
	}
	panic("xnu.txt has no field " + field + " of struct " + name)
}

// encoded are a number's bytes, little-endian, or a text's.
func encoded(value any) []byte {
	switch v := value.(type) {
	case int:
		return binary.LittleEndian.AppendUint64(nil, uint64(v))
	case uint64:
		return binary.LittleEndian.AppendUint64(nil, v)
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	panic(fmt.Sprintf("no encoding of %T", value))
}

// Constant is the value that a header gives a name.
func (e *Encoder) Constant(name string) int {
	for _, line := range e.lines {
		if line.Kind == "const" && line.Of == name {
			return line.Value
		}
	}
	panic("xnu.txt has no constant " + name)
}
