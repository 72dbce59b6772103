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

// beganFile has what the daemon has seen sessions start, and what hangs below them no more. A daemon that
// starts again reads it, so that reports still tell what a session also left.
const beganFile = "began.json"

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
	Since  time.Time       `json:"since,omitzero"`

	UID inventory.Fact[int] `json:"uid,omitzero"`
}

// Left are the sessions that have ended, by the ids of the targets that they left in that
// boot.
func (d Dir) Left(bootID string) (map[string]graph.Owner, error) {
	known, err := d.leftIn(leftFile, bootID)
	if known == nil {
		return nil, err
	}
	owners := make(map[string]graph.Owner, len(known))
	for target, began := range known {
		owners[target] = began.By
	}
	return owners, err
}

// Began is what sessions were seen to start in that boot, by the ids of processes and containers.
func (d Dir) Began(bootID string) (map[string]graph.Began, error) { return d.leftIn(beganFile, bootID) }

func (d Dir) leftIn(file, bootID string) (map[string]graph.Began, error) {
	var document leftDocument
	if known, err := d.remembered(file, &document); !known || document.BootID != bootID {
		return nil, err
	}
	began := make(map[string]graph.Began, len(document.Left))
	for _, l := range document.Left {
		id, _ := inventory.ParseID(l.ID)
		owner := graph.Owner{Name: l.Name, Kind: l.Kind, ID: id, Liveness: graph.LivenessGone, Since: l.Since}
		began[l.Target] = graph.Began{By: owner, UID: l.UID}
	}
	return began, nil
}

// KeepLeft replaces what [Dir.Left] reads.
func (d Dir) KeepLeft(bootID string, owners map[string]graph.Owner) error {
	left := make(map[string]graph.Began, len(owners))
	for target, owner := range owners {
		left[target] = graph.Began{By: owner}
	}
	return d.keepLeft(leftFile, bootID, left)
}

// KeepBegan replaces what [Dir.Began] reads.
func (d Dir) KeepBegan(bootID string, began map[string]graph.Began) error {
	return d.keepLeft(beganFile, bootID, began)
}

func (d Dir) keepLeft(file, bootID string, began map[string]graph.Began) error {
	document := leftDocument{Version: version, BootID: bootID, Left: []left{}}
	for _, target := range slices.Sorted(maps.Keys(began)) {
		owner := began[target].By
		l := left{Target: target, Name: owner.Name, Kind: owner.Kind, Since: owner.Since, UID: began[target].UID}
		if !owner.ID.IsZero() {
			l.ID = owner.ID.String()
		}
		document.Left = append(document.Left, l)
	}
	return d.keep(file, document)
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
