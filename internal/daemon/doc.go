// Package daemon is who decides: `reaperd run`, the service around the loop of package sweep;
// one pass for a command where no daemon answers (once.go); saved snapshots (replay.go).
//
// A service has parts that know each other only by functions and channels, so that each is
// tested without a host: rules (the policy), wakes (what starts a sweep), record
// (the journal), publisher, teller (the log), mind and decider (what people ask), pulse (signs
// of life), locks. If the policy has faults, the journal takes nothing, or the host cannot be
// looked at, it stays up and acts on nothing. [Run] fails only without its lock, a port that
// was asked for, or the process table.
package daemon
