package inventory

import (
	"fmt"
	"strings"
	"time"
)

// The marks with which people and programs ask to keep a thing. Any value but "false"
// keeps it; a lease keeps it until its time (RFC 3339).
const (
	keepVariable = "REAPERD_KEEP"
	keepLabel    = "reaperd.keep"
	leaseLabel   = "reaperd.lease"
)

// Keep says that the environment of a process asks to keep it; "" if it does not.
func (p *Process) Keep() string {
	if value, set := p.Env[keepVariable]; set && isKept(value) {
		return fmt.Sprintf("%s is set in the environment of process %d", keepVariable, p.PID)
	}
	return ""
}

// Keep says that the labels of a container ask to keep it at that time; "" if they do
// not. A lease that cannot be read keeps it.
func (c *Container) Keep(at time.Time) string {
	if value, set := c.Labels[keepLabel]; set && isKept(value) {
		return "it has the label " + keepLabel
	}
	lease, set := c.Labels[leaseLabel]
	if !set {
		return ""
	}
	until, err := time.Parse(time.RFC3339, lease)
	switch {
	case err != nil:
		return fmt.Sprintf("its label %s=%q is no time (RFC 3339), so it keeps", leaseLabel, lease)
	case at.Before(until):
		return fmt.Sprintf("its label %s keeps it until %s", leaseLabel, until.Format(time.RFC3339))
	}
	return ""
}

func isKept(value string) bool { return !strings.EqualFold(strings.TrimSpace(value), "false") }

// Age is the time from the start of a process to a moment; zero if its start is not
// known.
func (p *Process) Age(at time.Time) time.Duration { return ageSince(p.StartedAt, at) }

// Age is the time since a container started or, if it has ended, since it ended.
func (c *Container) Age(at time.Time) time.Duration {
	switch {
	case !c.Running() && !c.FinishedAt.IsZero():
		return ageSince(c.FinishedAt, at)
	case c.Running() && !c.StartedAt.IsZero():
		return ageSince(c.StartedAt, at)
	}
	return ageSince(c.CreatedAt, at)
}

func ageSince(start, at time.Time) time.Duration {
	if start.IsZero() {
		return 0
	}
	return max(0, at.Sub(start))
}
