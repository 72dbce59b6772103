// Package graph works out what a snapshot means: which live session owns each
// MCP server and each container, and what is wrong with those that nobody owns.
//
// Where to find what:
//
//	the rule for servers           rule.go        witnesses, marks, conclusion
//	  what each witness says       witness.go, execd.go, declared.go
//	  the other ends of a stream   ends.go
//	  what is one server           recognise.go, trees.go
//	the rule for containers        containers.go  stages, of which the first that knows decides
//	  clients of container engines clients.go, classes.go, clientends.go
//	sessions, and what is left     sessions.go, leftover.go
//	what only ever keeps           guard.go
//	since when, and how often      memory.go, activity.go, respawn.go
//
// [Correlate] is a function of the snapshot and the previous graph, which is the
// whole memory between two looks. Nothing here looks at the host or at the clock.
// Where something could not be seen the answer is unknown, and unknown is kept.
package graph
