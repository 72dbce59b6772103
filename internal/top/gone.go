package top

import (
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/report"
)

// sayGone tells of a session that has ended: when, where, and what it left.
func (m Model) sayGone(s *sheet, n *overview.Node) {
	what := "a session that has ended: nobody alive owns what it left"
	if n.Name == "" {
		what = "nobody is known who started these, and nobody alive owns them"
	}
	s.say("what", what)
	if !n.Owner.Since.IsZero() {
		s.say("ended", m.moment(n.Owner.Since)+" ("+human.Span(m.tree.At.Sub(n.Owner.Since))+" ago), as far as reaperd has seen")
	}
	var folders []string
	for i := range n.Children {
		if folder := m.folderOf(&n.Children[i]); folder != "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	if len(folders) > 0 {
		s.say("folder", human.List(folders)+", by what it left")
	}
	s.gap()
	s.say("left", n.Totals.String()+", "+human.Bytes(n.Memory()))
	for i := range n.Children {
		left := &n.Children[i]
		state, tone := m.state(m.rowOf(left))
		s.tell("", left.Title()+": "+state, tone)
	}
	s.gap()
	s.say("keep it", "p pins all that it left; on one row, that alone")
	s.say("stop it", "x asks to stop all that it left now")
}

// folderOf is the working directory of a node, as scan writes it.
func (m Model) folderOf(n *overview.Node) string {
	return report.FolderOf(n.Cwd, n.User, m.options.Home)
}
