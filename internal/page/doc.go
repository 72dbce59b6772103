// Package page writes the daemon's page: HTML from an [overview.Tree] and the
// daemon's state. It is pure; package serve serves it.
//
//	document         when it is asked for
//	the whole page   by a reader; it works without its script
//	its live part    by the script, after each look; it replaces only what differs, so focus and folds stay
//	one node         when a reader opens it: all evidence
//
// A document is written in pieces. The first screen comes first: what leaks, what
// goes next and how to keep it, which session holds how much.
//
// view.go, rows.go, day.go and about.go work out what is shown, as plain values. The
// markup files turn these into elements with gomponents, one function for each part
// of the page, from the top of markup.go down. html/template is not used: it finds
// methods by name at run time, so the linker would keep every exported method of the
// program.
//
// The page loads nothing from elsewhere, and [Page.Policy] forbids it to. gomponents
// escapes every text and attribute; only the page's own style is raw. No character of
// a document is invisible ([human.IsInvisible]).
package page
