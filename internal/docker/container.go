package docker

import (
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/reaperd/reaperd/internal/inventory"
)

// short is the form of an id that people read.
func short(id string) string {
	if inventory.IsContainerID(id) {
		return id[:12]
	}
	return id
}

// fromList makes a container of an entry of the list. It lacks the facts that only an
// inspect gives.
func fromList(engine string, s summary) inventory.Container {
	c := inventory.Container{ID: s.ID, Image: s.Image, Labels: s.Labels, State: s.State, Engine: engine}
	if len(s.Names) > 0 {
		c.Name = strings.TrimPrefix(s.Names[0], "/")
	}
	if s.Created > 0 {
		c.CreatedAt = time.Unix(s.Created, 0).UTC()
	}
	return c
}

// fromInspect makes a container of an inspect. It lacks the facts that only the
// process table gives.
func fromInspect(engine string, r container.InspectResponse) inventory.Container {
	c := inventory.Container{Engine: engine}
	if base := r.ContainerJSONBase; base != nil {
		c.ID = base.ID
		c.Name = strings.TrimPrefix(base.Name, "/")
		c.CreatedAt = engineTime(base.Created)
		if host := base.HostConfig; host != nil {
			c.AutoRemove = inventory.Known(host.AutoRemove)
			c.Publishes = inventory.Known(host.PublishAllPorts || len(host.PortBindings) > 0)
			isOwn := func(mode string) bool { return mode != "host" && !strings.HasPrefix(mode, "container:") }
			modes := []string{string(host.NetworkMode), string(host.PidMode), string(host.IpcMode)}
			c.Joins = append(c.Joins, slices.DeleteFunc(modes, isOwn)...)
			c.Restarts = inventory.Known(host.RestartPolicy.Name != "" && !host.RestartPolicy.IsNone())
		}
		setState(&c, base.State)
	}
	if config := r.Config; config != nil {
		c.Image = config.Image
		c.Labels = config.Labels
		c.Command = config.Cmd
		c.OpenStdin = inventory.Known(config.OpenStdin)
		c.StdinOnce = inventory.Known(config.StdinOnce)
		c.AttachStdout = inventory.Known(config.AttachStdout)
		c.TTY = inventory.Known(config.Tty)
		c.Named = isGivenName(c.Name, c.Labels)
	}
	return c
}

// setState copies the facts that change in a container's life. An engine keeps the
// time of the former end when it starts a container again; that time does not count
// while the container runs.
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

// engineTime parses an engine's time. The engine's year 1, and text that is no time,
// are zero.
func engineTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() <= 1 {
		return time.Time{}
	}
	return at.UTC()
}
