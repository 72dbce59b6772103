package wrap

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// Diff returns the change as text without secrets and control characters.
func (r Rewriting) Diff() string {
	before, after := withoutSecrets(r.change.Before, r.config()), withoutSecrets(r.change.After, r.config())
	_, change, _ := strings.Cut(string(diff.Diff(r.Path, before, r.Path, after)), "\n") // the first line names the file twice
	lines := strings.Split(change, "\n")
	for i, line := range lines {
		lines[i] = human.Safe(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return redact.Configuration(strings.Join(lines, "\n"))
}

// withoutSecrets masks the secrets in the command lines of a file, its variables and its headers. What
// is a secret can be told there by the word before it, or the table around it, which a line of text
// does not show: "--token", "x".
func withoutSecrets(data []byte, config catalogue.Config) []byte {
	d, err := parse(data, config)
	if err != nil {
		return data
	}
	return apply(data, d.secretsIn(d.root, nil))
}

// commandKeys are the fields of a server that hold its command line.
var commandKeys = []string{"command", "cmd", "args"}

// secretsIn replaces the secrets in a value that is in tables of those names.
func (d document) secretsIn(v value, names []string) (masks []edit) {
	switch v.kind {
	case word:
		return d.secret(v, names)
	case list:
		return d.secretsInList(v, names)
	case other, table:
	}
	isServer, isRead := v.startsSomething(), false
	if isServer { // it may be called "env"
		names = nil
		if e, ok := entryOf("", v); ok && len(e.Words) > 0 {
			isRead, masks = true, d.masks(e)
		}
	}
	for _, f := range v.fields {
		if !isRead || !slices.Contains(commandKeys, f.key) {
			masks = append(masks, d.secretsIn(f.value, append(slices.Clone(names), f.key))...)
		}
	}
	return masks
}

// secretsInList replaces the secrets in a list: of its words, which may be a command line, and of what they
// are called.
func (d document) secretsInList(v value, names []string) (masks []edit) {
	var words []value
	for _, item := range v.items {
		if named := d.secretsIn(item, names); len(named) > 0 || item.kind != word {
			masks = append(masks, named...)
			continue
		}
		words = append(words, item)
	}
	texts := make([]string, len(words))
	for i, item := range words {
		texts[i] = item.text
	}
	for i, clean := range redact.ArgsWithin(texts, math.MaxInt) {
		if clean != texts[i] {
			masks = append(masks, d.masked(words[i], clean)...)
		}
	}
	return masks
}

// startsSomething reports a table that has a command.
func (v value) startsSomething() bool {
	return slices.ContainsFunc(v.fields, func(f field) bool { return f.key == commandKeys[0] || f.key == commandKeys[1] })
}

// secret replaces a word that is a secret by its names.
func (d document) secret(v value, names []string) []edit {
	if len(names) == 0 {
		return nil
	}
	clean := redact.Member(names, v.text)
	if clean == v.text {
		return nil
	}
	return d.masked(v, clean)
}

// masked writes another text for a word. Of one over several lines, whose end is not known, it replaces
// all up to the line of the next key or item.
func (d document) masked(v value, clean string) []edit {
	if v.to > v.from {
		return []edit{d.mask(v, clean)}
	}
	end := d.root.next(v.from, len(d.data))
	if line := bytes.LastIndexByte(d.data[:end], '\n') + 1; line > v.from {
		return []edit{{v.from, line, redact.Mask + "\n"}}
	}
	return []edit{{v.from, end, redact.Mask}}
}

// next is the first position behind another at which a key or an item begins; end if there is none.
func (v value) next(behind, end int) int {
	for _, item := range v.items {
		if item.from > behind {
			end = min(end, item.from)
		}
		end = item.next(behind, end)
	}
	for _, f := range v.fields {
		if f.from > behind {
			end = min(end, f.from)
		}
		end = f.value.next(behind, end)
	}
	return end
}

// masks replaces the secrets among an entry's words. Wrapped or not, its own command line is the
// same, so both sides of a change hide the same.
func (d document) masks(e entry) []edit {
	clean := e.cleanWords()
	if slices.Equal(clean, e.Words) {
		return nil
	}
	values := slices.Concat(e.command.value.items, e.arguments.value.items)
	switch {
	case e.wide:
		return []edit{d.mask(e.command.value, strings.Join(clean, " "))}
	case e.command.value.kind == word:
		values = slices.Concat([]value{e.command.value}, values)
	}
	var masks []edit
	for i, v := range values {
		if clean[i] != v.text {
			masks = append(masks, d.mask(v, clean[i]))
		}
	}
	return masks
}

// cleanWords are an entry's words without secrets.
func (e entry) cleanWords() []string {
	own := unwrapWords(e.Words)
	return slices.Concat(e.Words[:len(e.Words)-len(own)], redact.ArgsWithin(own, math.MaxInt))
}

// mask writes another text for a word, in the quotes that it has.
func (d document) mask(v value, text string) edit {
	if raw := string(d.data[v.from:v.to]); strings.Contains(raw, v.text) {
		return edit{v.from, v.to, strings.Replace(raw, v.text, text, 1)}
	}
	return edit{v.from, v.to, quote(text)}
}
