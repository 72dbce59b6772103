//go:build !linux

package reap

// cgroup does not exist on this system.
type cgroup string

func execGroupOf(int) cgroup             { return "" }
func (cgroup) processes() ([]int, error) { return nil, nil }
func (cgroup) kill() error               { return nil }
