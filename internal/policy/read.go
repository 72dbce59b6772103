package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	units "github.com/docker/go-units"

	"github.com/reaperd/reaperd/internal/human"
)

// reader collects faults about one part of the file, such as a rule.
type reader struct {
	faults  *Faults
	subject string // put in front of each fault, with its colon
}

func (r reader) about(format string, args ...any) reader {
	r.subject += fmt.Sprintf(format, args...) + ": "
	return r
}

func (r reader) fault(at *node, format string, args ...any) {
	r.faultAt(at.at, at.column, format, args...)
}

func (r reader) faultAt(at Origin, column int, format string, args ...any) {
	*r.faults = append(*r.faults, Fault{Origin: at, Column: column, Text: r.subject + fmt.Sprintf(format, args...)})
}

// mapping reads a mapping key by key, in file order.
func (r reader) mapping(n *node, keys schema) {
	if n.kind != mappingNode {
		r.fault(n, "want a mapping, found %s", n.describe())
		return
	}
	first := map[string]Origin{}
	for _, f := range n.fields {
		if at, twice := first[f.key]; twice {
			r.faultAt(f.at, f.column, "key %s given twice, first on line %d", quoted(f.key), at.Line)
			continue
		}
		first[f.key] = f.at
		if key, known := keys.of(f.key); known {
			key.read(value{node: f.value, key: f.key, reader: r})
			continue
		}
		r.faultAt(f.at, f.column, "unknown key %s%s", quoted(f.key), hint(f.key, keys))
	}
	for _, k := range keys {
		if k.fills {
			r.fill(n, keys, k.Name, k.Default)
		}
	}
}

// fill adds a default to a mapping that leaves a key out, and reads it.
func (r reader) fill(n *node, keys schema, name, text string) {
	if key, known := keys.of(name); known && n.get(name) == nil {
		added := &node{tag: key.tag(), text: text}
		n.fields = append(n.fields, field{key: name, value: added})
		key.read(value{node: added, key: name, reader: r})
	}
}

// hint names the key that was probably meant, or the place where a known key belongs.
func hint(key string, known schema) string {
	if near := human.Nearest(key, known.names()); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	switch {
	case slices.Contains(matchKeys(&Match{}).names(), key):
		return `; it belongs under "match"`
	case slices.Contains(ruleKeys(&Rule{}).names(), key):
		return `; it belongs to the rule`
	}
	return ""
}

// value is the value of a key.
type value struct {
	*node
	key    string
	reader reader
}

func (v value) fault(format string, args ...any) {
	v.reader.fault(v.node, v.key+": "+format, args...)
}

// scalar is the text of a value that is no list or mapping and not empty.
func (v value) scalar(want string) (string, bool) {
	if v.kind != scalarNode || v.isNull() {
		v.fault("want %s, found %s", want, v.describe())
		return "", false
	}
	return v.text, true
}

const longestName = 100

// name reads a name for people and metrics: one line, no control characters.
func (v value) name() string {
	text, ok := v.scalar("a name")
	switch {
	case !ok:
		return ""
	case v.tag != "!!str":
		v.fault("want a name, found %s; put it in quotes", v.text)
		return ""
	case strings.TrimSpace(text) == "" || strings.ContainsFunc(text, unicode.IsControl) || len(text) > longestName:
		v.fault("want a name of one line, found %s", v.describe())
		return ""
	}
	return text
}

// line reads a sentence.
func (v value) line() string {
	text, _ := v.scalar("a sentence")
	return strings.Join(strings.Fields(text), " ")
}

// list calls read with each item of a list. A key without a value is an empty list.
func (v value) list(read func(item *node)) {
	if v.isNull() {
		return
	}
	if v.kind != listNode {
		v.fault("want a list, found %s", v.describe())
		return
	}
	for _, item := range v.items {
		read(item)
	}
}

func (v value) boolean(fallback bool) bool {
	if v.kind != scalarNode || v.tag != "!!bool" {
		v.fault("want true or false, found %s", v.describe())
		return fallback
	}
	return strings.EqualFold(v.text, "true")
}

// count reads a whole number of at least 1.
func (v value) count(most int) int {
	text, ok := v.scalar("a whole number")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || v.tag != "!!int" {
		v.fault("want a whole number, found %s", v.describe())
		return 0
	}
	if n < 1 || n > most {
		v.fault("want at least 1 and at most %d, found %d", most, n)
		return 0
	}
	return n
}

// percent reads a number above 0.
func (v value) percent() float64 {
	text, ok := v.scalar("a number, in percent of one core")
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || v.tag != "!!int" && v.tag != "!!float" || math.IsInf(n, 0) || math.IsNaN(n) || n <= 0 {
		v.fault("want a number above 0, in percent of one core, found %s", v.describe())
		return 0
	}
	return n
}

// size reads bytes such as 2GiB.
func (v value) size() uint64 {
	text, ok := v.scalar("a size such as 2GiB")
	if !ok {
		return 0
	}
	n, err := units.RAMInBytes(text)
	if err != nil || n <= 0 {
		v.fault("want a size such as 512MiB or 2GiB, found %s", v.describe())
		return 0
	}
	return uint64(n)
}

// duration reads a duration of at least least.
func (v value) duration(least time.Duration) time.Duration {
	text, ok := v.scalar("a duration such as 30s")
	if !ok {
		return 0
	}
	d, err := human.ParseDuration(text)
	switch {
	case err != nil && v.tag == "!!int":
		v.fault("%s", noUnit(text))
	case err != nil:
		v.fault("want a duration such as 30s, 2m, 1h30m or 7d, found %s", v.describe())
	case d < 0:
		v.fault("a duration is never negative, found %s", text)
	case d < least:
		v.fault("want a duration above 0, found %s", text)
	default:
		return d
	}
	return 0
}

// words reads one or several of the allowed words. Where the file has capitals, the policy is shown
// without them.
func (v value) words(allowed []string) []string {
	var words []string
	for _, item := range v.oneOrMore("a word") {
		word := strings.ToLower(item.text)
		if !slices.Contains(allowed, word) {
			v.reader.fault(item.node, "unknown %s %s; one of %s%s", v.key, quoted(item.text), strings.Join(allowed, ", "), meant(word, allowed))
			continue
		}
		item.node.text = word
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

func meant(word string, allowed []string) string {
	if near := human.Nearest(word, allowed); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// word reads one of the allowed words.
func (v value) word(allowed []string) string {
	if _, ok := v.scalar("one of " + strings.Join(allowed, ", ")); !ok {
		return ""
	}
	words := v.words(allowed)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// globs reads one or several globs.
func (v value) globs() []string {
	var globs []string
	for _, item := range v.oneOrMore("a glob") {
		if err := checkGlob(item.text); err != nil {
			item.fault("the glob %s %v", quoted(item.text), err)
			continue
		}
		globs = append(globs, item.text)
	}
	return globs
}

// arguments reads a list of globs, one for each argument. A single glob is allowed
// unless it looks like a whole command line, which no argument would match.
func (v value) arguments() []string {
	if v.kind == scalarNode && strings.Contains(strings.TrimSpace(v.text), " ") {
		v.fault("want a list with one glob for each argument, found %s", v.describe())
		return nil
	}
	return v.globs()
}

// oneOrMore are the scalars of a value that may be a single one or a list.
func (v value) oneOrMore(want string) []value {
	switch {
	case v.kind == mappingNode || v.isNull():
		v.fault("want %s or a list, found %s", want, v.describe())
		return nil
	case v.kind == scalarNode:
		return []value{v}
	case len(v.items) == 0:
		v.fault("an empty list matches nothing; leave the key out")
		return nil
	}
	var all []value
	for _, item := range v.items {
		each := value{node: item, key: v.key, reader: v.reader}
		if _, ok := each.scalar(want); ok {
			all = append(all, each)
		}
	}
	return all
}

// labels reads a mapping from labels to globs for their values.
func (v value) labels() []Label {
	if v.kind != mappingNode {
		v.fault("want label: value, found %s", v.describe())
		return nil
	}
	if len(v.node.fields) == 0 {
		v.fault("names no label; leave the key out")
	}
	var labels []Label
	keys := schema{}
	for _, f := range v.node.fields {
		if strings.TrimSpace(f.key) == "" || len(f.key) > longestName*2 {
			v.reader.faultAt(f.at, f.column, "label: want the name of a label, found %s", quoted(f.key))
		}
		keys = append(keys, keyOf(Key{Name: f.key}, func(label value) {
			glob, ok := label.scalar(`a glob for its value, "*" for any`)
			if !ok {
				return
			}
			if err := checkGlob(glob); err != nil && glob != "" {
				label.fault("the glob %s %v", quoted(glob), err)
				return
			}
			labels = append(labels, Label{Key: label.key, Glob: glob})
		}))
	}
	v.reader.about("label").mapping(v.node, keys)
	slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	return labels
}

// noUnit is the fault of a duration that is a number alone.
func noUnit(number string) string {
	return fmt.Sprintf("%s has no unit; write %ss or %sm", number, number, number)
}

// schedule reads a cron spec.
func (v value) schedule() Schedule {
	text, ok := v.scalar("a cron spec")
	if !ok {
		return Schedule{}
	}
	schedule, err := ParseSchedule(text)
	_, interval, _ := strings.Cut(text, "@every ")
	_, notNumber := strconv.Atoi(interval)
	switch {
	case err != nil && notNumber == nil:
		v.fault("%s: %s", quoted(text), noUnit(interval))
	case err != nil:
		v.fault("%s %v; write five fields of cron or a descriptor such as @every 30s", quoted(text), err)
	}
	return schedule
}
