// Package docker reads container engines into [inventory.Container] values and
// stops or removes a container by its full id. It is the only package that
// knows the Docker client; everything else sees inventory values.
//
// Which engines: DOCKER_HOST, else the current docker context, else every usual
// socket that exists (Docker, Desktop, colima, OrbStack, Rancher, rootless,
// podman). What a person named is exactly one engine; what was found by looking
// is all that answer, where two ways to one engine count once. Each engine is
// one [inventory.Source] that says how it could be read: a socket that was
// merely found and that nobody serves is absent, one that was named is an error.
//
// What is read: the list, then an inspect of every running container, then of
// the stopped ones while time remains. A running container is inspected afresh
// at every look, because its PID and its execs change without a trace in the
// list (0.6 ms each were measured against engine 20.10); what was read of a
// stopped one is kept for as long as the list describes it in the same words.
// One look at one engine takes at most [Options.Timeout].
//
// Two facts come from the process table rather than from the engine, because
// inspect is the same before and after a client dies: whether a container's
// stdin is still held open by its shim, and whether every client of the engine
// must be visible here ([inventory.Source].ClientsVisible). Both are read from
// /proc, and only after a container's PID has proven to be that container's.
//
// Acting takes 64 hexadecimal digits and nothing shorter, never a name. A
// container that is gone or being removed is success, not an error.
package docker
