// Package darwin asks macOS about processes: the table, what each runs, its descriptors and
// who has their other ends, and what launchd started. [Kernel] has the calls as an interface,
// [Open] those of libSystem, without cgo. layout.go is one table: which byte of a struct means
// what, and the header that says so; a test compares it with what the compiled headers gave.
//
// A struct of an unexpected size is an error. The names of pipes and sockets are hashed kernel
// addresses: equal for all who ask, but reused once the pipe is gone, so they mean something
// within one look only. Decoders are pure and built on every system.
package darwin
