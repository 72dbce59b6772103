// Package daemon runs `reaperd run` in live worlds (package farm) and examines it from
// outside: its port and socket, its journal, its use of memory, processor and
// descriptors, and which processes live.
//
// Tests never compare log text: they check the process table, a metric, the status, the
// journal or the exit code. They log figures, and fail only if one is far beyond the
// daemon's limits, so that a slow machine does not fail a test. `make soak` (package
// soak) takes the figures that need time.
package daemon
