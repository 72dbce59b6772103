// Package top is `reaperd top`: an account on a live terminal, and keys as orders.
//
//	Host ── Seen ─► Model ── Frame ─► Terminal
//	  ◄── Effect ──── Update ◄─ Key ────┘
//
// A [Model] is a pure value: [Model.Update] takes a message (a key, a look, an answer) and returns
// the next model and the [Effect] that it asks for. [Host] asks whoever decides. [Run] is the
// loop between them: it draws only what has changed. Every word is the account's. Every way out
// gives the terminal back. The library of the terminal is tcell: it is half as large as
// bubbletea and never wakes when nothing happens.
package top
