// Package page writes the daemon's page: HTML from an [overview.Tree] and the
// daemon's state. It is pure; package serve serves it.
//
//	document         asked for by
//	the whole page   a reader; it works without its script
//	its live part    the script, after each look; it replaces only changed parts, so focus and folds stay
//	one node         a reader who opens the node: all evidence
//
// A document is sent in pieces, the first screen first: what leaks, what is reaped
// next and how to keep it, how much sessions hold. The rest of a long page follows once a
// browser had time to show that: it would otherwise read all of it first.
//
// view.go, coming.go, rows.go, day.go and about.go compute plain values. The markup files turn these
// into elements with gomponents, one function for each part of the page; start reading at
// the top of markup.go. html/template is not used: it finds methods by name at run time,
// so the linker would keep every exported method of the program.
//
// The page loads nothing from other addresses; [Page.Policy] forbids that. gomponents
// escapes every text and attribute, except the page's own style and script. Invisible characters
// become "?" ([human.IsInvisible]).
package page
