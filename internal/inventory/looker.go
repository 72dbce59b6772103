package inventory

import "slices"

// Self is the process of the reaperd that looked; nil if the snapshot does not list it.
func (s *Snapshot) Self() *Process {
	at := slices.IndexFunc(s.Processes, func(p Process) bool { return p.PID == s.Host.SelfPID })
	if at < 0 || s.Host.SelfPID == 0 {
		return nil
	}
	return &s.Processes[at]
}

// Scope is where a process's users and numbers are its own: a container, a user namespace, a PID namespace. The
// namespaces are inode numbers; 0 is not known.
type Scope struct {
	Container                   string
	UserNamespace, PIDNamespace uint64
}

// Scope is the scope that a process stands in.
func (p *Process) Scope() Scope { return Scope{p.ContainerID, p.UserNamespace, p.PIDNamespace} }

// IsHere reports a process in the scope of the reaperd that looked, or on its host; what is not known is taken to be.
func (s *Snapshot) IsHere(p *Process) bool {
	self := s.Self()
	if self == nil {
		return p.ContainerID == ""
	}
	same := func(a, b uint64) bool { return a == b || a == 0 || b == 0 }
	return (p.ContainerID == "" || p.ContainerID == self.ContainerID) &&
		same(p.UserNamespace, self.UserNamespace) && same(p.PIDNamespace, self.PIDNamespace)
}
