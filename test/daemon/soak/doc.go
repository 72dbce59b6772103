// Package soak runs ten thousand sweeps in a short time: what grows over months shows there.
// Sessions with servers and containers start and are killed all the time. It measures the sweeps
// (this test binary, run again as a [sweeper]: goroutines, descriptors, memory), `reaperd run`
// from outside, what that costs while nothing happens, and for how long one act delays all others
// while an engine hangs.
//
// `go test` makes a short run of the first two; REAPERD_SOAK=full, which `make soak` sets, makes
// a full run of all. Growth is judged between the second and the last quarter of a run.
package soak
