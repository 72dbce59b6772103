// Package daemon runs `reaperd run` in live worlds (package farm) and looks at
// it from outside: at its port and socket, at its journal, at what it takes of
// memory, processor and descriptors, and at what lives and what is gone.
//
// Nothing of what it logs is compared: a claim about the daemon is one about
// the process table, a metric, its status, its journal or its exit code.
// Figures are logged, and a test fails only where one is far beyond what the
// daemon is to do, so that a slow machine shows in the log and not in the
// result. `make soak` (package soak) takes the figures that need time.
package daemon
