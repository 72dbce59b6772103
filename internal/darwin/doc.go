// Package darwin asks macOS about processes: the table, what each runs, its
// descriptors and who has their other ends, and what launchd started.
//
//	file                                   what it holds
//	kernel.go                              [Kernel]: the calls, as an interface
//	system_darwin.go                       [Open]: the calls of libSystem, without cgo
//	layout.go                              one table: which byte of a struct means what, and the XNU header that says so
//	decode.go, arguments.go, tcp.go        pure decoders, built on every system
//	read.go, launchd.go                    questions: the calls and decoders together
//	token.go                               signals to exactly one process
//	darwintest/                            a played kernel for tests
//
// A test compares layout.go with what the compiled headers gave (darwintest/xnu.txt);
// the tests' fixtures are encoded from that file, not from the table. A struct of an
// unexpected size is an error. Handles of pipes and sockets are hashed kernel
// addresses: equal for all who ask, but reused once the pipe is gone, so they mean
// something within one look only.
package darwin
