package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// Pin keeps a tree of processes or a container, whatever the policy says.
type Pin struct {
	// ID is the target's: "pid:start", or a container's full id.
	ID string `json:"id"`
	// Members are the identities of the tree's processes and the ids of its
	// containers, as they were when it was pinned: what is left of the tree
	// stays pinned when its root has ended.
	Members []string `json:"members,omitempty"`
	// BootID is the boot in which the process identities mean something; empty
	// for a container, whose id is never used again.
	BootID string `json:"boot_id,omitempty"`
	Name   string `json:"name,omitempty"`
	// Container is what a container is called.
	Container string `json:"container,omitempty"`
	// Owner is whose it was when it was pinned, for people; empty is nobody known.
	Owner string `json:"owner,omitempty"`
	// Until is when it ends; zero is when it is unpinned.
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	By     int       `json:"by_uid"`
	At     time.Time `json:"at"`
}

// maxPins bounds how many things can be pinned at a time.
const maxPins = 1000

// ownerOf is an owner as people read it, such as "codex 55".
func ownerOf(o graph.Owner) string {
	switch {
	case o.Name == "" && o.Liveness == graph.LivenessGone:
		return "nobody"
	case o.Name == "":
		return ""
	}
	text := redact.Name(o.Name)
	if !o.ID.IsZero() {
		text += " " + strconv.Itoa(o.ID.PID)
	}
	if o.Liveness == graph.LivenessGone {
		text += ", which is gone"
	}
	return text
}

// PinOf is a pin of a target that was seen in that boot.
func PinOf(t *graph.Target, bootID string) Pin {
	pin := Pin{ID: t.ID, Name: redact.Name(t.Name), Owner: ownerOf(t.Owner)}
	if t.Container != nil {
		pin.Container = redact.Name(strings.TrimPrefix(t.Container.Name, "/"))
		return pin
	}
	pin.BootID = bootID
	for _, member := range t.Members {
		pin.Members = append(pin.Members, member.ID().String())
	}
	pin.Members = append(pin.Members, t.Containers...)
	return pin
}

// PinOfProcess is a pin of one process.
func PinOfProcess(id inventory.ID, name, bootID string) Pin {
	return Pin{ID: id.String(), Name: name, BootID: bootID}
}

// holds reports whether the pin still means something. Where the boot is not
// known, that of any boot does.
func (p *Pin) holds(bootID string, now time.Time) bool {
	if !p.Until.IsZero() && !now.Before(p.Until) {
		return false
	}
	return p.BootID == "" || bootID == "" || p.BootID == bootID
}

// Sentence says that the pin keeps something, for a person.
func (p *Pin) Sentence() string {
	return sentence("reaperd pin keeps it", p.Until, p.Reason)
}

// pinsDocument is the file.
type pinsDocument struct {
	Version int   `json:"version"`
	Pins    []Pin `json:"pins"`
}

// Pins are the pins that hold, the oldest first. An error means that what is
// pinned is not known: nothing may be acted on. An empty boot id is one that is
// not known.
func (d Dir) Pins(bootID string, now time.Time) ([]Pin, error) {
	return d.pinsOf(os.Geteuid(), bootID, now)
}

func (d Dir) pinsOf(owner int, bootID string, now time.Time) ([]Pin, error) {
	var document pinsDocument
	err := d.read(pinsFile, owner, &document)
	if err == nil {
		err = document.check()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read pins %s: %w", d.path(pinsFile), err)
	}
	return slices.DeleteFunc(document.Pins, func(p Pin) bool { return !p.holds(bootID, now) }), nil
}

// check refuses what [Dir.Pin] cannot have written: who edits the file by hand
// means to keep something, and must hear that it does not.
func (d *pinsDocument) check() error {
	for i, pin := range d.Pins {
		if pin.ID == "" {
			return fmt.Errorf("pins[%d]: id is missing", i)
		}
		if _, err := inventory.ParseID(pin.ID); err != nil && len(pin.ID) != containerID {
			return fmt.Errorf("pins[%d]: id %q: want PID:START or the %d digits of a container's id", i, pin.ID, containerID)
		}
	}
	return nil
}

// containerID is how many digits a container's full id has.
const containerID = 64

// Pin adds pins; each replaces one of the same id. By and At are filled in.
func (d Dir) Pin(bootID string, now time.Time, pins ...Pin) error {
	return d.changePins(bootID, now, func(before []Pin) ([]Pin, error) {
		for _, pin := range pins {
			pin.By, pin.At = os.Geteuid(), now
			before = slices.DeleteFunc(before, func(old Pin) bool { return old.ID == pin.ID })
			before = append(before, pin)
		}
		if len(before) > maxPins {
			return nil, fmt.Errorf("more than %d pins: a rule of the policy, protect or exclude, keeps by name", maxPins)
		}
		return before, nil
	})
}

// Unpin removes the pins that are chosen and returns them.
func (d Dir) Unpin(bootID string, now time.Time, chosen func(Pin) bool) (removed []Pin, err error) {
	err = d.changePins(bootID, now, func(before []Pin) ([]Pin, error) {
		var kept []Pin
		for _, pin := range before {
			if chosen(pin) {
				removed = append(removed, pin)
			} else {
				kept = append(kept, pin)
			}
		}
		return kept, nil
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}

// changePins replaces the pins that hold; those that do not are dropped.
func (d Dir) changePins(bootID string, now time.Time, edit func([]Pin) ([]Pin, error)) error {
	return d.change(func() error {
		before, err := d.Pins(bootID, now)
		if err != nil {
			return err
		}
		after, err := edit(before)
		if err == nil {
			slices.SortStableFunc(after, func(a, b Pin) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
			err = d.write(pinsFile, pinsDocument{Version: version, Pins: append([]Pin{}, after...)})
		}
		if err != nil {
			return fmt.Errorf("write pins %s: %w", d.path(pinsFile), err)
		}
		return nil
	})
}

// Pinned tells of a target of that boot whether it is pinned, and why, as of
// now. An error means that what is pinned is not known: nothing may be acted on;
// the function then says that everything is pinned.
func (d Dir) Pinned(bootID string, now time.Time) (func(*graph.Target) (string, bool), error) {
	pins, err := d.Pins(bootID, now)
	if err != nil {
		return func(*graph.Target) (string, bool) {
			return "what is pinned could not be read, so everything is kept: " + err.Error(), true
		}, err
	}
	return newPinned(pins).target, nil
}

// pinned finds the pin of a target.
type pinned map[string]*Pin // by process identity, or container id

func newPinned(pins []Pin) pinned {
	found := pinned{}
	for i := range pins {
		found[pins[i].ID] = &pins[i]
		for _, member := range pins[i].Members {
			found[member] = &pins[i]
		}
	}
	return found
}

// target is pinned with any process of its tree, and tree and container of one
// client with each other: ending the client ends its container, and the other
// way round.
func (p pinned) target(t *graph.Target) (string, bool) {
	ids := append([]string{t.ID, t.Client}, t.Containers...)
	for _, member := range t.Members {
		ids = append(ids, member.ID().String())
	}
	for _, id := range ids {
		if pin := p[id]; pin != nil && id != "" {
			return pin.Sentence(), true
		}
	}
	return "", false
}
