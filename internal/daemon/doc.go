// Package daemon is the service around the loop of package sweep: `reaperd run`.
//
// [Run] starts one part for each subject, runs the loop until its context ends,
// and ends the parts again:
//
//	rules      which policy holds: loads it, mode by flag, beside a system daemon
//	reloader   when it is read again: SIGHUP, a changed file, a system daemon
//	wakes      what starts a sweep at once: exits, engines, pins and pause
//	record     the journal: whether it takes entries, what a dead daemon left
//	publisher  what every sweep tells: metrics and the report
//	teller     what every sweep logs: one line for each thing that changed
//	pulse      that the loop goes on: the service manager, /healthz, a hang
//	locks      that one daemon of a user runs
//
// No part knows another but through what it is given, mostly a function or a
// channel, so each loop is tested on a fake clock without a host. The host itself
// (package host) is one look's business and is handed to the loop.
//
// Whatever goes wrong, the daemon stays up and acts on nothing: with a policy that
// has faults, with a journal that takes nothing, with a host that cannot be looked
// at. Only what cannot be without is an error of [Run]: the lock, a port that was
// asked for, the process table.
package daemon
