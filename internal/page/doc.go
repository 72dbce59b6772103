// Package page writes the daemon's page: HTML from an [overview.Tree] and what the
// daemon says of itself. It is pure; internal/serve hands it out.
//
// There are three documents: the whole page, the part of it that a look changes, and
// one node with all its evidence. The page works without its script; with it, the
// script asks for the part after each look and takes over what is different, so that
// a reader keeps place, focus and what is folded.
//
// A document is written piece by piece. What a reader comes for is in the first
// screen of it, and so in its first pieces: what leaks, what goes next and how to keep
// it, which session holds how much.
//
// The files named for a view (view.go, rows.go, day.go, about.go) work out what is
// shown, as plain values. The markup files make elements of these with gomponents:
// a function for each part of the page, from the top of markup.go down. It is Go
// because html/template finds methods by name while it runs, so that the linker
// keeps every exported method of the whole program.
//
// The page asks for nothing from elsewhere, and [Page.Policy] forbids it to. gomponents
// escapes every text and attribute; the page's own style alone goes in as it is. No
// character of a document is invisible ([human.IsInvisible]).
package page
