// Package demo plays a leak and its end with real processes, in a world of its
// own, and explains each step: `reaperd demo`.
//
// The world is a PID, mount and network namespace: it has a process table of its
// own, so nothing in it can see or end a process of the host, and everything in it
// ends with its first process. Its files are on a tmpfs that no other process has
// mounted. A user who is not root gets a user namespace as well, where the kernel
// gives that.
//
// Where a container engine answers, each client has a server in a container too
// (package containers). The engine runs them outside the world; a door in the world
// shows these containers and no others, and a process outside, the broom, removes
// them when the demo has ended, however it did.
//
// Everybody in it is this program, started again with a [part] in its environment:
//
//	reaperd demo                 outside: waits, and ends the world if interrupted
//	├ the broom                  waits for the end of that, and removes the containers
//	└ the first process          mounts, starts the director, collects zombies, is the door
//	  └ the director             tells the story ([director.play]) and checks it
//	    ├ reaperd run            the daemon, the very one, with a policy in seconds
//	    ├ claude, codex          stand-ins for two clients, each with a session
//	    │ └ npm exec …           and three servers, under the names of known ones,
//	    │   docker run …         and one in a container
//	    └ reaperd scan, history  the screens
//
// A stand-in is honest in what reaperd judges by: pipes for stdio, wrappers that
// pass theirs on, servers that ignore the end of their input. Names are all that
// is borrowed. The director looks into the process table itself: what it says was
// reaped is gone, what it says was kept answers, or the demo fails.
package demo
