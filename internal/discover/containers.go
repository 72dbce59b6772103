package discover

import (
	"slices"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// containerUse is a configured command line that names a container: docker start, exec,
// attach, or run with a name.
type containerUse struct {
	server *Server
	line   cmdline.ContainerLine
}

// containerUses finds those among servers.
func containerUses(servers []Server) (uses []containerUse) {
	for i := range servers {
		s := &servers[i]
		line, ok := cmdline.ReadContainer(append([]string{s.Command}, s.Args...))
		if ok && (line.Container != "" || line.Name != "") {
			uses = append(uses, containerUse{s, line})
		}
	}
	return uses
}

// Container is the name of a configured server whose command line names a container.
func (s Set) Container(c *inventory.Container) (name string, ok bool) {
	for _, use := range s.uses {
		if use.names(c) {
			return use.server.Name, true
		}
	}
	return "", false
}

// Exec is the configured server whose command line starts a command in a container. may
// reports a user who can do that.
func (s Set) Exec(c *inventory.Container, command []string, may func(uid int) bool) (name string, ok bool) {
	for _, use := range s.uses {
		uid, owned := use.server.Owner.Get()
		if use.line.Command == "exec" && owned && may(uid) && slices.Equal(use.line.Args, command) && use.names(c) {
			return use.server.Name, true
		}
	}
	return "", false
}

func (u containerUse) names(c *inventory.Container) bool {
	return u.line.Names(c.ID, c.Name) || u.line.Labelled(c.Labels)
}
