// Package graph works out what a snapshot means: which live session owns each MCP
// server and each container, and what is wrong with those that have no live owner.
// [Correlate] is a pure function of the snapshot and of the previous graph, which is
// the whole memory between two looks. It reads neither the host nor the clock. Where
// a fact is unknown, the server is kept.
//
//	question                                      answered in
//	who owns a server, when is it leaked?         rule.go: roots, witnesses, marks, conclusion
//	  what does each witness look at?             witness.go, execd.go, declared.go
//	  who has the other end of a stream?          ends.go
//	  which processes are one server?             recognise.go, trees.go
//	who owns a container?                         containers.go: stages; the first that decides, decides
//	  which container is of which `docker run`?    runners.go, classes.go, gonerunners.go
//	which sessions are there, which are leaked?   sessions.go, leftover.go
//	what keeps a target whatever the policy?      guard.go
//	since when, and how often?                    memory.go, activity.go, respawn.go
package graph
