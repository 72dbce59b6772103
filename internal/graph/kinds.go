package graph

import (
	"fmt"
	"maps"
	"slices"
)

// kinds sorts runners by what their arguments ask for, and things by what they are. Whether a
// thing contradicts a runner's arguments is asked once for a kind of each.
type kinds struct {
	fits   [][]bool // by the kinds of a runner and a thing: they do not contradict each other
	things int      // how many kinds of things there are
}

// noKind is the kind of a runner that asks for nothing which could be compared.
const noKind = -1

// newKinds sorts runners and things, and notes in each its kind.
func (c *correlation) newKinds(things []*thing) kinds {
	var asking []*runner // one of each kind
	var asked []*thing
	known := map[string]int{}
	for _, r := range c.runners {
		if r.kind = noKind; r.line.Image != "" || r.line.Service != "" || r.line.Command == "exec" {
			r.kind = kindOf(known, r.asks(), r, &asking)
		}
	}
	labels := labelsOf(asking)
	clear(known)
	for _, x := range things {
		x.kind = kindOf(known, x.has(labels), x, &asked)
	}
	made := kinds{fits: make([][]bool, len(asking)), things: len(asked)}
	for i, r := range asking {
		made.fits[i] = make([]bool, len(asked))
		for j, x := range asked {
			made.fits[i][j] = c.fits(r, x, asked)
		}
	}
	return made
}

// fits reports that a thing does not contradict a runner's arguments. Of the commands that were
// executed in a container, those that are the very one which the runner asks for fit it; if none
// is, any may have become another; so may one whose command could not be read.
func (c *correlation) fits(r *runner, x *thing, all []*thing) bool {
	switch {
	case x.execd != (r.line.Command == "exec"):
		return false
	case x.execd:
		isAsked := func(other *thing) bool {
			return other.execd && other.container == x.container && slices.Equal(other.args, r.line.Args)
		}
		return r.names(x.container.ID) && (len(x.args) == 0 || isAsked(x) || !slices.ContainsFunc(all, isAsked))
	case r.line.Service != "":
		return r.line.Labelled(x.container.Labels)
	}
	interactive := r.line.Interactive || r.line.Unknown != ""
	return x.container.OpenStdin.Or(interactive) == interactive && !r.image.Differs(c.imageOf(x.container.Image)) && r.line.MayRun(x.container.Labels, x.args)
}

// kindOf is the number of a kind. One that is new is added, with its first member.
func kindOf[T any](known map[string]int, key string, member T, first *[]T) int {
	kind, found := known[key]
	if !found {
		kind = len(*first)
		known[key] = kind
		*first = append(*first, member)
	}
	return kind
}

// fit reports that a runner and a thing of these kinds do not contradict each other.
func (of kinds) fit(runner, thing int) bool { return runner != noKind && of.fits[runner][thing] }

// fitsAny reports that some thing fits a runner of that kind.
func (of kinds) fitsAny(runner int) bool {
	return runner != noKind && slices.Contains(of.fits[runner], true)
}

// asks is equal for runners whose arguments ask for the same.
func (r *runner) asks() string {
	line, containers := r.line, []string(nil)
	if line.Command == "exec" {
		containers = r.named
	}
	interactive := line.Interactive || line.Unknown != ""
	return fmt.Sprintf("%t %q %q %q %q %q %q %q", interactive, line.Command, line.Image, line.Service, line.Project, containers, line.Labels, line.Args)
}

// labelsOf lists the labels that runners ask for, and Compose's own.
func labelsOf(runners []*runner) []string {
	labels := map[string]bool{"com.docker.compose.project": true, "com.docker.compose.service": true, "com.docker.compose.oneoff": true}
	for _, r := range runners {
		for label := range r.line.Labels {
			labels[label] = true
		}
	}
	return slices.Sorted(maps.Keys(labels))
}

// has is equal for things that no runner tells apart by its arguments.
func (x *thing) has(labels []string) string {
	if x.execd {
		return fmt.Sprintf("executed %q %q", x.container.ID, x.args)
	}
	its := map[string]string{}
	for _, label := range labels {
		if value, labelled := x.container.Labels[label]; labelled {
			its[label] = value
		}
	}
	return fmt.Sprintf("%t %q %q %q %q", x.container.OpenStdin.Or(false), x.container.Engine, x.container.Image, its, x.args)
}
