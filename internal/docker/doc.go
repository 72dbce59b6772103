// Package docker reads container engines into [inventory.Container] values, and stops
// or removes a container by its full id. No other package knows the
// library that speaks to the engine.
//
//	question                        answer
//	which engines?                  DOCKER_HOST, else the current docker context, else every usual socket that exists
//	                                (Docker, Desktop, colima, OrbStack, Rancher, rootless, podman); two ways to one engine count once
//	what if one does not answer?    its [inventory.Source] is an error; a usual socket that nobody serves is only absent
//	what is read?                   the list; an inspect of every running container, at every look, because its PID and
//	                                its execs change without a trace in the list; then of the stopped ones, as time allows
//	for how long?                   at most [Options.Timeout] for one look at one engine
//	what does /proc add?            whether a shim still holds a container's stdin, and whether every runner must be
//	                                visible here: inspect is the same before and after a runner dies
//	what may be stopped, removed?   only a container named by 64 hexadecimal digits; one that is gone counts as success
//
// A container's PID is believed only if that process's cgroup names the container.
// What was inspected of a stopped container is kept until the list describes it
// differently. An inspect takes 0.6 ms (engine 20.10).
package docker
