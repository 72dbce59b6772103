package wrap

import (
	"bytes"
	"cmp"
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
	text := r.diff(withoutSecrets(r.change.Before, r.config()), withoutSecrets(r.change.After, r.config()))
	parts := strings.SplitAfter(text, "\n@@ ") // of one part no pattern reaches into the next
	for i, part := range parts {
		parts[i] = redact.Configuration(part)
	}
	return strings.Join(parts, "")
}

// isMasked reports that the text of Diff has masks, which the file has not.
func (r Rewriting) isMasked() bool { return r.Diff() != r.diff(r.change.Before, r.change.After) }

// diff returns a change of the file as text without control characters.
func (r Rewriting) diff(before, after []byte) string {
	_, change, _ := strings.Cut(string(diff.Diff(r.Path, before, r.Path, after)), "\n") // the first line names the file twice
	lines := strings.Split(change, "\n")
	for i, line := range lines {
		lines[i] = human.Safe(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// Masked says that the masks in the text of a change are not written; "" if it has none.
func (p Plan) Masked() string {
	if !slices.ContainsFunc(p.Rewritings, Rewriting.isMasked) {
		return ""
	}
	return redact.Mask + " stands for what may be a secret; " + human.Verb(len(p.Rewritings), "the file keeps", "the files keep") + " it as it is."
}

// withoutSecrets masks the secrets in the command lines of a file, its variables and its headers. What
// is a secret can be told there by the word before it, or the table around it, which a line of text
// does not show: "--token", "x".
func withoutSecrets(data []byte, config catalogue.Config) []byte {
	d, err := parse(data, config)
	if err != nil {
		return data
	}
	return apply(data, joined(append(d.secretsIn(d.root, nil, nil), hiddenComments(data, config.Format)...)))
}

// joined joins masks that overlap, such as of a quoted text in which a comment seems to begin.
func joined(masks []edit) []edit {
	slices.SortStableFunc(masks, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var all []edit
	for _, mask := range masks {
		if n := len(all); n > 0 && mask.from < all[n-1].to {
			all[n-1].to, all[n-1].text = max(all[n-1].to, mask.to), redact.Mask
			continue
		}
		all = append(all, mask)
	}
	return all
}

// secretsIn replaces the secrets in a value that is in tables of those names. read is where fields begin
// whose words the server around them has masks for; nil outside of a server.
func (d document) secretsIn(v value, names []string, read []int) (masks []edit) {
	switch v.kind {
	case word:
		return d.secret(v, names)
	case list:
		return d.secretsInList(v, names, read)
	case other, table:
	}
	if read == nil && v.startsSomething() {
		names = nil // a server may be called "env"
		masks, read = d.serverMasks(v)
	}
	for _, f := range v.fields {
		if isCommand := slices.Contains(commandKeys, f.key); !isCommand || !slices.Contains(read, f.from) {
			masks = append(masks, d.secretsIn(f.value, append(slices.Clone(names), f.key), read)...)
		}
	}
	return masks
}

// commandKeys are the fields with the words of a server.
var commandKeys = []string{"command", "cmd", "path", "args"}

// serverMasks are the masks for the command line of a server, and where its fields begin. Of one that is
// written in an unclear way there are none.
func (d document) serverMasks(v value) (masks []edit, read []int) {
	e, ok := entryOf("", v)
	if !ok || e.State == unclear || len(e.Words) == 0 {
		return nil, []int{}
	}
	read = []int{e.command.from}
	if e.arguments.key != "" {
		read = append(read, e.arguments.from)
	}
	return d.masks(e), read
}

// startsSomething reports a table that has a command.
func (v value) startsSomething() bool {
	return slices.ContainsFunc(v.fields, func(f field) bool { return f.key == "command" || f.key == "cmd" })
}

// secretsInList replaces the secrets in a list: of its words, which may be a command line, and of what they
// are called.
func (d document) secretsInList(v value, names []string, read []int) (masks []edit) {
	var words []value
	for _, item := range v.items {
		if named := d.secretsIn(item, names, read); len(named) > 0 || item.kind != word {
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

// secret replaces a word that is a secret by its names.
func (d document) secret(v value, names []string) []edit {
	if len(names) == 0 {
		return nil
	}
	clean := redact.Member(names, v.text)
	if clean == v.text {
		clean = redact.Text(v.text) // a command line in one text, whose quotes the file writes otherwise
	}
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
