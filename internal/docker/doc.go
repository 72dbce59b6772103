// Package docker reads container engines into [inventory.Container] values, and stops or
// removes a container by its full id. No other package knows the engine's library.
//
// The engines are DOCKER_HOST, else the current context, else every usual socket. One that
// does not answer is an error; a socket that nobody serves is absent. Each look lists the
// containers and inspects those that run, for at most [Options.Timeout] an engine. A PID is
// believed only if that process's cgroup names the container. /proc tells whether a shim still
// holds a container's stdin.
package docker
