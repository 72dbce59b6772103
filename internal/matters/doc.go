// Package matters says which processes of a table can matter to a verdict: the
// others need not be looked at twice, listed, or judged.
//
//	a candidate: session, gateway, server, client of a container     read whole, and what is below it
//	what is above one that matters                                  its ancestors
//	what holds an end of the stdin or stdout of one that matters     its holders
//	what may be in one tree with one that matters                   what is below a parent with the same stdin,
//	                                                                 below a relay, below a neighbour in a pipeline
//	a process whose arguments are not known                         it may be the client of a container
//	whoever is named                                                by an environment, a label, the memory
//	the dead that one that matters has not waited for               they count as its zombies
//
// A [Rule] decides about single processes, while a look is made; [Select] takes all
// that matters from a table that was seen whole. That both come to the same verdicts
// as the whole table is held by tests over recorded and over random worlds.
//
// It is a pure function of what was seen, and in doubt a process matters.
package matters
