// Package farm runs reaperd on live worlds: process trees, made for a test, in a PID,
// mount and network namespace of their own.
//
// A [World] is a table row: its parts (package actor; package cast has the common ones),
// the parts that are killed, and the trees that reaperd must reap. Every other process
// that is alive when reaperd starts must be alive afterwards and, if the row says so,
// must still answer. Processes are compared by PID and start mark.
//
// The test binary runs itself again in the namespace, below a first process that is tini
// or a plain init. Inside, the test starts the world as a terminal would, kills what the
// row says, runs the real reaperd, and compares reaperd's JSON and the process table with
// the row. Nothing outside the namespace can be hit, and all processes end with it.
//
// Namespaces need root on Linux; elsewhere the tests are skipped. The programs (reaperd
// and the actor) are built once for each test binary, or taken from REAPERD_BIN. With
// REAPERD_TEST_REQUIRE=docker a test fails instead of being skipped.
package farm
