package state

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// leftFile has the sessions that the daemon has seen end, by what they left behind. A
// daemon that starts again reads it, so that reports still tell who left what. Nothing is
// judged by it.
const leftFile = "left.json"

type leftDocument struct {
	Version int    `json:"version"`
	BootID  string `json:"boot_id"`
	Left    []left `json:"left"`
}

// left is one target with the session that left it.
type left struct {
	Target string          `json:"target"`
	Name   string          `json:"name"`
	Kind   graph.OwnerKind `json:"kind"`
	ID     string          `json:"id,omitempty"` // empty if the session was never seen
	Since  time.Time       `json:"since"`
}

// Left are the sessions that have ended, by the ids of the targets that they left in that
// boot.
func (d Dir) Left(bootID string) (map[string]graph.Owner, error) {
	var document leftDocument
	if known, err := d.remembered(leftFile, &document); !known || document.BootID != bootID {
		return nil, err
	}
	owners := make(map[string]graph.Owner, len(document.Left))
	for _, l := range document.Left {
		id, _ := inventory.ParseID(l.ID)
		owners[l.Target] = graph.Owner{Name: l.Name, Kind: l.Kind, ID: id, Liveness: graph.LivenessGone, Since: l.Since}
	}
	return owners, nil
}

// KeepLeft replaces what [Dir.Left] reads.
func (d Dir) KeepLeft(bootID string, owners map[string]graph.Owner) error {
	document := leftDocument{Version: version, BootID: bootID, Left: []left{}}
	for _, target := range slices.Sorted(maps.Keys(owners)) {
		l := left{Target: target, Name: owners[target].Name, Kind: owners[target].Kind, Since: owners[target].Since}
		if id := owners[target].ID; !id.IsZero() {
			l.ID = id.String()
		}
		document.Left = append(document.Left, l)
	}
	return d.keep(leftFile, document)
}

// remembered reads a file of what a daemon remembers over its restarts; false if there is none.
func (d Dir) remembered(file string, into any) (known bool, err error) {
	err = d.read(file, os.Geteuid(), into)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read %s: %w", d.path(file), err)
	}
	return true, nil
}

// keep replaces such a file.
func (d Dir) keep(file string, document any) error {
	if err := d.make(); err != nil {
		return err
	}
	return d.write(file, document)
}
