package inventory

import "slices"

// Looker returns the name of the user who looked, which the user's processes have; empty if it
// is not known.
func (s *Snapshot) Looker() string {
	for i := range s.Processes {
		if p := &s.Processes[i]; s.Host.UID.IsKnown() && p.UID == s.Host.UID && p.User != "" {
			return p.User
		}
	}
	return ""
}

// Self is the process of the reaperd that looked; nil if the snapshot does not list it.
func (s *Snapshot) Self() *Process {
	at := slices.IndexFunc(s.Processes, func(p Process) bool { return p.PID == s.Host.SelfPID })
	if at < 0 || s.Host.SelfPID == 0 {
		return nil
	}
	return &s.Processes[at]
}
