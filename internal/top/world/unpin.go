package world

import (
	"context"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// unpin ends pins, and looks once to tell what another pin keeps all the same.
func (w *World) unpin(ctx context.Context, targets []string) (said top.Said) {
	ended, err := pins.End(w.State, targets, func() *pins.Seen { return nil })
	switch len(ended) {
	case 0:
		return top.Said{Err: err}
	case 1:
		said.Lines = []string{pins.Unpinned(&ended[0])}
	default:
		said.Lines = []string{"Unpinned " + human.Number(len(ended)) + "."}
	}
	said.Err, said.Stays = err, targets
	if sight, err := w.lookOnce(ctx); err == nil { // else nobody knows what becomes of them
		said.Stays, said.Keeps = stillKept(sight, ended)
	}
	return said
}

// lookOnce looks once more, under the policy or, while that is refused, under the built-in one, as `reaperd
// pin` does. It knows what the world has seen, or the daemon: of some servers nothing else tells what
// they are, once their session has ended.
func (w *World) lookOnce(ctx context.Context) (*oneshot.Sight, error) {
	p, _, err := policyfile.LoadAnyway(w.Policies)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sight != nil && w.isFresh() {
		return w.again(ctx, p)
	}
	sight, err := oneshot.Open(p, w.State, w.Log)
	if err != nil {
		return nil, err
	}
	defer sight.Close()
	sight.Recall(ctx)
	return sight, sight.First(ctx)
}

// stillKept returns which targets of ended pins a look does not show, or shows to be kept by
// another pin. It tells of the latter: " It stays: gitlab 603 is pinned."
func stillKept(sight *oneshot.Sight, ended []state.Pin) (stays []string, keeps string) {
	kept, stays := (&pins.Seen{Graph: sight.View.Graph, Verdicts: sight.View.Verdicts}).StillKept(ended)
	for _, by := range kept {
		stays = append(stays, by.Targets...)
		keeps += " " + human.Capital(by.Sentence(len(ended))) + "."
	}
	return stays, keeps
}
