// Package policy decides what should happen. It is pure: files come in as bytes with
// a name, time as the moment of a snapshot.
//
//	step          what it does
//	[Load]        reads policies.yaml strictly; returns every fault at once, with its line; merges a file that extends the
//	              built-in policy key by key; each value keeps the line it came from ([Policy.Show])
//	[Judge]       gives every target a [Verdict]: protect entries first, then the rules in order, then the graph's guards;
//	              what keeps a target also keeps everything that would be lost with it: a pinned server keeps the gateway
//	              above it and the container below it
//	[MakePlan]    orders the verdicts that reap, within the limits: containers before their runners, gateways last
//
//	a condition on a fact that   in match          in exclude and protect
//	could not be read            does not hold     holds: in doubt, keep
//	was not recorded             does not hold     does not hold
//
// The zero values are harmless: mode report, action report, decision keep.
package policy
