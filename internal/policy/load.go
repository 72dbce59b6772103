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
	if base := baseOf(root, builtin, &faults); base != nil {
		policy.Sources = append(policy.Sources, sourceOf(builtin))
		root = merged(base, root)
	}
	policy.Hash = hashOf(policy.Sources)
	if limits := root.get("limits"); root.kind == mappingNode && (limits == nil || limits.isNull()) {
		root = root.with(field{key: "limits", value: &node{kind: mappingNode}})
	}
	policy.tree = root
	loader{policy: policy, reader: reader{faults: &faults}}.read(root)
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

// baseOf is the policy that a file extends; nil if it extends none.
func baseOf(root *node, builtin File, faults *Faults) *node {
	if extends := root.get("extends"); extends == nil || extends.kind != scalarNode || extends.text != extendsBuiltin {
		return nil
	}
	return parseYAML(builtin, faults)
}

// loader reads a policy from its YAML tree. Defaults are added to the tree, so that [Policy.Show] shows everything.
type loader struct {
	policy *Policy
	reader reader
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

// named reads a list of things with a name of their own and a match each. Faults call a thing by its name, or by its
// number in its own file, which is another one in the list that is merged.
func (l loader) named(v value, what string, read func(r reader, n *node)) {
	first := map[string]Origin{}
	v.list(func(n *node) {
		r := l.reader.about("%s %d", what, n.place)
		name := n.get("name")
		if name != nil && name.kind == scalarNode && name.text != "" {
			r = l.reader.about("%s %s", what, quoted(name.text))
		}
		read(r, n)
		switch {
		case n.kind != mappingNode:
			return
		case name == nil:
			r.fault(n, "no name")
		case first[name.text] != Origin{}:
			r.fault(name, "the name is taken already, on line %d", first[name.text].Line)
			return
		default:
			first[name.text] = name.at
		}
		if n.get("match") == nil {
			r.fault(n, "no match; without one it would match nothing")
		}
	})
}

func (l loader) rules(v value) {
	l.named(v, "rule", func(r reader, n *node) {
		rule := Rule{Origin: n.at}
		if name := n.get("name"); name != nil {
			rule.Origin = name.at
		}
		r.mapping(n, ruleKeys(&rule))
		r.findingDefaults(n, &rule)
		if match := n.get("match"); match != nil && len(match.fields) > 0 {
			ruleNode{reader: r, node: n, rule: &rule}.check()
		}
		l.policy.Rules = append(l.policy.Rules, rule)
	})
}

// findingDefaults adds the defaults of a rule that matches one finding alone.
func (r reader) findingDefaults(n *node, rule *Rule) {
	m := &rule.Match
	if m.AnyFinding || len(m.Findings) != 1 {
		return
	}
	match := n.get("match")
	switch m.Findings[0] {
	case graph.FindingDuplicate:
		if couldBeDuplicate(m) {
			r.fill(n, ruleKeys(rule), "keep_newest", strconv.Itoa(defaultKeepNewest))
		}
		if n.get("max_per_owner") == nil {
			r.fill(match, matchKeys(m), "idle_for", human.Exact(DefaultIdleFor))
		}
	case graph.FindingZombies:
		r.fill(match, matchKeys(m), "zombies_over", strconv.Itoa(defaultZombies))
	case graph.FindingRespawning:
		r.fill(match, matchKeys(m), "respawns_over", strconv.Itoa(defaultRespawns))
	}
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
