// Package pins is what pin, unpin and pins do beyond their flags: which things words
// mean, what is said of a pin, and which pins still keep something.
//
// How pins are kept, and what they hold for, is package state's.
package pins

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// thing is what is pinned, as a word of the command line means it.
func thing(p *state.Pin) word.Thing {
	return word.Thing{ID: p.ID, Members: p.Members, Container: p.Container, Name: p.Name}
}

// Handle is the word by which a person names a pinned thing.
func Handle(p *state.Pin) string { return thing(p).Handle() }

// Request is what somebody wants pinned.
type Request struct {
	Graph    *graph.Graph // the look in which the words mean something
	Programs graph.Catalogue
	Words    []string
	Now      time.Time
	Until    time.Time // zero is until it is unpinned
	Reason   string
}

// Pin pins all that the words mean, and returns it; the error is that one of them means
// nothing, and then nothing is pinned.
func Pin(dir state.Dir, r Request) ([]state.Pin, error) {
	found, err := of(r.Graph, r.Programs, r.Words)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Until, found[i].Reason = r.Until, r.Reason
	}
	return found, dir.Pin(r.Graph.Snapshot.Host.BootID, r.Now, found...)
}

// of are the pins that words mean in a look, each once. The error is that a word means
// nothing there.
func of(g *graph.Graph, programs graph.Catalogue, words []string) (found []state.Pin, err error) {
	var missing []string
	for _, name := range words {
		pins := ofWord(g, programs, name)
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
		return nil, notSeen(g.Snapshot, missing)
	}
	return found, nil
}

// ofWord: where a word means no target it may mean any other process, or the container
// that runs in.
func ofWord(g *graph.Graph, programs graph.Catalogue, name string) []state.Pin {
	boot := g.Snapshot.Host.BootID
	targets, process := word.Targets(g, name), word.Process(g.Snapshot, name)
	if len(targets) == 0 && process != nil {
		t, found := g.Target(process.ContainerID)
		if !found || process.ContainerID == "" {
			return []state.Pin{state.PinOfProcess(process.ID(), programs.Program(process), boot)}
		}
		targets = []*graph.Target{t}
	}
	var pins []state.Pin
	for _, t := range targets {
		pins = append(pins, state.PinOf(t, boot))
	}
	return pins
}

// notSeen says what was named and is not here; a source that did not answer may be
// why.
func notSeen(s *inventory.Snapshot, missing []string) error {
	why := ""
	for _, source := range s.Sources {
		if source.Status == inventory.StatusError {
			why += fmt.Sprintf("; %s could not be read: %s", source.Name, source.Reason)
		}
	}
	return advice.Failed("reaperd scan   shows what there is", "%s: no such MCP server, container or process here%s", strings.Join(missing, ", "), why)
}

// Pinned says that a thing was pinned, and how that ends.
func Pinned(p *state.Pin) string {
	until := ""
	if !p.Until.IsZero() {
		until = " until " + human.Moment(p.Until.Local())
	}
	return "Pinned " + called(p) + until + "."
}

// Unpinned says that a pin was ended.
func Unpinned(p *state.Pin) string { return "Unpinned " + called(p) + "." }

func called(p *state.Pin) string { return human.Safe(p.Name) + " " + Handle(p) }

// Notes are what else there is to say of things that were pinned, a line each.
func Notes(found []state.Pin, dir state.Dir) []string {
	notes := systemNotes(found, dir)
	for _, pin := range found {
		if len(pin.Members) == 0 && isProcess(pin) {
			notes = append(notes, fmt.Sprintf("note: %s is no MCP server, as far as is known: it would not be touched anyway", Handle(&pin)))
		}
	}
	if len(found) == 1 {
		notes = append(notes, fmt.Sprintf("reaperd unpin %s   ends it", Handle(&found[0])))
	}
	return notes
}

// systemNotes say where the daemon that root runs does not go by a user's pins.
func systemNotes(found []state.Pin, dir state.Dir) []string {
	system, running := state.ForeignDaemon()
	if !running {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil || state.UserDir(home) != dir {
		return []string{fmt.Sprintf("note: the system daemon (process %d) does not look into %s: sudo reaperd pin …", system.PID, dir)}
	}
	var notes []string
	for _, pin := range found {
		if !isProcess(pin) {
			notes = append(notes, fmt.Sprintf("note: the system daemon (process %d) goes by a user's pins of processes, not of containers: sudo reaperd pin %s", system.PID, Handle(&pin)))
		}
	}
	return notes
}

func isProcess(p state.Pin) bool { return strings.Contains(p.ID, ":") }

// End ends the pins that words mean, or all where there is no word, and returns them.
// The error is that a word means none.
func End(dir state.Dir, words []string) ([]state.Pin, error) {
	now := time.Now()
	// Whether a pin is of this boot does not matter: it may go in any case.
	pins, err := dir.Pins("", now)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(pins, func(p state.Pin) bool { return thing(&p).IsMeant(word) })
	})
	if len(missing) > 0 {
		return nil, advice.Failed("reaperd pins   lists them", "%s: not pinned", strings.Join(missing, ", "))
	}
	return dir.Unpin("", now, func(p state.Pin) bool {
		return len(words) == 0 || slices.ContainsFunc(words, thing(&p).IsMeant)
	})
}
