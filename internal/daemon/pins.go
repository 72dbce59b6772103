package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/state"
)

// dir is where the reader's own wishes are kept. Root's are those of the decider itself.
func (a asker) dir() state.Dir {
	if a.reader.UID == 0 {
		return a.state
	}
	return a.state.Of(a.reader.UID)
}

// Pins implements [account.Asker]: those of the reader, or of everybody for root.
func (a asker) Pins(ctx context.Context) ([]account.Pin, error) {
	s, err := a.seen(ctx, true)
	if err != nil {
		return nil, err
	}
	wishes, err := a.dir().Wishes(s.snapshot().Host.BootID, time.Now())
	var all []account.Pin
	for _, w := range wishes {
		err = errors.Join(err, w.PinsErr)
		all = append(all, a.pinsTold(s, w.Pins)...)
	}
	if err != nil {
		return nil, human.Failed("", "%w", err)
	}
	return all, nil
}

// pinsTold are pins as readers are told them.
func (a asker) pinsTold(s *seen, held []state.Pin) []account.Pin {
	told := make([]account.Pin, 0, len(held))
	for _, pin := range held {
		told = append(told, account.Pin{
			Target: pin.ID, Called: pin.Name, Members: pin.Members, BootID: pin.BootID, Container: pin.Container, Owner: pin.Owner, OwnerID: pin.OwnerID, UID: pin.By, User: state.UserName(pin.By), At: pin.At, Until: pin.Until, Why: pin.Reason, There: a.isThere(s, &pin),
		})
	}
	return told
}

// isThere reports that something of what is pinned is there: in the look, or as a process that no
// look need show. A container of an engine that could not be read may be there.
func (a asker) isThere(s *seen, pin *state.Pin) bool {
	for _, id := range append([]string{pin.ID}, pin.Members...) {
		if _, shown := s.look.Graph.Target(id); shown {
			return true
		}
		if inventory.IsContainerID(id) && !s.snapshot().Engines().ReadAll("") {
			return true
		}
		if process, err := inventory.ParseID(id); err == nil && a.runs(process) {
			return true
		}
	}
	return false
}

// Pin implements [account.Asker].
func (a asker) Pin(ctx context.Context, subject string, until time.Time, why string) ([]account.Pin, error) {
	now := time.Now()
	if err := state.CheckReason(why); err != nil {
		return nil, human.Misused("", "--reason: %w", err)
	}
	s, err := a.seen(ctx, true)
	if err == nil {
		err = a.isOwn(s, subject)
	}
	if err != nil {
		return nil, err
	}
	part := partOf(s.look, a.reader)
	found := pinsOf(part, s, called(part, subject))
	if len(found) == 0 {
		return nil, account.NotSeen(part.Graph, []string{subject})
	}
	for i := range found {
		found[i].Until, found[i].Reason, found[i].By, found[i].At = until, why, a.reader.UID, now
	}
	err = a.state.Admit(a.reader.UID, now)
	if err == nil {
		err = a.dir().Pin(a.reader.UID, s.snapshot().Host.BootID, now, found...)
	}
	if err != nil {
		return nil, human.Failed("", "%w", err)
	}
	a.tellPins("pinned", found)
	if after, err := a.seenAfter(ctx, time.Now()); err == nil { // so that the next answer shows it; it holds all the same
		s = after
	}
	return a.pinsTold(s, found), nil
}

// pinsOf are the pins for a word: the targets that it means or, if there are none, any other
// process, or the container that it runs in. A name also means a client that is not known.
func pinsOf(l account.Look, s *seen, subject string) (found []state.Pin) {
	boot := s.snapshot().Host.BootID
	targets, process := account.TargetsMeant(l.Graph, subject), account.ProcessMeant(l.Graph.Snapshot, subject)
	if len(targets) == 0 && process != nil {
		if t, shown := l.Graph.Target(process.ContainerID); shown && process.ContainerID != "" {
			targets = append(targets, t)
		}
	}
	for _, t := range targets {
		found = append(found, state.PinOf(t, boot))
	}
	if len(found) > 0 {
		return found
	}
	strangers := account.Strangers(l.Graph, subject)
	if process != nil {
		strangers = []*inventory.Process{process}
	}
	for _, p := range strangers {
		name := p.Comm
		if name == "" {
			name = s.programs.Program(p)
		}
		found = append(found, state.PinOfProcess(p.ID(), name, boot))
	}
	return found
}

// Unpin implements [account.Asker]. Without a word it ends every pin of the reader's; the pins of
// other users root ends by naming them.
func (a asker) Unpin(ctx context.Context, words []string) ([]account.Pin, error) {
	s, err := a.seen(ctx, false)
	if err != nil {
		return nil, err
	}
	now, unmeant := time.Now(), slices.Clone(words)
	wishes, err := a.dir().Wishes("", now)
	if len(words) == 0 {
		wishes = wishes[:1]
	}
	for _, w := range wishes {
		err = errors.Join(err, w.PinsErr)
		unmeant = slices.DeleteFunc(unmeant, func(subject string) bool { return slices.ContainsFunc(w.Pins, meansPin(w.Pins, subject)) })
	}
	if err != nil {
		return nil, human.Failed("", "%w", err)
	}
	if len(unmeant) > 0 {
		return nil, notPinned(unmeant)
	}
	var ended []state.Pin
	for _, w := range wishes {
		removed, err := a.dir().Of(w.UID).Unpin("", now, func(pin state.Pin) bool {
			return len(words) == 0 || slices.ContainsFunc(words, func(subject string) bool { return meansPin(w.Pins, subject)(pin) })
		})
		if err != nil {
			return nil, human.Failed("", "%w", err)
		}
		ended = append(ended, removed...)
	}
	a.tellPins("unpinned", ended)
	if after, err := a.seenAfter(ctx, time.Now()); err == nil {
		s = after
	}
	return a.pinsTold(s, ended), nil
}

// tellPins logs who has pinned or unpinned what.
func (a asker) tellPins(what string, pins []state.Pin) {
	for _, pin := range pins {
		a.log.Info(what, append(a.stay(pin.Until, pin.Reason), "name", pin.Name, "target", pin.ID)...)
	}
}

// stay are the attributes of what a person has asked to be kept: by whom, until when, and why.
func (a asker) stay(until time.Time, why string) []any {
	about := []any{"by", state.UserName(a.reader.UID)}
	if !until.IsZero() {
		about = append(about, "until", until)
	}
	if why != "" {
		about = append(about, "reason", why)
	}
	return about
}

// meansPin reports the pins that a word means. The whole id of something pinned means no other
// pin: a docker run's, whose members have its container, outlives that of the container.
func meansPin(held []state.Pin, subject string) func(state.Pin) bool {
	isID := slices.ContainsFunc(held, func(pin state.Pin) bool { return pin.ID == subject })
	return func(pin state.Pin) bool {
		if isID {
			return pin.ID == subject
		}
		return account.Subject{ID: pin.ID, Members: pin.Members, Container: pin.Container, Name: pin.Name}.IsMeant(subject)
	}
}

// notPinned is the error that words mean no pin.
func notPinned(words []string) error {
	if slices.Contains(words, "") {
		return human.Misused("reaperd pins   lists them", "unpin: an empty word names nothing")
	}
	return human.Failed("reaperd pins   lists them", "%s: not pinned", human.Safe(strings.Join(words, ", ")))
}
