// Package overview makes one tree of what runs on a host, for people: live sessions,
// below them their servers, below these processes and containers. The daemon's page
// and `reaperd top` show the same [Tree], and [Teller] gives both the same words for
// the fate of a node. How the tree is folded, ordered and drawn is theirs.
//
//	branch    what is in it
//	sessions  targets whose chain of owners ends at a live session
//	others    targets of a live process or service that is no known client
//	leaked    orphaned and exited targets, below the session that left them
//	unclear   targets whose owner is not known
//
// A container is below its client, and a gateway's servers are below the gateway.
// Every target of the reports is in the tree once.
//
// [Make] is pure. As JSON a [Tree] goes from a daemon to the `reaperd top` of the same
// release, over the daemon's socket, and is private to the two: it has a version, so
// that releases that differ say so, and no schema. Programs read `reaperd scan -o json`
// and `reaperd status -o json`, which have schemas. Its texts contain no secrets ([redact]), but may
// contain any character: whoever shows them must escape them.
package overview
