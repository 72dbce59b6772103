package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Shape formats a JSON object: its version first; one line for a program, indented for a
// person. The other keys keep their order.
func Shape(document []byte, indented bool) ([]byte, error) {
	members, err := membersOf(document)
	if err != nil {
		return nil, fmt.Errorf("write report as JSON: %w", err)
	}
	if at := slices.IndexFunc(members, func(m member) bool { return m.name == "version" }); at > 0 {
		version := members[at]
		members = slices.Insert(slices.Delete(members, at, at+1), 0, version)
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m.name, m.value)
	}
	b.WriteByte('}')
	return formed(b.Bytes(), indented)
}

// formed returns a document in one line, or indented by two spaces.
func formed(document []byte, indented bool) ([]byte, error) {
	var b bytes.Buffer
	write := func() error { return json.Compact(&b, document) }
	if indented {
		write = func() error { return json.Indent(&b, document, "", "  ") }
	}
	if err := write(); err != nil {
		return nil, fmt.Errorf("write report as JSON: %w", err)
	}
	return b.Bytes(), nil
}

// member is one key of an object, with its value.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order.
func membersOf(document []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("want an object: %w", err)
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, member{fmt.Sprint(name), value})
	}
	return members, nil
}
