package redact

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first asked for: a
// short command such as `reaperd status --short` redacts nothing, and would spend
// much of its start on compiling all of them.
type pattern func() *regexp.Regexp

// lazily makes a pattern of an expression. It panics at its first use if the
// expression is malformed; the tests use each.
func lazily(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
