package policy

import (
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// merged puts a file over the policy that it extends. The file inherits what it
// leaves out; a key without a value (`listening: null`) removes the inherited one.
//
// Lists of named entries are merged by name. An entry overrides the base's entry of
// the same name, a rule key by key and its match too, and keeps the base's position.
// New entries come before the base's, in their own order, since the first rule that
// matches decides.
func merged(base, over *node) *node {
	if base.kind != mappingNode || over.kind != mappingNode {
		return over
	}
	result := &node{at: over.at, column: over.column, kind: mappingNode}
	for _, f := range base.fields {
		if inherits(f.key) {
			result.fields = append(result.fields, f)
		}
	}
	seen := map[string]bool{}
	for _, f := range over.fields {
		below := result.get(f.key)
		if seen[f.key] || below == nil || !inherits(f.key) {
			result.fields = append(result.fields, f) // a key given twice stays a fault
		} else {
			f.value = mergedValue(f.key, below, f.value)
			result = result.with(f)
		}
		seen[f.key] = true
	}
	return result
}

// mergedValue puts a top-level value over the one below it. An empty list or mapping
// (`rules:`) changes nothing.
func mergedValue(key string, below, over *node) *node {
	switch {
	case over.isNull() && below.kind != scalarNode:
		return below
	case key == "rules":
		return mergedList(below, over, mergedMapping)
	case key == "sessions" || key == "servers" || key == "protect" || key == "trust":
		return mergedList(below, over, func(_, over *node) *node { return over })
	}
	return mergedMapping(below, over)
}

// inherits reports a top-level key that passes from the base to the file; the others
// describe one file only.
func inherits(key string) bool { return key != "version" && key != "extends" }

// mergedList merges two lists of named entries.
func mergedList(base, over *node, merge func(base, over *node) *node) *node {
	if base.kind != listNode || over.kind != listNode {
		return over
	}
	items := make([][]*node, len(base.items))
	for i, item := range base.items {
		items[i] = []*node{item}
	}
	overridden := map[int]bool{}
	var added []*node
	for _, item := range over.items {
		switch at := indexByName(base.items, item); {
		case at < 0:
			added = append(added, item)
		case overridden[at]:
			items[at] = append(items[at], item) // a name given twice stays a fault
		default:
			overridden[at] = true
			items[at][0] = merge(base.items[at], item)
		}
	}
	return &node{at: over.at, column: over.column, kind: listNode, items: append(added, slices.Concat(items...)...)}
}

func indexByName(items []*node, item *node) int {
	name := item.get("name")
	if name == nil || name.kind != scalarNode || name.isNull() {
		return -1
	}
	return slices.IndexFunc(items, func(other *node) bool {
		its := other.get("name")
		return its != nil && its.kind == scalarNode && its.text == name.text
	})
}

// mergedMapping puts a mapping over another, key by key. A mapping below a match or
// an exclude, such as label, is replaced as a whole.
func mergedMapping(base, over *node) *node {
	if base.kind != mappingNode || over.kind != mappingNode {
		return over
	}
	result := &node{at: over.at, column: over.column, kind: mappingNode, fields: slices.Clone(base.fields)}
	seen := map[string]bool{}
	for _, f := range over.fields {
		below := result.get(f.key)
		switch {
		case seen[f.key] || below == nil:
			result.fields = append(result.fields, f) // a key given twice stays a fault
		case f.value.isNull():
			result = result.without(f.key)
		case f.key == "match" || f.key == "exclude":
			result = result.with(field{f.key, f.at, f.column, mergedMapping(below, f.value)})
		default:
			result = result.with(f)
		}
		seen[f.key] = true
	}
	return result
}

// withDefaults adds the values that a policy leaves out, so that [Policy.Show] shows
// everything.
func withDefaults(root *node) *node {
	if root.kind != mappingNode {
		return root
	}
	keys := Keys()
	root = withDefaultsOf(root, keys)
	limits := root.get("limits")
	if limits == nil || limits.isNull() {
		limits = &node{kind: mappingNode}
	}
	if limits.kind == mappingNode {
		limits = withDefaultsOf(limits, KeysBelow(keys, "limits"))
		root = root.with(field{key: "limits", at: limits.at, value: limits})
	}
	if rules := root.get("rules"); rules != nil && rules.kind == listNode {
		filled := *rules
		filled.items = nil
		for _, rule := range rules.items {
			filled.items = append(filled.items, withRuleDefaults(rule))
		}
		root = root.with(field{key: "rules", at: rules.at, column: rules.column, value: &filled})
	}
	return root
}

func withRuleDefaults(rule *node) *node {
	if rule.kind != mappingNode {
		return rule
	}
	return withFindingDefaults(withDefaultsOf(rule, slices.DeleteFunc(KeysBelow(Keys(), "rules"), func(k Key) bool {
		return k.Name == "keep_newest" // of rules that match duplicates alone
	})))
}

// withFindingDefaults adds the defaults of a rule that matches one finding alone.
func withFindingDefaults(rule *node) *node {
	match := rule.get("match")
	if match == nil || match.kind != mappingNode || len(match.fields) == 0 {
		return rule
	}
	var ignored Faults
	var m Match
	reader{faults: &ignored}.mapping(match, matchKeys(&m))
	if m.AnyFinding || len(m.Findings) != 1 {
		return rule
	}
	switch m.Findings[0] {
	case graph.FindingDuplicate:
		if couldBeDuplicate(&m) {
			rule = withDefault(rule, "keep_newest", "!!int", strconv.Itoa(defaultKeepNewest))
		}
		if rule.get("max_per_owner") == nil {
			match = withDefault(match, "idle_for", "!!str", human.Exact(DefaultIdleFor))
		}
	case graph.FindingZombies:
		match = withDefault(match, "zombies_over", "!!int", strconv.Itoa(defaultZombies))
	case graph.FindingRespawning:
		match = withDefault(match, "respawns_over", "!!int", strconv.Itoa(defaultRespawns))
	}
	return rule.with(field{key: "match", at: match.at, column: match.column, value: match})
}

// withDefaultsOf adds the defaults of keys that a mapping leaves out.
func withDefaultsOf(n *node, keys []Key) *node {
	for _, k := range keys {
		switch {
		case k.Default == "":
		case k.Type == TypeBoolean:
			n = withDefault(n, k.Name, "!!bool", k.Default)
		case k.Type == TypeCount:
			n = withDefault(n, k.Name, "!!int", k.Default)
		default:
			n = withDefault(n, k.Name, "!!str", k.Default)
		}
	}
	return n
}

func withDefault(n *node, key, tag, text string) *node {
	if n.get(key) != nil {
		return n
	}
	return n.with(field{key: key, value: &node{tag: tag, text: text}})
}
