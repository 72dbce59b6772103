// Package screen runs package top on a terminal. [Open] takes the terminal over. [Run] is
// the loop: it passes keys, looks and the time to a model, draws the model's frames and
// performs its effects. It sleeps until something happens, draws only cells that have
// changed, and wakes by itself only for the next second of a countdown on the screen.
//
// Every way out gives the terminal back: a quit, an error, SIGTERM and SIGHUP (they end
// the caller's context), a panic, a suspension.
//
// Only terminal.go and keys.go know the library, tcell. It was chosen over these
// (measured over an empty program, stripped, linux/amd64):
//
//	              in a binary   modules   wakes when idle
//	tcell v3          0.95 MB         8   never
//	bubbletea v2      2.09 MB        16   60 times a second
//	bubbletea v1      1.39 MB        16   60 times a second, superseded
//	tview             1.59 MB         9   never, needs tcell v2
//
// tcell has no widgets: the model is our own and is tested without a terminal. Its queries
// to the terminal are off: where nothing answers they delay the start by a second.
package screen
