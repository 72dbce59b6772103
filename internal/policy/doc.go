// Package policy decides what should happen. It is pure: files come in as bytes, time as the
// moment of a snapshot.
//
//	[Load]        reads policies.yaml strictly: every fault at once, with its line
//	[Judge]       gives every target a [Verdict]: protect, then the rules in order, then the guards
//	[Bundle]      what ends together, with one time: made once, in bundle.go
//	[MakePlan]    orders the verdicts that reap, within the limits
//
// What keeps a target keeps all that would be lost with it. A fact that could not be read does
// not hold in match, and holds in exclude and protect. Zero values report and keep.
package policy
