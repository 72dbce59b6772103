// Package soak runs ten thousand sweeps in a short time: what grows over months shows
// there. It measures four things, in a live world in which sessions with servers and
// containers start and are killed all the time:
//
//   - the sweeps: this package's test binary, run again as a [sweeper], looks at the host
//     with internal/host, as `reaperd run` does, and makes one sweep after the other with
//     the real policy, reaper and journal. It reports goroutines, descriptors and memory.
//   - `reaperd run` from outside, woken as often as it permits.
//   - the memory and processor time of `reaperd run` while nothing happens, at `@every
//     10s` among five hundred processes.
//   - for how long one act delays all others if an engine hangs during it.
//
// `go test` makes a short run of the first two; REAPERD_SOAK=full, which `make soak`
// sets, makes a full run of all. Growth is judged between the second and the last quarter
// of a run: caches fill in the first.
package soak
