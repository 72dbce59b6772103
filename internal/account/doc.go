// Package account is what one look came to, as any reader may be told it: a pure value.
//
//	graph, verdicts, policy, decider ── Of ─► Account ── For(user) ─► what that user may see
//
// Every screen, the page, the metrics and the JSON of scan are written from an [Account].
// fate.go says what becomes of a thing and counts it, tree.go the order and the rows, words.go and headline.go every
// word, commands.go what to type, user.go what a user may see. A screen only chooses and lays out.
// A [Text] that names a time is written for a moment at the end, so it stays true while a
// screen is open. In the JSON, keys are only added, and what is left out is unknown.
package account
