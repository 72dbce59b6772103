// Package page writes the daemon's page: HTML from an [overview.Tree] and what the
// daemon says of itself. It is pure; internal/serve hands it out.
//
// Three documents come from one template: the whole page, the part of it that a
// look changes, and one node with all its evidence. The page works without its
// script; with it, the script asks for the part after each look and takes over
// what is different, so that a reader keeps place, focus and what is folded.
//
// The page asks for nothing from elsewhere, and [Page.Policy] forbids it to. Text of
// others is escaped by html/template, and no character of a document is invisible
// ([human.IsInvisible]).
package page
