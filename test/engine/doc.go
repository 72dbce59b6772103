// Package engine is the live test of containers: a real dockerd, real
// `docker run` and `docker exec` clients below sessions, and reaperd sweeping
// them, all in a namespace of their own (package farm).
//
// Every container is of one image, whose program is the actor. Each client
// passes FARM_PART to its container, so the test finds the process that answers
// to a name without a --name or --cidfile, which real clients do not give
// either.
package engine
