package oneshot

import (
	"context"
	"slices"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/serve"
)

// tellDenied says, in a look that an engine has refused to this user, that root's daemon asks it, if that could read it
// at its last look.
func (s *Sight) tellDenied(ctx context.Context) {
	if look := s.View.Graph.Snapshot; slices.ContainsFunc(look.Sources, inventory.Source.IsDenied) && s.rootsReadsEngine(ctx) {
		tellAsked(look)
	}
}

// tellAsked replaces the reasons of the engines that refused this user: no right of the user's is missing.
func tellAsked(look *inventory.Snapshot) {
	for i := range look.Sources {
		if source := &look.Sources[i]; source.IsDenied() {
			source.Reason, source.Remedy = beside.AsksEngine, ""
		}
	}
}

// rootsReadsEngine reports that root's daemon runs beside, and could read the engine at its last look.
func (s *Sight) rootsReadsEngine(ctx context.Context) bool {
	if !s.isBesideRoots(ctx) {
		return false
	}
	glance, tells := serve.GlanceAtRoots(ctx)
	return tells && glance.Reads[inventory.SourceDocker]
}
