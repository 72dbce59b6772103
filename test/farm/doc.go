// Package farm runs reaperd on live worlds: process trees, made for a test, in a PID, mount and
// network namespace of their own. A [World] is a table row: its parts (package actor), the parts
// that are killed, and the trees that reaperd must reap. Every other process must be alive
// afterwards and, if the row says so, must still answer.
//
// The test binary runs itself again in the namespace, below tini or a plain init. Nothing
// outside can be hit, and all processes end with it. That needs root on Linux; elsewhere the
// tests are skipped. The programs are built once for each test binary, or taken from
// REAPERD_BIN. With REAPERD_TEST_REQUIRE=docker a test fails instead of being skipped.
package farm
