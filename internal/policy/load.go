package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// mostCount is the largest number a policy may ask for; mostAtOnce the most
// containers that an engine is asked to end at a time.
const (
	mostCount  = 1_000_000
	mostAtOnce = 256
)

// Load reads a policy file, merges it with the built-in policy if it extends that,
// and fills in the defaults. To load the built-in policy itself, pass it as both. An
// error is always of type [Faults].
func Load(file, builtin File) (*Policy, error) {
	var faults Faults
	root := parseYAML(file, &faults)
	if root == nil {
		return nil, faults.sorted()
	}
	policy := &Policy{Sources: []Source{sourceOf(file)}}
	policy.rules, policy.sessions = listOf(root, "rules"), listOf(root, "sessions")
	base, extended := baseOf(root, builtin, &faults)
	if extended {
		policy.Sources = append(policy.Sources, sourceOf(builtin))
		root = merged(base, root)
	}
	policy.Hash = hashOf(policy.Sources)
	policy.tree = withDefaults(root)
	l := loader{policy: policy, reader: reader{faults: &faults}, base: base}
	l.read(policy.tree)
	if len(faults) > 0 {
		return nil, faults.sorted()
	}
	return policy, nil
}

func sourceOf(file File) Source {
	sum := sha256.Sum256(file.Data)
	return Source{Name: file.Name, SHA256: hex.EncodeToString(sum[:])}
}

// hashOf is the hash of the one file, or the hash of all files' hashes.
func hashOf(sources []Source) string {
	if len(sources) == 1 {
		return sources[0].SHA256
	}
	sum := sha256.New()
	for _, source := range sources {
		sum.Write([]byte(source.SHA256))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// baseOf is the policy that a file extends.
func baseOf(root *node, builtin File, faults *Faults) (base *node, extended bool) {
	extends := root.get("extends")
	if extends == nil || extends.kind != scalarNode || extends.text != extendsBuiltin {
		return nil, false
	}
	base = parseYAML(builtin, faults)
	return base, base != nil
}

// loader reads a policy from its YAML tree.
type loader struct {
	policy *Policy
	reader reader
	base   *node // of the policy that was extended, for hints; may be nil
}

func (l loader) read(root *node) {
	if root.kind != mappingNode {
		l.reader.fault(root, `want a mapping that begins with "version: %d", found %s`, version, root.describe())
		return
	}
	if root.get("version") == nil {
		l.reader.faultAt(Origin{root.at.File, 1}, 0, `no version; a policy begins with "version: %d"`, version)
	}
	l.reader.mapping(root, l.fileKeys())
}

func readVersion(v value) {
	isOurs := v.kind == scalarNode && v.text == strconv.Itoa(version)
	switch {
	case isOurs && v.tag == "!!str":
		v.fault("%q is a text; write %d, without quotes", v.text, version)
	case !isOurs || v.tag != "!!int":
		v.fault("this program reads version %d, found %s", version, v.describe())
	}
}

func readExtends(v value) {
	if v.kind != scalarNode || v.text != extendsBuiltin {
		v.fault("only %q can be extended, found %s", extendsBuiltin, v.describe())
	}
}

// names finds names that a list has twice.
type names map[string]Origin

// take reports that the name is new. A missing name is a fault too.
func (n names) take(r reader, item *node, name string) bool {
	at := item.get("name")
	if at == nil && item.kind == mappingNode {
		r.fault(item, "no name")
	}
	if name == "" {
		return true
	}
	if first, twice := n[name]; twice {
		r.fault(at, "the name is taken already, on line %d", first.Line)
		return false
	}
	n[name] = at.at
	return true
}

// item is the reader of one item of a list; faults call the item by its name, or by its number
// in its own file, which is another one in the list that is merged.
func (l loader) item(what string, n *node) reader {
	if name := n.get("name"); name != nil && name.kind == scalarNode && name.text != "" {
		return l.reader.about("%s %s", what, quoted(name.text))
	}
	return l.reader.about("%s %d", what, n.place)
}

func (l loader) entries(v value, what string) []Entry {
	var entries []Entry
	taken := names{}
	v.list(what+"s", func(n *node) {
		r := l.item(what, n)
		var entry Entry
		r.mapping(n, entryKeys(&entry))
		if requireMatch(r, n, "") && emptyMapping(n.get("match")) {
			r.fault(n.get("match"), "match: empty; name the program (exe) or its arguments (argv)")
		}
		taken.take(r, n, entry.Name)
		entries = append(entries, entry)
	})
	return entries
}

func (l loader) protect(v value) {
	taken := names{}
	v.list("things to protect", func(n *node) {
		r := l.item("protect", n)
		var protect Protect
		r.mapping(n, protectKeys(&protect))
		requireMatch(r, n, "")
		taken.take(r, n, protect.Name)
		l.policy.Protect = append(l.policy.Protect, protect)
	})
}

func (l loader) trust(v value) {
	taken := names{}
	v.list("things to trust", func(n *node) {
		r := l.item("trust", n)
		var trust Trust
		r.mapping(n, trustKeys(&trust))
		if requireMatch(r, n, "") && emptyMapping(n.get("match")) {
			r.fault(n.get("match"), "match: empty; name a container (image, name) or a program (exe, argv)")
		}
		taken.take(r, n, trust.Name)
		l.policy.Trust = append(l.policy.Trust, trust)
	})
}

func (l loader) rules(v value) {
	taken := names{}
	v.list("rules", func(n *node) {
		r := l.item("rule", n)
		rule := Rule{Origin: n.at}
		if name := n.get("name"); name != nil {
			rule.Origin = name.at
		}
		r.mapping(n, ruleKeys(&rule))
		if taken.take(r, n, rule.Name) && requireMatch(r, n, l.nearBuiltin(rule.Name)) && !emptyMapping(n.get("match")) {
			ruleNode{reader: r, node: n, rule: &rule}.check()
		}
		l.policy.Rules = append(l.policy.Rules, rule)
	})
}

// nearBuiltin is the built-in rule that was probably meant; "" if there is none.
func (l loader) nearBuiltin(name string) string {
	var known []string
	for _, item := range listed(l.base.get("rules")) {
		known = append(known, item.get("name").texts()...)
	}
	if name == "" || slices.Contains(known, name) {
		return ""
	}
	return human.Nearest(name, known)
}

// requireMatch reports that an entry has a match. If it has none, that is a fault.
func requireMatch(r reader, n *node, near string) bool {
	if n.kind != mappingNode {
		return false
	}
	if n.get("match") != nil {
		return n.get("match").kind == mappingNode
	}
	switch near {
	case "":
		r.fault(n, "no match; without one it would match nothing")
	default:
		r.fault(n, "no match, and no built-in rule of that name; did you mean %q?", near)
	}
	return false
}

func emptyMapping(n *node) bool { return n.kind == mappingNode && len(n.fields) == 0 }

// listed are the items of a list; nil if it is none.
func listed(n *node) []*node {
	if n == nil || n.kind != listNode {
		return nil
	}
	return n.items
}

func readMatch(v value, m *Match) {
	if v.isNull() || emptyMapping(v.node) {
		v.fault("empty; an empty selector means nothing, so say what it is about")
		return
	}
	v.reader.about("%s", v.key).mapping(v.node, matchKeys(m))
}

func (m *Match) takeFinding(word string) {
	if word == anyFinding {
		m.AnyFinding = true
		return
	}
	m.Findings = append(m.Findings, graph.ParseFinding(word))
}

// states reads globs for a container's state. A word without wildcards must be a
// known state.
func (v value) states() []string {
	states := v.globs()
	for _, state := range states {
		known := slices.Contains(stateWords(), strings.ToLower(state))
		if !known && !strings.ContainsAny(state, `*?[\`) {
			v.reader.fault(v.node, "unknown state %s; one of %s%s", quoted(state), strings.Join(stateWords(), ", "), meant(state, stateWords()))
		}
	}
	return states
}

// ruleNode is a rule and the YAML that it was read from.
type ruleNode struct {
	reader reader
	node   *node
	rule   *Rule
}

// check finds the faults of a rule as a whole.
func (r ruleNode) check() {
	m := &r.rule.Match
	switch {
	case r.rule.Action == ActionRemove && !m.onlyContainers():
		r.blame(`action "remove" is for containers alone: add "kind: container" to its match, or write terminate`, "action", "kind")
	case r.rule.Action == ActionTerminate && slices.Equal(m.Findings, []graph.Finding{graph.FindingExited}) && !m.AnyFinding:
		r.blame(`action "terminate" does nothing to what has exited; write remove`, "action", "finding")
	}
	if r.rule.Volumes && r.rule.Action != ActionRemove {
		r.blame("volumes: only action remove takes volumes", "volumes", "action")
	}
	if len(m.Kinds) > 0 && !slices.Contains(m.Kinds, graph.KindSession) && slices.Contains(m.Findings, graph.FindingIdle) {
		r.blame(`finding "idle" is of sessions: add session to kind, or use idle_for alone`, "finding", "kind")
	}
	if r.rule.KeepNewest > 0 && !couldBeDuplicate(m) {
		r.blame("keep_newest: this rule matches no duplicates", "keep_newest", "finding", "kind")
	}
	if r.rule.MaxPerOwner > 0 && !couldHaveOwner(m) {
		r.blame("max_per_owner: what this rule matches has no owner", "max_per_owner", "finding", "kind")
	}
}

// blame puts a fault on the first of these keys, of the rule or its match, that the
// file itself has and did not inherit.
func (r ruleNode) blame(text string, keys ...string) {
	at := r.node
	for _, key := range slices.Backward(keys) {
		for _, n := range []*node{r.node.get("match").get(key), r.node.get(key)} {
			if n != nil && n.at.Line > 0 && (n.at.File != Builtin || at == r.node) {
				at = n
			}
		}
	}
	r.reader.fault(at, "%s", text)
}

func couldBeDuplicate(m *Match) bool {
	if m.onlyContainers() || slices.Equal(m.Kinds, []graph.Kind{graph.KindSession}) {
		return false
	}
	return m.AnyFinding || len(m.Findings) == 0 || slices.Contains(m.Findings, graph.FindingDuplicate)
}

func couldHaveOwner(m *Match) bool {
	if slices.Equal(m.Kinds, []graph.Kind{graph.KindSession}) {
		return false
	}
	ownerless := func(f graph.Finding) bool { return f == graph.FindingOrphaned || f == graph.FindingExited }
	return m.AnyFinding || len(m.Findings) == 0 || slices.ContainsFunc(m.Findings, func(f graph.Finding) bool { return !ownerless(f) })
}
