package graph

import (
	"slices"

	"github.com/reaperd/reaperd/internal/sentence"
)

// guardUsed vetoes ending a live `docker run` if somebody else uses its container, or one
// that may be its: the docker run would end with its gateway or session, and the container
// with the docker run. Leaked ones have such a veto already ([staying.mayHaveUnclaimed]).
func (c *correlation) guardUsed() {
	used := rowsOf(slices.DeleteFunc(slices.Clone(c.held), func(k *container) bool { return k.user() == nil }))
	if len(used) == 0 {
		return
	}
	for _, r := range c.runners {
		if r.gone || r.tree == nil || r.line.Command != "run" {
			continue
		}
		if k := c.usedBeside(r, used); k != nil {
			r.tree.target.veto(GuardInUse, "%v", usedWords(k, k == r.container))
		}
	}
}

// usedBeside is a container that somebody else uses and that is a live runner's or may be;
// nil if there is none.
func (c *correlation) usedBeside(r *runner, used rows) *container {
	if r.container != nil {
		if r.container.user() == nil {
			return nil
		}
		return r.container
	}
	for _, could := range c.choices([]*runner{r}, used, couldHave)[0] {
		return used[could.Row][could.From]
	}
	return nil
}

// user is a live runner that uses the container without having created it: docker attach,
// start or exec; nil if there is none.
func (k *container) user() *runner {
	i := slices.IndexFunc(k.named, func(r *runner) bool { return !r.gone && r.line.Command != "run" })
	if i < 0 || k.state != containerOwned {
		return nil
	}
	return k.named[i]
}

func usedWords(k *container, its bool) sentence.S {
	name, user := sentence.Mark(k.Handle()), k.user()
	if its {
		return sentence.Of("docker %s %d uses its container %s", user.line.Command, user.PID, name)
	}
	return sentence.Of("docker %s %d uses container %s, which may be its", user.line.Command, user.PID, name)
}
