// Package pins is pin, unpin and pins without their flags: which targets words mean,
// how a pin is confirmed, and which pins still keep something. Package state stores
// pins and decides how long they hold.
package pins

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// thing is a pin's target in the form that words are compared with.
func thing(p *state.Pin) word.Thing {
	return word.Thing{ID: p.ID, Members: p.Members, Container: p.Container, Name: p.Name}
}

// Handle is the word by which a person names a pinned thing.
func Handle(p *state.Pin) string { return thing(p).Handle() }

// Meant are the pins of this boot that a word means.
func Meant(dir state.Dir, boot, word string) ([]state.Pin, error) {
	pins, err := dir.Pins(boot, time.Now())
	return slices.DeleteFunc(pins, func(p state.Pin) bool { return !thing(&p).IsMeant(word) }), err
}

// Request is the wish to pin something.
type Request struct {
	Graph    *graph.Graph // the look in which the words mean something
	Programs graph.Catalogue
	Words    []string
	Now      time.Time
	Until    time.Time // zero is until it is unpinned
	Reason   string
	// LeftBy is the session that left a target, where only a daemon has seen it; nil: unknown.
	LeftBy func(target string) (graph.Owner, bool)
	// NotSeen is the error that words mean nothing in the look; nil: [word.NotSeen].
	NotSeen func(missing []string) error
}

// Check is the error that a word of the request means nothing; nil if all mean something.
func (r Request) Check() error {
	_, err := r.found()
	return err
}

// Pin pins everything that the words mean, and returns the pins. If a word means
// nothing, that is an error, and nothing is pinned.
func Pin(dir state.Dir, r Request) ([]state.Pin, error) {
	found, err := r.found()
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Until, found[i].Reason, found[i].Owner = r.Until, r.Reason, r.ownerOf(&found[i])
	}
	return found, dir.Pin(r.Graph.Snapshot.Host.BootID, r.Now, found...)
}

// ownerOf is the owner of a pin's target for people.
func (r Request) ownerOf(pin *state.Pin) string {
	t, found := r.Graph.Target(pin.ID)
	if !found || r.LeftBy == nil || t.Owner.Name != "" || t.Owner.Liveness != graph.LivenessGone {
		return pin.Owner
	}
	left := *t
	if owner, known := r.LeftBy(t.ID); known {
		left.Owner = owner
	}
	return state.PinOf(&left, pin.BootID).Owner
}

// notSeen is the error that words mean nothing that runs. What a session left that has ended
// is pinned by itself: the session's name means the session.
func (r Request) notSeen(missing []string) error {
	notSeen := r.NotSeen
	if notSeen == nil {
		notSeen = func(missing []string) error { return word.NotSeen("reaperd scan", r.Graph, missing) }
	}
	if r.LeftBy == nil {
		return notSeen(missing)
	}
	left := report.LeftIn(r.Graph, r.LeftBy)
	if others := left.Missing(r.Graph, missing); len(others) > 0 {
		return notSeen(others)
	}
	var handles []string
	for _, name := range missing {
		for _, t := range left.Of(r.Graph, name) {
			handles = append(handles, word.Of(t).Handle())
		}
	}
	return advice.Failed("reaperd pin "+strings.Join(handles[:min(len(handles), mostNamed)], " ")+"   pins what it left", "%s: the session has ended, and only what runs can be pinned",
		human.Safe(strings.Join(missing, ", ")))
}

// found are the pins for the words, each once. If a word means nothing, that is an error.
func (r Request) found() (found []state.Pin, err error) {
	var missing []string
	for _, name := range r.Words {
		pins := ofWord(r.Graph, r.Programs, name)
		if len(pins) == 0 {
			missing = append(missing, name)
		}
		for _, pin := range pins {
			if !slices.ContainsFunc(found, func(p state.Pin) bool { return p.ID == pin.ID }) {
				found = append(found, pin)
			}
		}
	}
	if len(missing) > 0 {
		return nil, r.notSeen(missing)
	}
	return found, nil
}

// ofWord are the pins for one word: the targets that it means or, if there are none,
// any other process, or the container that it runs in. A name also means a client that is not known.
func ofWord(g *graph.Graph, programs graph.Catalogue, name string) []state.Pin {
	boot := g.Snapshot.Host.BootID
	targets, process := word.Targets(g, name), word.Process(g.Snapshot, name)
	if len(targets) == 0 && process != nil {
		t, found := g.Target(process.ContainerID)
		if !found || process.ContainerID == "" {
			return []state.Pin{state.PinOfProcess(process.ID(), processName(process, programs), boot)}
		}
		targets = []*graph.Target{t}
	}
	var pins []state.Pin
	for _, t := range targets {
		pins = append(pins, state.PinOf(t, boot))
	}
	if len(pins) == 0 {
		for _, p := range word.Strangers(g, name) {
			pins = append(pins, state.PinOfProcess(p.ID(), processName(p, programs), boot))
		}
	}
	return pins
}

// processName is what explain calls a process that is no target.
func processName(p *inventory.Process, programs graph.Catalogue) string {
	if p.Comm != "" {
		return p.Comm
	}
	return programs.Program(p)
}

// Pinned confirms a pin, and says how it ends.
func Pinned(p *state.Pin) string {
	until := ""
	if !p.Until.IsZero() {
		until = " until " + human.Moment(p.Until.Local())
	}
	return "Pinned " + called(p) + until + "."
}

// Unpinned confirms the end of a pin.
func Unpinned(p *state.Pin) string { return "Unpinned " + called(p) + "." }

// Tell writes what one of [Pinned] and [Unpinned] says of each pin.
func Tell(w io.Writer, pins []state.Pin, confirm func(*state.Pin) string) error {
	for i := range pins {
		if _, err := fmt.Fprintln(w, confirm(&pins[i])); err != nil {
			return err
		}
	}
	return nil
}

func called(p *state.Pin) string { return human.Safe(p.Name) + " " + Handle(p) }

// Notes are further remarks about new pins, one line each. before are the pins that
// held until then, g is the look in which the new ones were found.
func Notes(g *graph.Graph, found, before []state.Pin, dir state.Dir) []string {
	notes := append(replacedNotes(found, before), SystemNotes(found, dir)...)
	for _, pin := range found {
		if len(pin.Members) == 0 && isProcess(pin) {
			notes = append(notes, "note: "+noTarget(g, &pin))
		}
	}
	return append(notes, unpinNote(found))
}

// noTarget says of a pinned process that is no target what that means, or why it is not known what it is.
func noTarget(g *graph.Graph, pin *state.Pin) string {
	if p := word.Process(g.Snapshot, pin.ID); p != nil {
		if other := (report.OtherProcess{Process: p, Unread: word.UnreadAround(g, p)}); other.Unread != "" {
			return other.Brief()
		}
	}
	id, _ := inventory.ParseID(pin.ID)
	return report.NoServer(id.PID, pin.Name) + ", as far as is known: reaperd never touches it, pinned or not"
}

// mostNamed is how many pins the command that ends them names.
const mostNamed = 8

func unpinNote(found []state.Pin) string {
	if len(found) > mostNamed {
		return "reaperd pins   lists them, reaperd unpin ends one"
	}
	var handles []string
	for i := range found {
		handles = append(handles, Handle(&found[i]))
	}
	ends := "ends this pin"
	if len(found) > 1 {
		ends = "ends these pins"
	}
	return fmt.Sprintf("reaperd unpin %s   %s", strings.Join(handles, " "), ends)
}

// SystemNotes say that root's daemon does not follow a user's pins.
func SystemNotes(found []state.Pin, dir state.Dir) []string {
	system, running := state.ForeignDaemon()
	if !running {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil || state.UserDir(home) != dir {
		return []string{fmt.Sprintf("note: root's daemon (process %d) does not look into %s: sudo reaperd pin …", system.PID, dir)}
	}
	var handles []string
	for _, pin := range found {
		if !isProcess(pin) {
			handles = append(handles, Handle(&pin))
		}
	}
	if len(handles) == 0 {
		return nil
	}
	return []string{"note: " + beside.Daemon{User: "root", PID: system.PID}.IgnoresPin(handles...)}
}

// ListNotes are remarks about the list of a user's pins: how far root's daemon goes by them; and about that
// of root's, if there are any: that no user's daemon does.
func ListNotes(list List, others beside.Daemons) []string {
	system, running := state.ForeignDaemon()
	switch {
	case !running && len(list) > 0:
		return others.Notes("goes by pins of its own, and by none of these", "reaperd pins")
	case !running:
		return nil
	}
	return []string{fmt.Sprintf("note: root's daemon (process %d) goes by these for your own processes only, and has pins of its own: sudo reaperd pins", system.PID)}
}

func isProcess(p state.Pin) bool { return strings.Contains(p.ID, ":") }

// End ends the pins that words mean, or all pins without a word, and returns them. If
// a word means none, that is an error. The whole id of something pinned means no other pin: a
// docker run's pin, whose members have its container, outlives that of the container.
func End(dir state.Dir, words []string, look Look) ([]state.Pin, error) {
	if slices.Contains(words, "") {
		return nil, advice.Misused(listsThem, "unpin: an empty word names nothing")
	}
	now := time.Now()
	// Pins of other boots may go too.
	pins, err := dir.Pins("", now)
	if err != nil {
		return nil, err
	}
	means := func(p *state.Pin, word string) bool {
		if slices.ContainsFunc(pins, func(other state.Pin) bool { return other.ID == word }) {
			return p.ID == word
		}
		return thing(p).IsMeant(word)
	}
	missing := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(pins, func(p state.Pin) bool { return means(&p, word) })
	})
	if len(missing) > 0 {
		return nil, notPinned(missing, words, look)
	}
	return dir.Unpin("", now, func(p state.Pin) bool {
		return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return means(&p, word) })
	})
}
