// Package reaperd holds what is built into the program: the shipped policy.
package reaperd

import _ "embed"

//go:embed policies.yaml
var policies string

// DefaultPolicy is the text of the shipped policies.yaml.
func DefaultPolicy() []byte { return []byte(policies) }
