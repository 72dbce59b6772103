package status

import (
	"fmt"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
)

// sessionLines describe the live sessions, those in use first.
func sessionLines(is *serve.State) []line {
	var lines []line
	for _, idle := range []bool{false, true} {
		for _, client := range is.InUse {
			if client.Idle == idle {
				lines = append(lines, clientLine(client, unseenOf(client, is.Containers)))
			}
		}
	}
	return lines
}

// clientLine describes a session: what it holds, how many of its containers cannot be seen,
// and for how long it has been idle.
func clientLine(c serve.Client, unseen int) line {
	has := human.Servers(c.Servers, c.Containers) + bytesBehind(c.MemoryBytes)
	if unseen > 0 {
		has += "; " + human.Count(unseen, "container") + " of it cannot be seen now"
	}
	if !c.Idle || c.IdleSeconds == nil {
		return line{"session", fmt.Sprintf("%s %d with %s", c.Name, c.PID, has)}
	}
	more := ""
	if c.IdleAtLeast {
		more = " or more"
	}
	span := human.Span(time.Duration(*c.IdleSeconds * float64(time.Second)))
	return line{"idle", fmt.Sprintf("%s %d for %s%s with %s", c.Name, c.PID, span, more, has)}
}

// unseenOf counts the containers of a session that the last look could not show.
func unseenOf(c serve.Client, containers []serve.SeenContainer) int {
	n := 0
	for _, container := range containers {
		if !container.UnseenSince.IsZero() && container.SessionID == c.ID && c.ID != "" {
			n++
		}
	}
	return n
}
