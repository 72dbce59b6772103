//go:build !linux

package ownfile

// isReadOnlyMount is asked for containers' sake, which this system has none of.
func isReadOnlyMount(string) bool { return false }
