//go:build !linux

package reap

import "time"

// cgroup does not exist on this system.
type cgroup string

func cgroupOf(int) cgroup                        { return "" }
func (cgroup) processes() ([]int, error)         { return nil, nil }
func (cgroup) canKill() bool                     { return false }
func (cgroup) freeze(within time.Duration) error { return nil }
func (cgroup) thaw() error                       { return nil }
func (cgroup) kill() error                       { return nil }
func thawFrozen(cgroup) (bool, error)            { return false, nil }
