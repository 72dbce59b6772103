// Package actor plays the processes of a live test world.
//
// A [Part] describes one process: its executable, argv, stdin and stdout, and its
// actions, such as answering pings or ignoring SIGTERM. One small static program,
// cmd/actor, plays every part. It is hard-linked under the name of the part and started
// with the argv of the part, so that others see npm, node, claude or uvx. It reads its
// part from the environment, never from its arguments.
//
// A part starts its own children, so a world is a tree of parts: a session makes the
// socket pairs, hands one end to its child and keeps the other. The test learns about the
// processes from files in the folder run of the world's folder:
//
//	NAME.pid      "PID START", written by the process that started NAME
//	NAME.ready    NAME and its children have started
//	NAME.addr     the address on which NAME listens
//	NAME.term     NAME has ignored a SIGTERM
//	NAME.answers  who answered NAME, after each SIGUSR1
//	NAME.drop     whose streams NAME closes at a SIGUSR2
//	NAME.dropped  the same, once that is done
package actor
