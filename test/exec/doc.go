// Package exec is the live test of `reaperd exec`: clients and supervisors are
// killed over servers that ignore every signal and the end of their input, fork
// twice, start a browser and run in containers. Nothing of them may be left. And
// a server that a session uses must go on answering, whatever died between them.
//
// Each test lives in a PID namespace of its own (package farm). The test binary
// itself plays clients, launchers and servers. REAPERD_EXEC=full kills a hundred
// times where the tests otherwise kill a few.
package exec
