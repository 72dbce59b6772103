// Package account is what one look came to, as any reader may be told it. It is pure:
//
//	graph, verdicts, policy, decider ── Of ─► Account ── For(uid) ─► what a user may see of it
//
// Every screen, the JSON of scan, the page and the metrics are written from an [Account].
// It decides once, in one place each:
//
//	what becomes of a thing          fate.go
//	what goes with what              [Thing.Head]
//	the order and the rows           tree.go
//	every word about a thing         words.go
//	a command to type                commands.go
//	what a user may see              user.go
//
// A screen chooses what to show and lays it out. It derives nothing and cuts no sentence
// apart. A text that names a time ([Text]) is written for a moment at the end, so it stays
// true while a screen is open.
//
// The JSON of an Account is that of `reaperd scan -o json`, version 1: keys are only added,
// and what is left out is unknown.
package account
