// Package actor plays the processes of a live test world. A [Part] describes one process: its
// executable, argv, stdin and stdout, and its actions, such as answering pings or ignoring
// SIGTERM. One small static program, cmd/actor, plays every part: it is hard-linked under the
// name of the part and started with its argv, so that others see npm, node, claude or uvx.
//
// A part starts its own children, so a world is a tree of parts: a session makes the socket
// pairs, hands one end to its child and keeps the other.
package actor
