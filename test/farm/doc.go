// Package farm runs reaperd on live worlds.
//
// A [World] is a table row: parts (package actor; package cast has the common
// ones), which of them are killed, and which whole trees must be reaped.
// Everything else that is alive when reaperd starts must be alive afterwards
// and, where the row says so, must still answer.
//
// Each world lives in a PID, mount and network namespace of its own, made by
// running the test binary again below a first process that is tini or a plain
// init. The test's own code then stands inside: it starts the top of the world
// as a terminal would, kills what the row says, runs the real reaperd, and
// compares its JSON and, more than that, the process table with the row.
// Nothing outside can be hit, and everything ends with the namespace, however
// the test ends.
//
// A process is compared by PID and start mark, so that a stranger with a dead
// process's PID is not taken for it.
//
// Namespaces need root on Linux; elsewhere the worlds are skipped. The
// programs (reaperd and the actor) are built once for each test binary, or
// taken from REAPERD_BIN. REAPERD_TEST_REQUIRE=docker, as the project's own
// checks set it, makes a test fail where it would be skipped.
package farm
