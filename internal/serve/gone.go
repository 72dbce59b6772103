package serve

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
)

// Gone is a session, or a server or container, that is no more.
type Gone struct {
	ID     string     `json:"id"`
	Kind   graph.Kind `json:"kind"`
	Name   string     `json:"name"`
	Handle string     `json:"handle"`          // the shortest word that names it
	Owner  string     `json:"owner,omitempty"` // the name of the session that had it
	// OwnerID is the identity of that session; empty if it was never seen.
	OwnerID string `json:"owner_id,omitempty"`
	Cwd     string `json:"cwd,omitempty"` // the folder of a session
	// InUse means that nothing was wrong with it, and that what owned it lived on.
	InUse bool `json:"in_use,omitempty"`
	// At is when the look was taken that showed it no more.
	At  time.Time `json:"at"`
	How End       `json:"how"`
}

// mostGone is how many of them are remembered, and mostInUse how many of those that were in use:
// servers come and go while their session lives.
const mostGone, mostInUse = 200, 50

// showGone remembers what is no more.
func (m *Metrics) showGone(gone []Gone) {
	all := slices.Concat(m.state.Gone, gone)
	excess := -mostInUse
	for _, one := range all {
		if one.InUse {
			excess++
		}
	}
	all = slices.DeleteFunc(all, func(one Gone) bool {
		isExcess := one.InUse && excess > 0
		if isExcess {
			excess--
		}
		return isExcess
	})
	m.state.Gone = append([]Gone{}, all[max(0, len(all)-mostGone):]...)
}

// End is how something ended.
type End string

// The ends.
const (
	EndedByItself  End = "by itself" // reaperd did not touch it
	EndedByReaperd End = "reaped"    // by the daemon
	EndedByHand    End = "by hand"   // by a sweep by hand
)

// mostParted is how many of them a tree has, the last ones.
const mostParted = 50

// partedOf are those of gone that the daemon has not ended.
func partedOf(gone []Gone) []overview.Parted {
	var parted []overview.Parted
	for _, one := range gone {
		if one.How != EndedByReaperd {
			parted = append(parted, overview.Parted{Key: overview.KeyOf(one.Kind, one.ID), Title: strings.TrimSpace(one.Name + " " + one.Handle), At: one.At, ByHand: one.How == EndedByHand})
		}
	}
	return parted[max(0, len(parted)-mostParted):]
}
