// Package graph works out what a snapshot means: which live session owns each MCP server and
// container, and what is wrong with those that have no live owner. [Correlate] is a pure
// function of the snapshot and of the graph before it. What is unknown keeps.
//
//	whose a server is, when it is leaked     rule.go, witness.go, channels.go
//	which processes matter, are one server   selection.go, recognise.go, trees.go, outsiders.go
//	whose a container is                     containers.go, containerwitness.go, runners.go, assign.go
//	sessions, and idle ones                  sessions.go, left.go, idle.go, sessionuse.go
//	what keeps whatever the policy says      guard.go, pinned.go
//	since when, and how often                memory.go, activity.go, respawn.go
package graph
