// Package simulate is a little kernel with a container engine, agents and
// servers in it. It keeps what a kernel keeps: who has which end of a pipe, a
// FIFO or a connection, in a table, in a backlog, or on its way to him; who inherits it; who is
// whose parent. Worlds evolve by random events. The truth is who can still speak to whom over any
// of these channels (truth.go), and nothing that the product computes is part of it. At every look
// an honest reader writes down what the scanner of a real host would have seen (reader.go); the
// graph and the policy judge it; what they reap is ended in the world, and the history goes on.
//
// A [Script] is a whole history: its scenes, its steps, a seed for each of them.
// The same script always makes the same history, and stays meaningful when
// scenes or steps are left out of it, which is how a failure shrinks. It reads
//
//	seed 12, seen by user 1000, 3: session, 5: ring; then an agent is killed (3), look, look
//
// as: on the host of seed 12, of which a user's daemon sees what is that user's, there are a session
// and a ring of an agent and a server; an agent of scene 3 is killed; the daemon looks twice, and the
// last look goes wrong. The looks are saved with it, in the form of the corpus.
//
// Scenes and events belong to manners (manners.go): the ways in which a server comes to be used, or
// seems not to be. What came of each is told in a row of its own:
//
//	make simulate                                           all manners, 20,000 worlds
//	make simulate MANNER="hidden ends" WORLDS=1 SEED=4711   one manner, one seed
//
// It is used by tests alone.
package simulate
