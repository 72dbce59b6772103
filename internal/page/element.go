package page

import g "maragu.dev/gomponents"

// el makes an element, attr an attribute, and plain a text. They are not inlined: the
// library's own functions are, and each call then carries a copy of the code that
// renders it. That was 0.3 MB of the program.
//
//go:noinline
func el(name string, children ...g.Node) g.Node { return g.El(name, children...) }

//go:noinline
func attr(name string, value ...string) g.Node { return g.Attr(name, value...) }

//go:noinline
func plain(text string) g.Node { return g.Text(text) }
