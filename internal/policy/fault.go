package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Origin is the place where a value is written. The zero value means a default.
type Origin struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// String is "policies.yaml:14", or "default" for a value nobody wrote.
func (o Origin) String() string {
	switch {
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	case o.File != "":
		return o.File
	}
	return "default"
}

// Fault is one error in a policy file.
type Fault struct {
	Origin
	Column int // 0 is the whole line
	Text   string
}

// Error is the fault, with file and line before it.
func (f Fault) Error() string { return f.Origin.String() + ": " + f.Text }

// Faults are all errors in a policy, in file order.
type Faults []Fault

// Error is the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted orders faults: the user's file before the built-in one, each by line.
func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(
			compareBool(a.File == Builtin, b.File == Builtin),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(f)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
