// Package hostile plays, on the real program and in namespaces of their own, what
// people who mean harm do to a daemon of root, and what failing hosts do to it.
// Each test is a row of the threat model in SECURITY.md: it says who attacks with
// what, and shows that it holds.
package hostile
