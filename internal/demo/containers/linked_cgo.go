//go:build cgo

package containers

// isLinked means that this program needs shared libraries.
const isLinked = true
