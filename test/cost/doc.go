//go:build linux

// Command cost measures what looking at a process table costs: a plain loop in C, ps, two Go
// libraries, reaperd's scanner and the whole daemon, in one PID namespace among as many idle
// processes as are asked for. It prints one table; everything is processor time, and ratios
// are to the loop in C of the same run.
//
// The daemon is measured from outside while it sweeps once a second. It needs root on Linux
// and a C compiler; strace, where it is installed, counts system calls. `make bench` runs it.
package main
