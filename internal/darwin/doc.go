// Package darwin asks macOS about processes: the table, what each runs, its
// descriptors and who has their other ends, and what launchd started.
//
// The calls stand behind [Kernel], which [Open] implements with libSystem and
// without cgo. What they fill in is decoded by pure functions that are built on
// every system. Which byte means what stands in one table, layout.go, with the
// header of XNU that each line comes from; a test compares it with what these
// headers gave when they were compiled (darwintest/xnu.txt), and the tests'
// fixtures are encoded from that file, not from the table.
//
// What a struct of another size holds is not guessed: it is an error, and what
// could not be read keeps. Handles of pipes and sockets are hashed addresses of
// the kernel's: equal for all who ask until the next boot, and used again once
// the pipe is gone, so that they mean something within one look only.
package darwin
