package world

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// gone takes processes and containers out of the world.
func (r *Reader) gone(words []string) {
	isGone := func(word string) bool { return slices.Contains(words, word) }
	r.snapshot.Processes = slices.DeleteFunc(slices.Clone(r.snapshot.Processes), func(p inventory.Process) bool { return isGone(strconv.Itoa(p.PID)) })
	r.snapshot.Containers = slices.DeleteFunc(slices.Clone(r.snapshot.Containers), func(c inventory.Container) bool { return isGone(c.ID) || isGone(c.Name) })
	for i := range r.snapshot.Processes {
		p := &r.snapshot.Processes[i]
		if parent, known := p.PPID.Get(); known && isGone(strconv.Itoa(parent)) {
			p.PPID = inventory.Known(1)
		}
		for _, stream := range []*inventory.Fact[inventory.Stdio]{&p.Stdin, &p.Stdout} {
			letGoOf(stream, isGone)
		}
	}
}

// letGoOf takes what is gone from the holders of a stream, which is closed once it has none.
func letGoOf(stream *inventory.Fact[inventory.Stdio], isGone func(string) bool) {
	stdio, known := stream.Get()
	if !known || len(stdio.Holders) == 0 {
		return
	}
	stdio.Holders = slices.DeleteFunc(slices.Clone(stdio.Holders), func(pid int) bool { return isGone(strconv.Itoa(pid)) })
	if len(stdio.Holders) == 0 && !stdio.Named {
		stdio.Peer = inventory.PeerClosed
	}
	*stream = inventory.Known(stdio)
}

// container reads a container.
func (r *Reader) container(fields []string) error {
	_, started, err := startOf(fields[2])
	if err != nil {
		return err
	}
	created := started.Add(50 * time.Millisecond)
	c := inventory.Container{
		ID: fields[0], Image: fields[1], State: "running", CreatedAt: created, StartedAt: created,
		OpenStdin: inventory.Known(true), StdinOnce: inventory.Known(true), AutoRemove: inventory.Known(true),
		Stdin: inventory.PeerUnknown, Labels: map[string]string{}, Named: inventory.Known(false),
	}
	for _, attribute := range fields[3:] {
		if err := setContainer(&c, attribute); err != nil {
			return err
		}
	}
	r.snapshot.Containers = append(slices.DeleteFunc(slices.Clone(r.snapshot.Containers), func(old inventory.Container) bool { return old.ID == c.ID }), c)
	return nil
}

// setContainer sets one attribute of a container.
func setContainer(c *inventory.Container, attribute string) error {
	key, value, _ := strings.Cut(attribute, "=")
	switch {
	case key == "name":
		c.Name = value
	case key == "pid":
		c.PID = atoi(value)
	case key == "stdin":
		c.Stdin = inventory.Peer(value)
	case key == "state":
		c.State, c.FinishedAt = value, Noon.Add(-time.Minute)
	case key == "ended":
		ago, err := time.ParseDuration(value)
		c.State, c.FinishedAt = "exited", Noon.Add(-ago)
		return err
	case key == "detached":
		c.OpenStdin, c.StdinOnce = inventory.Known(false), inventory.Known(false)
	case key == "background": // docker run -d -i
		c.StdinOnce = inventory.Known(false)
	case key == "kept":
		c.AutoRemove = inventory.Known(false)
	case key == "command":
		c.Command = strings.Split(value, ",")
	case strings.HasPrefix(key, "label."):
		c.Labels[strings.TrimPrefix(key, "label.")] = value
	default:
		return errUnknown(attribute)
	}
	return nil
}

type errUnknown string

func (e errUnknown) Error() string { return "unknown attribute of a container: " + string(e) }
