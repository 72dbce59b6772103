package policy

import "time"

// Key describes one key of a policy file. The reader itself uses the keys, so the
// reference made from them cannot differ from what is read.
type Key struct {
	Name    string
	About   string // half a sentence; empty if the name is enough
	Type    Type
	Words   []string // of TypeWord: the allowed words
	Several bool     // a list of such values is allowed too: any of them is enough
	Default string   // the value if the key is left out, as a file would write it
	Most    int      // of TypeCount: the largest number
	Keys    []Key    // of TypeMapping, and of each item of a TypeList
	Shape   string   // of TypeMapping: a name for Keys where several keys take the same ones
}

// Type is the type of a value.
type Type uint8

// The types of values.
const (
	TypeText     Type = iota // one line for people
	TypeWord                 // one of Words
	TypeGlob                 // a text in which *, ? and [a-z] stand for others
	TypeBoolean              // true or false
	TypeCount                // a whole number from 1 to Most
	TypePercent              // a number above 0, in percent of one core
	TypeSize                 // bytes, such as 512MiB
	TypeDuration             // such as 30s, 2m, 1h30m, 7d
	TypeSchedule             // five cron fields, or a descriptor such as @every 30s
	TypeLabels               // a mapping from label to a glob for its value
	TypeMapping              // the mapping of Keys
	TypeList                 // a list of mappings of Keys
)

// Keys describes the policy file, in the order in which its reference does.
func Keys() []Key {
	l := loader{policy: &Policy{}}
	return l.fileKeys().described()
}

// key is a Key with the function that reads its value.
type key struct {
	Key
	read  func(value)
	fills bool // its default is read where a mapping leaves it out
}

// schema lists the keys that a mapping may have.
type schema []key

// of is the key of that name; false if there is none.
func (s schema) of(name string) (key, bool) {
	for _, k := range s {
		if k.Name == name {
			return k, true
		}
	}
	return key{}, false
}

func (s schema) names() []string {
	names := make([]string, 0, len(s))
	for _, k := range s {
		names = append(names, k.Name)
	}
	return names
}

func (s schema) described() []Key {
	keys := make([]Key, 0, len(s))
	for _, k := range s {
		keys = append(keys, k.Key)
	}
	return keys
}

// or sets the default of a key.
func (k key) or(fallback string) key {
	k.Default, k.fills = fallback, true
	return k
}

// tag is the YAML tag of a key's default.
func (k key) tag() string {
	switch k.Type {
	case TypeBoolean:
		return "!!bool"
	case TypeCount:
		return "!!int"
	}
	return "!!str"
}

// keyOf is a key with the function that reads its value.
func keyOf(described Key, read func(value)) key { return key{Key: described, read: read} }

func durationKey(name, about string, least time.Duration, into *time.Duration) key {
	return keyOf(Key{Name: name, About: about, Type: TypeDuration}, func(v value) { *into = v.duration(least) })
}

func countKey(name, about string, most int, into *int) key {
	return keyOf(Key{Name: name, About: about, Type: TypeCount, Most: most}, func(v value) { *into = v.count(most) })
}

func globsKey(name, about string, into *[]string) key {
	return keyOf(Key{Name: name, About: about, Type: TypeGlob, Several: true}, func(v value) { *into = v.globs() })
}

func argumentsKey(name, about string, into *[]string) key {
	return keyOf(Key{Name: name, About: about, Type: TypeGlob, Several: true}, func(v value) { *into = v.arguments() })
}

func wordKey[W ~string](name, about string, allowed []string, into *W) key {
	return keyOf(Key{Name: name, About: about, Type: TypeWord, Words: allowed}, func(v value) { *into = W(v.word(allowed)) })
}

func wordsKey(name, about string, allowed []string, take func(string)) key {
	return keyOf(Key{Name: name, About: about, Type: TypeWord, Words: allowed, Several: true}, func(v value) {
		for _, word := range v.words(allowed) {
			take(word)
		}
	})
}

func nameKey(about string, into *string) key {
	return keyOf(Key{Name: "name", About: about}, func(v value) { *into = v.name() })
}

func matchKey(name, about string, into func() *Match) key {
	k := mappingKey(name, about, matchKeys(&Match{}), func() schema { return matchKeys(into()) })
	k.Shape = "match"
	return k
}

// mappingKey is a key with a mapping that must say something.
func mappingKey(name, about string, described schema, keys func() schema) key {
	return keyOf(Key{Name: name, About: about, Type: TypeMapping, Keys: described.described()}, func(v value) {
		if v.isNull() || v.kind == mappingNode && len(v.node.fields) == 0 {
			v.fault("empty; an empty selector means nothing, so say what it is about")
			return
		}
		v.reader.about("%s", name).mapping(v.node, keys())
	})
}
