package world

import (
	"context"
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/internal/word"
)

// unpin ends pins, and looks once to tell what another pin keeps all the same.
func (w *World) unpin(ctx context.Context, targets []string) (said top.Said) {
	ended, err := pins.End(w.State, targets)
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

// lookOnce looks with the daemon's memory. The host of the sight is closed.
func (w *World) lookOnce(ctx context.Context) (*oneshot.Sight, error) {
	sight, err := w.open()
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
	var reasons []string
	counts := map[string]int{}
	for i := range ended {
		id := ended[i].ID
		if _, shown := sight.View.Graph.Target(id); !shown {
			stays = append(stays, id)
			continue
		}
		reason := keptBy(sight, id)
		if reason == "" {
			continue
		}
		stays = append(stays, id)
		if counts[reason]++; counts[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	for _, reason := range reasons {
		who := "It"
		if len(ended) > 1 {
			who = human.Number(counts[reason]) + " of them"
		}
		keeps += " " + who + " " + human.Verb(counts[reason], "stays", "stay") + ": " + reason + "."
	}
	return stays, keeps
}

// keptBy tells why a target is kept that something pinned or marked keeps; "" if a look shows
// no such thing.
func keptBy(sight *oneshot.Sight, target string) string {
	for i := range sight.View.Verdicts {
		v := &sight.View.Verdicts[i]
		if v.Target.ID != target {
			continue
		}
		vetoes := append(slices.Clone(v.Target.Vetoes), v.Vetoes...)
		if at := slices.IndexFunc(vetoes, func(veto graph.Veto) bool { return veto.Guard == graph.GuardPinned }); at >= 0 {
			return asTold(sight.View.Graph, vetoes[at])
		}
	}
	return ""
}

// asTold tells why a veto keeps its target.
func asTold(g *graph.Graph, veto graph.Veto) string {
	keeper, shown := g.Target(veto.For)
	if !shown || veto.Marked {
		return redact.Text(veto.Text)
	}
	return human.Safe(redact.Name(keeper.Name)+" "+word.Of(keeper).Handle()) + " is pinned"
}
