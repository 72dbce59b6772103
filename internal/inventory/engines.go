package inventory

import (
	"slices"
	"strings"
)

// Engines is what a snapshot says about its container engines.
type Engines struct {
	Known   bool // an engine answered
	Failed  bool // an engine is there and did not answer
	Partial bool // not every container of an engine could be read

	answered []Source
	host     Host
	whole    bool // no process is missing from the table
}

// Engines reads the sources of a snapshot.
func (s *Snapshot) Engines() Engines {
	processes, _ := s.Source(SourceProcesses)
	e := Engines{host: s.Host, whole: processes.Whole()}
	for _, source := range s.Sources {
		switch {
		case source.Name != SourceDocker:
		case source.Status == StatusError:
			e.Failed = true
		case source.Status == StatusOK || source.Status == StatusPartial:
			e.Known = true
			e.Partial = e.Partial || source.Status == StatusPartial
			e.answered = append(e.answered, source)
		}
	}
	return e
}

// ReadAll reports that every container of the engine at an endpoint was read, so that one
// which is not there has ended. If the endpoint is not known, it asks that of all engines.
func (e Engines) ReadAll(endpoint string) bool {
	if endpoint == "" {
		return e.Known && !e.Failed && !e.Partial
	}
	return slices.ContainsFunc(e.answered, func(s Source) bool { return s.Endpoint == endpoint && s.Status == StatusOK })
}

// of lists the engines that a container may belong to: the one it was seen at or, if
// that was not recorded, all that answered.
func (e Engines) of(c *Container) []Source {
	for _, source := range e.answered {
		if source.Endpoint == c.Engine && c.Engine != "" {
			return []Source{source}
		}
	}
	return e.answered
}

// all reports that a container's engine is known and that something holds for every
// engine that it may belong to.
func (e Engines) all(c *Container, holds func(Source) bool) bool {
	engines := e.of(c)
	return len(engines) > 0 && !slices.ContainsFunc(engines, func(s Source) bool { return !holds(s) })
}

// SeesRunnersOf reports that every runner of the engine's containers must be in the
// process table. If the source does not say so, a unix endpoint seen from the host's
// own PID namespace counts as local.
func (e Engines) SeesRunnersOf(c *Container) bool {
	return e.whole && e.all(c, func(s Source) bool {
		return s.RunnersVisible.Or(strings.HasPrefix(s.Endpoint, "unix:") && e.host.PIDNamespace == "init")
	})
}

// Connections are the open connections to the container's engine: whoever may be attached
// to it has one. known is false where some may not have been seen.
func (e Engines) Connections(c *Container) (open []Connection, known bool) {
	if attached, told := c.Attached.Get(); told {
		return attached, true
	}
	for _, s := range e.of(c) {
		some, told := s.Connections.Get()
		if !told {
			return nil, false
		}
		open, known = append(open, some...), true
	}
	return open, known
}

// SharesClock reports that the container's engine uses this host's clock. An engine
// in a virtual machine has its own, which may be off by seconds after a sleep. If the
// source does not say so, a unix endpoint of a Linux host counts as local.
func (e Engines) SharesClock(c *Container) bool {
	return e.all(c, func(s Source) bool {
		return s.SameClock.Or(strings.HasPrefix(s.Endpoint, "unix:") && e.host.OS == "linux")
	})
}

// Reaches reports that a user is known to be able to use the container's engine:
// root, the user who looked, and those that the source lists.
func (e Engines) Reaches(uid int, c *Container) bool {
	return uid == 0 || uid == e.host.UID.Or(-1) || e.all(c, func(s Source) bool { return slices.Contains(s.RunnerUIDs, uid) })
}
