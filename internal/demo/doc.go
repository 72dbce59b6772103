// Package demo is `reaperd demo`: it plays a leak and its end with real processes, in a
// world of its own, and explains each step. The world is a PID, mount and network
// namespace (and a user namespace, if the user is not root). Nothing in it can see or end
// a process of the host, its files are on a tmpfs of its own, and everything in it ends
// with its first process. Every process is this program with a [part] in its environment:
//
//	reaperd demo                 outside: waits, and ends the world on an interrupt
//	└ the first process          mounts, starts the director, reaps zombies
//	  └ the director             tells the story ([director.play]) and checks it
//	    ├ reaperd run            the real daemon, with a policy in seconds
//	    ├ claude, codex          stand-ins for two clients, each with a session
//	    │ └ npm exec …           and with three servers
//	    └ reaperd scan, history  the screens
//
// Only the names of stand-ins are borrowed: their pipes and wrappers are real. The
// director checks each sentence against the process table, and fails if one is wrong.
package demo
