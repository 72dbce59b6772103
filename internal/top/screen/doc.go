// Package screen runs package top on a terminal: [Open] takes the terminal over,
// [Run] is the loop that brings keys, looks and the time to a model, draws what it
// shows and has done what it wants.
//
// The loop sleeps until something happens. It draws only what differs from what the
// terminal shows, and wakes by itself only for the next second of a countdown that
// is on the screen.
//
// The terminal is given back on every way out: a quit, an error, SIGTERM and SIGHUP
// (the caller's context ends), a panic, a suspension. What is pasted is never a
// command.
//
// The library is tcell: nothing but terminal.go and keys.go knows it. It was chosen
// over bubbletea and over tview:
//
//	              in the binary   modules   wakes when idle   releases
//	tcell v3           0.95 MB         7        0             tagged, monthly
//	bubbletea v2       2.09 MB        15       60 a second    newest one needs an untagged module that the proxy does not have
//	bubbletea v1       1.39 MB        16       60 a second    superseded
//	tview              1.59 MB         9        0             on tcell v2, one release a year
//
// (Stripped, over an empty program; those that reaperd links anyway count too.)
// tcell draws cells, has no frame rate and no widgets: the model is ours, and is
// tested without it. It brings no go-runewidth, whose initialisation every command
// would pay for, and a terminal emulator (vt) for tests. Of its own it initialises
// three small packages in 0.2 ms. Its questions to the terminal are turned off:
// they take a second where nobody answers.
package screen
