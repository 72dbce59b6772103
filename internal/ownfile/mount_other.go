//go:build !linux

package ownfile

// isReadOnlyMount is false: it exists for containers, which this system has none of.
func isReadOnlyMount(string) bool { return false }
