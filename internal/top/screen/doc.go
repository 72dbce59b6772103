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
// over bubbletea and tview:
//
//	              in a binary   modules   wakes when idle   releases
//	tcell v3          0.95 MB         8   never             tagged, monthly
//	bubbletea v2      2.09 MB        16   60 times a second the newest needs an untagged module that cannot be had
//	bubbletea v1      1.39 MB        16   60 times a second superseded
//	tview             1.59 MB         9   never             on tcell v2, the last in August 2025
//
// (Stripped, linux/amd64, over an empty program. What reaperd links anyway counts in
// this table; in reaperd's own binary top takes 0.63 MB.) tcell draws cells and has
// neither a frame rate nor widgets: the model is ours, and is tested without it. It
// brings an emulator of a terminal for tests. It does without go-runewidth; its own
// packages take 0.3 ms of every command's start. Its questions to the terminal are
// turned off: where nobody answers they take a second.
package screen
