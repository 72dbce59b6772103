package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/redact"
)

// Pin keeps a tree of processes or a container, whatever the policy says.
type Pin struct {
	// ID is the target's: "pid:start", or a container's full id.
	ID string `json:"id"`
	// Members are the processes of the tree and its containers when it was pinned.
	// The rest of the tree stays pinned after its root has exited.
	Members []string `json:"members,omitempty"`
	// BootID is the boot to which the processes belong; "" for a container, whose id
	// is never used again.
	BootID string `json:"boot_id,omitempty"`
	Name   string `json:"name,omitempty"`
	// Container is the container's name.
	Container string `json:"container,omitempty"`
	// Owner is the owner when it was pinned, for people; "" if none was known.
	Owner string `json:"owner,omitempty"`
	// OwnerID is the process of the owner that lived then, as "pid:start"; "" if none did.
	OwnerID string `json:"owner_id,omitempty"`
	// Until is when it ends; zero means when it is unpinned.
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	By     int       `json:"by_uid"`
	At     time.Time `json:"at"`
}

// maxPins is how many things can be pinned at a time.
const maxPins = 1000

// ownerOf is an owner's name for people, such as "codex 55".
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
		return Gone(text)
	}
	return text
}

// Gone says of an owner that it has ended: "codex 55, which is gone".
func Gone(owner string) string { return owner + ", which is gone" }

// PinOf makes a pin of a target seen in that boot.
func PinOf(t *graph.Target, bootID string) Pin {
	pin := Pin{ID: t.ID, Name: redact.Name(t.Name), Owner: ownerOf(t.Owner)}
	if t.Owner.Liveness == graph.LivenessLive && !t.Owner.ID.IsZero() {
		pin.OwnerID = t.Owner.ID.String()
	}
	if t.Container != nil {
		pin.Container = redact.Name(t.Container.Called())
		return pin
	}
	pin.BootID = bootID
	for _, member := range t.Members {
		pin.Members = append(pin.Members, member.ID().String())
	}
	pin.Members = append(pin.Members, t.Containers...)
	return pin
}

// PinOfProcess makes a pin of one process.
func PinOfProcess(id inventory.ID, name, bootID string) Pin {
	return Pin{ID: id.String(), Name: name, BootID: bootID}
}

// isInForce reports that the pin still applies. If the boot is not known, pins of any
// boot do.
func (p *Pin) isInForce(bootID string, now time.Time) bool {
	if !p.Until.IsZero() && !now.Before(p.Until) {
		return false
	}
	return p.BootID == "" || bootID == "" || p.BootID == bootID
}

// Sentence says for people that the pin keeps something, and whose pin it is if it is
// another user's.
func (p *Pin) Sentence() string {
	what := "reaperd pin keeps it"
	if by := p.by(); by != "" {
		what = "reaperd pin of " + by + " keeps it"
	}
	return sentence(what, p.Until, p.Reason)
}

// by is the name of the user whose pin it is, or the number; empty if it is the present user's.
func (p *Pin) by() string {
	if p.By == os.Geteuid() {
		return ""
	}
	return UserName(p.By)
}

// ofTarget is the pin that keeps a target. That of a tree keeps what is left of it, too.
func (p *Pin) ofTarget(t *graph.Target) graph.Pin {
	isOfContainer := len(p.ID) == containerID
	if p.ID == t.ID || isOfContainer == (t.Container != nil) {
		return graph.Pin{Why: p.Sentence()}
	}
	return graph.Pin{Why: p.Sentence(), Of: p.ID}
}

// pinsDocument is the content of the file.
type pinsDocument struct {
	Version int   `json:"version"`
	Pins    []Pin `json:"pins"`
}

// Pins are the pins that hold, oldest first. If it returns an error, the pins are not
// known, and nothing may be acted on. An empty boot id means that the boot is not
// known.
func (d Dir) Pins(bootID string, now time.Time) ([]Pin, error) {
	var document pinsDocument
	err := d.read(pinsFile, os.Geteuid(), &document)
	if err == nil {
		err = document.check()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read pins %s: %w", d.path(pinsFile), err)
	}
	return slices.DeleteFunc(document.Pins, func(p Pin) bool { return !p.isInForce(bootID, now) }), nil
}

// check refuses content that [Dir.Pin] cannot have written: a person who edits the
// file wants to keep something, and must learn that it does not work.
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

// containerID is the number of digits in a container's full id.
const containerID = 64

// Pin adds the pins of a user; each replaces one with the same id. It fills in By and At.
func (d Dir) Pin(by int, bootID string, now time.Time, pins ...Pin) error {
	return d.changePins(bootID, now, func(before []Pin) ([]Pin, error) {
		for _, pin := range pins {
			pin.By, pin.At = by, now
			before = slices.DeleteFunc(before, func(old Pin) bool { return old.ID == pin.ID })
			before = append(before, pin)
		}
		if len(before) > maxPins {
			return nil, fmt.Errorf("more than %d pins: a rule of the policy, protect or exclude, keeps by name", maxPins)
		}
		return before, nil
	})
}

// Unpin removes the chosen pins and returns them.
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

// pidOf is the number of a pinned process; containers come behind all of them.
func pidOf(p Pin) int {
	id, err := inventory.ParseID(p.ID)
	if err != nil {
		return math.MaxInt
	}
	return id.PID
}

// changePins replaces the pins that hold, and drops the others.
func (d Dir) changePins(bootID string, now time.Time, edit func([]Pin) ([]Pin, error)) error {
	return d.change(func() error {
		before, err := d.Pins(bootID, now)
		if err != nil {
			return err
		}
		after, err := edit(before)
		if err == nil {
			slices.SortStableFunc(after, func(a, b Pin) int {
				return cmp.Or(a.At.Compare(b.At), cmp.Compare(pidOf(a), pidOf(b)), cmp.Compare(a.ID, b.ID))
			})
			err = d.write(pinsFile, pinsDocument{Version: version, Pins: append([]Pin{}, after...)})
		}
		if err != nil {
			return fmt.Errorf("write pins %s: %w", d.path(pinsFile), err)
		}
		return nil
	})
}

// pinned finds the pin of a target.
type pinned map[string]*Pin // by process identity, or container id

func newPinned(pins []Pin) pinned {
	found := pinned{}
	for i := range pins {
		for _, member := range pins[i].Members {
			found[member] = &pins[i]
		}
	}
	for i := range pins { // a thing with a pin of its own is kept by that, not by the pin of its tree
		found[pins[i].ID] = &pins[i]
	}
	return found
}

// target reports that a target is pinned: by its own id, by that of a process of its
// tree, or by that of its runner or one of its containers. Ending one of these ends
// the others.
func (p pinned) target(t *graph.Target) (graph.Pin, bool) {
	ids := append([]string{t.ID, t.Runner}, t.Containers...)
	for _, member := range t.Members {
		ids = append(ids, member.ID().String())
	}
	for _, id := range ids {
		if pin := p[id]; pin != nil && id != "" {
			return pin.ofTarget(t), true
		}
	}
	return graph.Pin{}, false
}
