//go:build linux

// Command cost measures what looking at a process table costs: a plain loop in C, ps,
// two Go libraries, reaperd's scanner and the whole daemon, each in the same PID
// namespace, among as many idle processes as are asked for. It prints one table.
//
// The daemon is measured from outside, by its processor clock, while it sweeps once
// a second: first while its processes are younger than a minute, then when they are
// older. The loop in C runs beside it, once a second too. Everything is processor
// time; ratios are to the loop of the same run.
//
// It needs root on Linux and a C compiler; strace, where it is installed, counts
// system calls. `make bench` runs it.
package main
