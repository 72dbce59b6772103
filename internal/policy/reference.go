package policy

import (
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Reference describes the policy file, for `reaperd help policy`. It is made of the
// keys with which the file is read.
func Reference() string {
	var b strings.Builder
	keys := Keys()
	fmt.Fprintf(&b, "policies.yaml, version %d. In parentheses: what holds for a key that is left out.\nThe built-in policy says mode: enforce.\n\n", version)
	for _, part := range []struct {
		title string
		keys  []Key
	}{
		{"", keys},
		{"One of limits", KeysBelow(keys, "limits")},
		{"One of sessions and servers", KeysBelow(keys, "servers")},
		{"Its match", KeysBelow(keys, "servers", "match")},
		{"One of protect", KeysBelow(keys, "protect")},
		{"One of trust", KeysBelow(keys, "trust")},
		{"Its match", KeysBelow(keys, "trust", "match")},
		{"A rule", KeysBelow(keys, "rules")},
		{"A match (of exclude and protect too)", KeysBelow(keys, "rules", "match")},
	} {
		if part.title != "" {
			b.WriteString("\n" + part.title + "\n")
		}
		writeRows(&b, part.keys)
	}
	b.WriteString(notes)
	return b.String()
}

// KeysBelow are the keys of the mapping at a path.
func KeysBelow(keys []Key, path ...string) []Key {
	for _, name := range path {
		for _, k := range keys {
			if k.Name == name {
				keys = k.Keys
				break
			}
		}
	}
	return keys
}

const (
	textColumn = 17 // where the text of a row begins
	rowWidth   = 80
)

// writeRows writes one row for each key, with its text wrapped beside it.
func writeRows(b *strings.Builder, keys []Key) {
	for _, k := range keys {
		lines := human.Hang(human.Left("  "+k.Name, textColumn), k.Text(), rowWidth)
		b.WriteString(strings.TrimRight(strings.Join(lines, "\n"), " ") + "\n")
	}
}

// Text describes a key: its words, what it means, and its default in brackets.
func (k Key) Text() string {
	var parts []string
	if len(k.Words) > 0 {
		parts = append(parts, strings.Join(k.Words, ", "))
	}
	if k.About != "" {
		parts = append(parts, k.About)
	}
	text := strings.Join(parts, "; ")
	if k.Default != "" {
		text += " (" + k.Default + ")"
	}
	return text
}

// notes apply to several keys.
const notes = `
In a glob * is anything, slashes too, ? one character, [a-z] one of these, and \
takes the next one as it is. Names have no case. A key that takes one takes a
list too, any of which is enough. With memory_over or cpu_over, "for" times the
excess as well: every look in that time must have shown it.
An image, label or state in exclude and protect also speaks of the container
that a server runs.

Order: protect keeps; then the rules; then the guards, which only keep. What
cannot be told does not match, and does hold in exclude and protect.

extends: builtin
  What is left out is inherited. A rule of a built-in rule's name changes that
  rule: field by field, and its match and exclude key by key ("listening: null"
  takes a key away). Its place stays. Other rules are new, and are tried before
  the built-in ones, in their order.
`
