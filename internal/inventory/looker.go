package inventory

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
