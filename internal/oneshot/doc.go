// Package oneshot is how a command that runs once sees a host, and how it acts on it:
// look, settle, look again, judge, plan, ask, look once more, act.
//
//	[Sight]   a host, or saved snapshots, under one policy, with what its looks came to:
//	          scan, explain, pin, snapshot and top show it
//	          what this user's daemon knows beside that is asked before each of the looks ([Sight.Recall])
//	[Order]   what a sweep is to do: what is named, by which rules, in which mode
//	[Sweep]   an order on a sight: what is planned, and what still holds after a yes
//
// What a flag is called, what is printed where, and who answers a question is the
// command's. Everything else is here, so that what top stops is what sweep stops.
package oneshot
