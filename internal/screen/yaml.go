package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd/internal/human"
)

// YAMLOf writes a JSON value as YAML and keeps the order of its keys.
func YAMLOf(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	node, err := yamlNode(decoder)
	if err != nil {
		return nil, fmt.Errorf("write report as YAML: %w", err)
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return nil, fmt.Errorf("write report as YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write report as YAML: %w", err)
	}
	return escapeYAML(b.Bytes()), nil
}

// escapeYAML writes invisible characters as \UXXXXXXXX. yamlText has put texts with such
// characters in double quotes.
func escapeYAML(document []byte) []byte {
	if bytes.IndexFunc(document, human.IsInvisible) < 0 {
		return document
	}
	var escaped bytes.Buffer
	for _, r := range string(document) {
		if human.IsInvisible(r) {
			fmt.Fprintf(&escaped, `\U%08X`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes()
}

// yamlText returns a text as a node, in double quotes if it needs escapes.
func yamlText(text string) (*yaml.Node, error) {
	node := &yaml.Node{}
	err := node.Encode(text)
	if strings.ContainsFunc(text, human.IsInvisible) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node, err
}

// yamlNode reads the next JSON value.
func yamlNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case json.Delim:
		return yamlCollection(decoder, value)
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: value.String()}, nil
	case string:
		return yamlText(value)
	}
	node := &yaml.Node{}
	return node, node.Encode(token)
}

func yamlCollection(decoder *json.Decoder, open json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if open == '{' {
		node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for decoder.More() {
		child, err := yamlNode(decoder)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	_, err := decoder.Token()
	return node, err
}
