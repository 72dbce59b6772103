//go:build !darwin

package state

// hostSocket is where root's daemon answers every user. Its folder is root's own.
const hostSocket = "/run/reaperd/reaperd.sock"
