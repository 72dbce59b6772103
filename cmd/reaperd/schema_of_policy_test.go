package main

import (
	"encoding/json"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/reaperd/reaperd/internal/policy"
)

// policyFile is the schema of policies.yaml. It accepts every file that reaperd accepts,
// except for words in capitals. Rules that connect several keys, such as an action that
// does not fit containers, are checked only by `reaperd policy check`.
func policyFile() *jsonschema.Schema {
	shapes := shapes{}
	file := shapes.mapping(policy.Keys())
	file.Title = "reaperd policy"
	file.Description = "What is reaped, when, and how. `reaperd policy check` says what is wrong with a file, line by line."
	file.Required = []string{"version"}
	file.Defs = shapes
	return file
}

// shapes are the mappings that several keys have as values, by name.
type shapes map[string]*jsonschema.Schema

func (s shapes) mapping(keys []policy.Key) *jsonschema.Schema {
	schema := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: nothing(),
	}
	for _, key := range keys {
		schema.Properties[key.Name] = s.property(key)
		schema.PropertyOrder = append(schema.PropertyOrder, key.Name)
	}
	return schema
}

// named returns a reference to a mapping with a name, and adds the mapping's description
// once.
func (s shapes) named(key policy.Key) *jsonschema.Schema {
	if s[key.Shape] == nil {
		s[key.Shape] = s.mapping(key.Keys)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + key.Shape}
}

// nothing matches no value.
func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// property is the schema of a key's value. Every key but those of a file and of a rule that must be there may be empty:
// that removes the value of the built-in rule.
func (s shapes) property(key policy.Key) *jsonschema.Schema {
	one := s.valueOf(key)
	either := []*jsonschema.Schema{one}
	if key.Several {
		least := 1
		either = append(either, &jsonschema.Schema{Type: "array", Items: s.valueOf(key), MinItems: &least})
	}
	schema := one
	if mustBe := key.Name == "version" || key.Name == "name" && key.Type != policy.TypeGlob; !mustBe {
		schema = &jsonschema.Schema{AnyOf: append(either, &jsonschema.Schema{Type: "null"})}
	}
	schema.Description = key.Text()
	schema.Default = defaultOf(key)
	return schema
}

// patterns are regular expressions for values that have a form of their own.
var patterns = map[policy.Type]string{
	policy.TypeDuration: `^\+?(\d+w)?(\d+d)?(\d*\.?\d*(ns|us|µs|μs|ms|s|m|h))*$`,
	policy.TypeSize:     `^\d+(\.\d+)? ?[kKmMgGtTpP]?[iI]?[bB]?$`,
	policy.TypeSchedule: `^(CRON_TZ=\S+ +|TZ=\S+ +)?(@\S+( \S+)?|\S+( +\S+){4})$`,
}

func (s shapes) valueOf(key policy.Key) *jsonschema.Schema {
	switch key.Type {
	case policy.TypeWord:
		return &jsonschema.Schema{Type: "string", Enum: anyOf(key.Words)}
	case policy.TypeGlob: // a number or a boolean is read as its text
		return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	case policy.TypeBoolean:
		return &jsonschema.Schema{Type: "boolean"}
	case policy.TypeCount:
		return &jsonschema.Schema{Type: "integer", Minimum: number(1), Maximum: number(float64(key.Most))}
	case policy.TypePercent:
		return &jsonschema.Schema{Type: "number", ExclusiveMinimum: number(0)}
	case policy.TypeDuration: // of all durations only 0 needs no unit, and is a number in YAML
		return textOr(key.Type, &jsonschema.Schema{Type: "integer", Minimum: number(0), Maximum: number(0)})
	case policy.TypeSize: // in bytes it is a number
		return textOr(key.Type, &jsonschema.Schema{Type: "integer", Minimum: number(0)})
	case policy.TypeSchedule:
		return &jsonschema.Schema{Type: "string", Pattern: patterns[key.Type]}
	case policy.TypeLabels:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}}
	case policy.TypeMapping:
		if key.Shape != "" {
			return s.named(key)
		}
		return s.mapping(key.Keys)
	case policy.TypeList:
		items := s.mapping(key.Keys)
		items.Required = []string{"name"}
		return &jsonschema.Schema{Type: "array", Items: items}
	default:
		return &jsonschema.Schema{Type: "string"}
	}
}

// textOr is the schema of a text of a form of its own, or of a number.
func textOr(form policy.Type, other *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string", Pattern: patterns[form]}, other}}
}

func number(value float64) *float64 { return &value }

func anyOf(words []string) []any {
	values := make([]any, 0, len(words))
	for _, word := range words {
		values = append(values, word)
	}
	return values
}

// defaultOf returns the default value of a key as JSON; nil if there is none.
func defaultOf(key policy.Key) json.RawMessage {
	if key.Default == "" {
		return nil
	}
	if key.Type == policy.TypeBoolean || key.Type == policy.TypeCount {
		return json.RawMessage(key.Default)
	}
	return json.RawMessage(strconv.Quote(key.Default))
}
