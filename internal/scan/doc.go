// Package scan turns the process table into [inventory.Process] values.
//
// A look is cheap because little is read twice: a process that has used no processor time
// since the last look runs the same program and has the same open ([cached] lists what is kept
// for how long). What decides about a reaping and others could change is never kept. The caller
// says which processes matter ([Options].Candidate); of these stdin and stdout are recorded, and
// who has the other ends, where that could change a verdict ([look.isAnchored]). A fact that
// could not be read is unreadable, never empty. Whatever a stranger can make long is bounded.
// macOS has a reader of its own ([Mac]). Parsers have no build tags.
package scan
