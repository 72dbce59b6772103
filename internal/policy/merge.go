package policy

import "slices"

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
