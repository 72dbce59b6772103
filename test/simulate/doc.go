// Package simulate is a little kernel with a container engine, agents and servers in it. Worlds
// evolve by random events. The truth is who can still speak to whom over any channel (truth.go);
// nothing that the product computes is part of it. At every look an honest reader writes down
// what a scanner would have seen (reader.go), graph and policy judge it, and what they reap ends.
//
// A [Script] is a whole history, which is how a failure shrinks. Scenes and events belong to
// manners (manners.go), the ways in which a server comes to be used, or seems not to be; what
// came of each is told in a row of its own: make simulate MANNER="hidden ends" WORLDS=1 SEED=4711
package simulate
