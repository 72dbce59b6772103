// Package overview makes one tree of what a host runs, for people: live sessions,
// below them their servers, below these their processes and containers; what no
// live session has stands in branches of its own. The daemon's page and `reaperd
// top` show the same [Tree].
//
// [Make] is a pure function of what was seen and decided. A [Tree] holds values
// only and is a JSON document with a version, which a daemon hands to `reaperd top`
// over its socket.
//
// Where a thing stands:
//
//	sessions  what a live session has, at the end of the chain of owners
//	others    what a live process or a service has that is no known client
//	leaked    what is orphaned or has exited, below the session that left it
//	unclear   what nothing proves the owner of
//
// A container stands below its client, and what a gateway owns below the gateway,
// wherever these stand. Every target that reports are about stands in the tree
// once.
//
// [Teller] words what becomes of a node, so that both say it in the same words. How a
// tree is folded, ordered and drawn is theirs.
//
// Texts are free of secrets ([redact]). They may hold any character: whoever
// writes them to a terminal or a page makes them harmless there.
package overview
