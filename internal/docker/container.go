package docker

import (
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/reaperd/reaperd/internal/inventory"
)

// idLength is the length of a full container id, in hexadecimal digits.
const idLength = 64

// isFullID reports whether id is a full container id. Nothing else is ever
// sent to an engine: a short id or a name could come to mean another container.
func isFullID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "0123456789abcdef") == ""
}

// short is an id as people read it.
func short(id string) string {
	if isFullID(id) {
		return id[:12]
	}
	return id
}

// fromList makes a container of an entry of the list alone: without the facts that
// only an inspect gives.
func fromList(engine string, s summary) inventory.Container {
	c := inventory.Container{
		ID:     s.ID,
		Image:  s.Image,
		Labels: s.Labels,
		State:  s.State,
		Engine: engine,
	}
	if len(s.Names) > 0 {
		c.Name = strings.TrimPrefix(s.Names[0], "/")
	}
	if s.Created > 0 {
		c.CreatedAt = time.Unix(s.Created, 0).UTC()
	}
	return c
}

// fromInspect is the whole of a container, but for what only the process table tells.
func fromInspect(engine string, r container.InspectResponse) inventory.Container {
	c := inventory.Container{Engine: engine}
	if base := r.ContainerJSONBase; base != nil {
		c.ID = base.ID
		c.Name = strings.TrimPrefix(base.Name, "/")
		c.CreatedAt = engineTime(base.Created)
		if base.HostConfig != nil {
			c.AutoRemove = inventory.Known(base.HostConfig.AutoRemove)
		}
		setState(&c, base.State)
	}
	if config := r.Config; config != nil {
		c.Image = config.Image
		c.Labels = config.Labels
		c.Command = config.Cmd
		c.OpenStdin = inventory.Known(config.OpenStdin)
		c.StdinOnce = inventory.Known(config.StdinOnce)
	}
	return c
}

// setState copies what changes in a container's life. An engine keeps the
// former end of a container that was started again; while it runs that is no end.
func setState(c *inventory.Container, state *container.State) {
	if state == nil {
		return
	}
	c.State = state.Status
	c.StartedAt = engineTime(state.StartedAt)
	if c.Running() {
		c.PID = state.Pid
		return
	}
	c.FinishedAt = engineTime(state.FinishedAt)
}

// engineTime reads an engine's time; its year 1 and what is no time are zero.
func engineTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() <= 1 {
		return time.Time{}
	}
	return at.UTC()
}
