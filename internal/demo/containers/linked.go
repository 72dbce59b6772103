//go:build !cgo

package containers

// isLinked means that this program needs the system's libraries beside it.
const isLinked = false
