package wrap

import (
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
	return redact.Text(strings.Join(lines, "\n"))
}

// withoutSecrets masks the secrets in the command lines of a file. What is a secret can be told
// there by the word before it, which a line of text does not show: "--token", "x".
func withoutSecrets(data []byte, config catalogue.Config) []byte {
	d, err := parse(data, config)
	if err != nil {
		return data
	}
	var masks []edit
	for _, e := range d.entries() {
		masks = append(masks, d.masks(e)...)
	}
	return apply(data, masks)
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
