// Package top is `reaperd top`: an account on a live terminal, and keys as orders.
//
//	Host ── Seen ─► Model ── Frame ─► Terminal
//	  ◄── Effect ──── Update ◄─ Key ────┘
//
// A [Model] is a value that reads neither the host, the clock nor a terminal: [Model.Update] takes a message
// (a key, a look, an answer) and returns the next model and the [Effect] that it asks for. [Host] asks whoever
// decides. [Run] is the loop between them. It sleeps until something happens, draws only what has changed, and
// wakes by itself only when a time on the screen reads differently.
//
//	messages and effects       message.go
//	the model, and its keys    model.go, keys.go, choice.go (p and x)
//	the tree's rows            rows.go (folds, filter), order.go
//	the screen                 frame.go, view.go, page.go
//	the loop and the terminal  loop.go, jobs.go, events.go, terminal.go
//	who is asked               host.go
//
// Every word about a thing is the account's, and the pages are those of package screen. What others have named
// is escaped, and no line is wider than the terminal. Every way out gives the terminal back: a quit, an error,
// SIGTERM and SIGHUP (they end the caller's context), a panic, a suspension.
//
// The library of the terminal is tcell. It was chosen over these (measured over an empty program, stripped,
// linux/amd64):
//
//	              in a binary   modules   wakes when idle
//	tcell v3          0.95 MB         8   never
//	bubbletea v2      2.09 MB        16   60 times a second
//	bubbletea v1      1.39 MB        16   60 times a second, superseded
//	tview             1.59 MB         9   never, needs tcell v2
//
// tcell has no widgets. Its queries to the terminal are off: where nothing answers they delay the start by a
// second.
package top
