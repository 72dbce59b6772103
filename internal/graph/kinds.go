package graph

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// kinds sorts runners by the image, labels and command that their arguments ask for,
// and containers by those that they have. Whether a container contradicts a runner's
// arguments is asked once for a kind of each.
type kinds struct {
	fits       [][]bool // by the kinds of a runner and a container: they do not contradict each other
	containers int      // how many kinds of containers there are
}

// noKind is the kind of a runner that asks for no image: it fits no container.
const noKind = -1

// newKinds sorts runners and containers, and notes in each its kind.
func newKinds(runners []*runner, containers []*container) kinds {
	var asking []*runner // one of each kind
	var asked []*container
	known := map[string]int{}
	for _, r := range runners {
		r.kind = noKind
		if r.line.Image != "" {
			r.kind = kindOf(known, r.asks(), r, &asking)
		}
	}
	labels := labelsOf(asking)
	clear(known)
	for _, k := range containers {
		k.kind = kindOf(known, k.has(labels), k, &asked)
	}
	made := kinds{fits: make([][]bool, len(asking)), containers: len(asked)}
	for i, r := range asking {
		made.fits[i] = make([]bool, len(asked))
		for j, k := range asked {
			made.fits[i][j] = !r.image.Differs(k.image) && r.line.MayRun(k.Labels, inventory.TrimArgs(k.Command))
		}
	}
	return made
}

// kindOf is the number of a kind. One that is new is added, with its first member.
func kindOf[T any](known map[string]int, key []byte, member T, first *[]T) int {
	kind, found := known[string(key)]
	if !found {
		kind = len(*first)
		known[string(key)] = kind
		*first = append(*first, member)
	}
	return kind
}

// fit reports that a runner and a container of these kinds do not contradict each other.
func (of kinds) fit(runner, container int) bool {
	return runner != noKind && of.fits[runner][container]
}

// fitsAny reports that some container fits a runner of that kind.
func (of kinds) fitsAny(runner int) bool {
	return runner != noKind && slices.Contains(of.fits[runner], true)
}

// asks is equal for runners whose arguments ask for the same image, labels and command.
func (r *runner) asks() []byte {
	key := appendTexts(nil, r.line.Image)
	for _, label := range slices.Sorted(maps.Keys(r.line.Labels)) {
		key = appendTexts(key, label, r.line.Labels[label])
	}
	return appendTexts(append(key, 0), r.line.Args...)
}

// labelsOf lists the labels that runners ask for.
func labelsOf(runners []*runner) []string {
	labels := map[string]bool{}
	for _, r := range runners {
		for label := range r.line.Labels {
			labels[label] = true
		}
	}
	return slices.Sorted(maps.Keys(labels))
}

// has is equal for containers with the same image and command, and the same of these
// labels.
func (k *container) has(labels []string) []byte {
	key := appendTexts(nil, k.Image)
	for _, label := range labels {
		if value, labelled := k.Labels[label]; labelled {
			key = appendTexts(key, label, value)
		}
	}
	return appendTexts(append(key, 0), inventory.TrimArgs(k.Command)...)
}

// appendTexts appends texts, each behind its length: no text can be taken for two, and
// no length is 0.
func appendTexts(key []byte, texts ...string) []byte {
	for _, text := range texts {
		key = append(binary.AppendUvarint(key, uint64(len(text))+1), text...)
	}
	return key
}
