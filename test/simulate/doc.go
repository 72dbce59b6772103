// Package simulate is a little kernel with a container engine, agents and
// servers in it, whose truth is known because the simulator made it: who uses
// what, who holds which end of a pipe, who is whose parent. Worlds evolve by
// random events. At every look an honest reader writes down what the scanner of
// a real host would have seen at that moment; the graph and the policy judge it;
// what they reap is ended in the world, and the history goes on.
//
// A [Script] is a whole history: its scenes, its steps, a seed for each of them.
// The same script always makes the same history, and stays meaningful when
// scenes or steps are left out of it, which is how a failure shrinks.
//
// It is used by tests alone.
package simulate
