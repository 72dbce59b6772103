// Package actor plays the processes of a live test world.
//
// A [Part] says what one process is (its executable, argv, what its stdin and
// stdout are) and what it does (answer pings, pass its streams on, listen,
// ignore a SIGTERM). One small static program, cmd/actor, plays every part: it
// is hard-linked under the name the part asks for and started with exactly the
// argv the part asks for, so that from outside it is npm, node, claude or uvx.
// It reads its part from the environment, never from its arguments.
//
// A part starts its own children, so a world is a tree of parts and comes into
// being as a real one would: the session makes the socket pairs, hands one end
// to its child and keeps the other. What a world knows of its processes it
// reads from the folder run in the world's folder:
//
//	NAME.pid      "PID START", written by whoever started NAME
//	NAME.ready    written by NAME when it and its children are up
//	NAME.addr     where NAME listens
//	NAME.term     written by NAME when a SIGTERM came that it ignores
//	NAME.answers  who answered NAME, each time it was sent a SIGUSR1
//	NAME.drop     whose streams NAME is to let go when it is sent a SIGUSR2
//	NAME.dropped  the same once that is done
package actor
