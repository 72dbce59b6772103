// Package policy decides what should happen: it reads policies.yaml into rules,
// holds the rules against a graph, and orders what follows from that into a plan.
//
// It is pure. Files come in as bytes with a name, time as the moment of a
// snapshot; nothing in here reaches the host or the clock, and nothing acts.
//
//   - [Load] reads a file strictly and returns every fault at once, in file
//     order, with its line. A file that extends the built-in policy is merged
//     with it key by key before anything is decided, so that a fault of the
//     combination is found too. Each value keeps the line it came from, which
//     is what [Policy.Show] prints behind it.
//   - [Judge] gives every target a [Verdict]. Protection comes first, then the
//     rules in their order, then the guards that the graph found. A guard or a
//     protection also reaches what would be lost with it: a pinned server keeps
//     the gateway above it and the container below it.
//   - [MakePlan] orders the verdicts that reap into actions, containers before
//     their clients and gateways after all that is below them, within the limits.
//
// A condition on a fact that could not be read never matches. The other way
// round, an exclude or a protect that rests on such a fact does hold: in doubt,
// keep. A fact that nobody recorded neither proves nor vetoes.
//
// The zero values are the harmless ones: mode report, action report, keep.
package policy
