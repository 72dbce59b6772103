//go:build !darwin

package state

import (
	"fmt"
	"os"
)

// uidOf is the effective user of a process; -1 if there is none, or no /proc.
func uidOf(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return -1
	}
	return uidIn(string(status))
}
