// Package daemon is `reaperd run`: the service around the loop of package sweep.
// [Run] starts these parts, runs the loop until its context ends, and stops the parts
// again:
//
//	part       its subject
//	rules      the policy in force: loads it, applies the mode flag, makes room for a system daemon
//	reloader   when the policy is read again: SIGHUP, a changed file, a system daemon
//	wakes      what starts a sweep at once: exits, engines, pins and pauses
//	record     the journal: whether it takes entries, what a dead daemon left in it
//	publisher  metrics and the report after each sweep
//	teller     the log: one line for each thing that has changed
//	announced  logs each target that is to be ended, when it is due, and what became of it
//	departed   which sessions and targets are no more, and how they ended
//	hands      the log of pauses and pins: one line when each begins and when it ends
//	pulse      signs of life: service manager, /healthz, hanging acts
//	locks      one daemon for each user
//
// Parts know each other only through functions and channels that they are given, so
// each is tested on a fake clock without a host.
//
// If the policy has faults, the journal takes nothing, or the host cannot be looked
// at, the daemon stays up and acts on nothing. [Run] fails only without its lock, a
// port that was asked for, or the process table.
package daemon
