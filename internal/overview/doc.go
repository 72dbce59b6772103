// Package overview makes one tree of everything reaperd watches on a host, for people to
// read: live sessions, below them their servers, below these processes and containers.
// The daemon's page and `reaperd top` show the same [Tree], and [Teller] gives both the
// same words for the state of a node. Folding, order on the screen and drawing are up to
// each of them.
//
//	branch    what is in it
//	sessions  targets whose chain of owners ends at a live session
//	others    targets of a live process or service that is no known client
//	leaked    orphaned and exited targets, below the session that left them
//	unclear   targets whose owner is not known
//
// A container is below its runner, and a gateway's servers are below the gateway. Every
// target of the reports is in the tree exactly once.
//
// [Make] is pure. A daemon sends a [Tree] as JSON over its socket to the `reaperd top` of
// the same release. The format is private to the two: it has a version, so that different
// releases detect each other, and no schema. Other programs read `reaperd scan -o json`
// and `reaperd status -o json`, which have schemas. The texts of a tree contain no
// secrets ([redact]), but may contain any character: whoever shows them must escape them.
package overview
