// Package soak is reaperd over a long time in a short one: what would grow in
// months shows in ten thousand sweeps.
//
// Four things, each looked at in a live world in which sessions with servers and
// containers come and are killed all the while:
//
//   - the sweeps themselves, as fast as they go: this package's test binary, run
//     again as a [sweeper], looks at the host with internal/host, as `reaperd run`
//     does, and makes one sweep after the other with the real policy, reaper and
//     journal. It tells its goroutines, descriptors and memory.
//   - `reaperd run`, woken as often as it lets itself be woken, measured from
//     outside.
//   - what `reaperd run` costs while nothing happens: memory and processor at
//     `@every 10s` among five hundred processes.
//   - how long one act may hold up all others when an engine hangs within it.
//
// `go test` takes a short run of the first two; REAPERD_SOAK=full, as `make soak`
// sets it, all of it. Growth is judged between the second and the last quarter
// of a run: before, caches fill.
package soak
