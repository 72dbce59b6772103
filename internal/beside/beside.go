// Package beside has the words for the daemons of other users that run beside a user's own
// commands. For a user that is root's, which looks after every user's servers; for root they are
// those of users, each of which looks after its user's. None goes by this user's pins and pauses,
// and each keeps a journal of its own.
package beside

import (
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Daemon is a daemon of another user.
type Daemon struct {
	User     string `json:"user"`                // by name; the number if none is known
	UID      int    `json:"uid"`                 // 0 is root
	PID      int    `json:"pid"`                 // 0 is not known
	StateDir string `json:"state_dir,omitempty"` // "" is not known
}

// Whose is "root's daemon".
func (d Daemon) Whose() string { return d.user() + "'s daemon" }

func (d Daemon) user() string { return human.Safe(d.User) }

// String is "root's daemon (process 6882)".
func (d Daemon) String() string {
	if d.PID == 0 {
		return d.Whose()
	}
	return fmt.Sprintf("%s (process %d)", d.Whose(), d.PID)
}

// Command is a command as its user gives it, by whoever sits here: root acts as a user, and a user
// as root.
func (d Daemon) Command(command string) string {
	if d.UID == 0 {
		return "sudo " + command
	}
	return human.AsUser(d.User, command)
}

// LooksAfter reports whether what a user runs is among what the daemon looks after.
func (d Daemon) LooksAfter(uid int) bool { return d.UID == 0 || d.UID == uid }

// Measures reports whether the daemon can tell what a session of a user does. That of a user cannot
// measure what runs in containers, as other users.
func (d Daemon) Measures(uid, containers int) bool {
	return d.UID == 0 || d.UID == uid && containers == 0
}

// Decides is [Daemon.DecidesAnyhow] where it is known why the daemon stops nothing: "is paused: it reaps nothing"; empty
// if it acts.
func (d Daemon) Decides(rests string) string {
	if rests == "" {
		return d.DecidesAnyhow()
	}
	return d.String() + " " + rests + ": " + d.Command("reaperd status")
}

// DecidesAnyhow says that what a daemon of the present user's does is not all: "root's daemon (process
// 6882) decides by its own policy: sudo reaperd status".
func (d Daemon) DecidesAnyhow() string {
	return d.String() + " decides by its own policy: " + d.Command("reaperd status")
}

// OwnJournal says where a daemon's acts are: [Daemons.Notes] names the daemon.
const OwnJournal = "keeps a journal of its own"

// OnlyInOwn is added to what keeps something from this user's sweeps only.
const OnlyInOwn = " (for your own sweeps only)"

// RootsPolicy is added to what a policy of this user's own does, or not, where root's daemon decides.
const RootsPolicy = "root's daemon goes by root's policy"

// AsksEngine says of an engine that a user may not ask that root's daemon does.
const AsksEngine = "this user may not ask it; root's daemon does, and looks after this user's containers too: sudo reaperd scan shows them"

// KeepsJournal says where the daemon's acts are told: "root's daemon keeps a journal of its own: sudo reaperd history".
func (d Daemon) KeepsJournal() string {
	return d.Whose() + " " + OwnJournal + ": " + d.Command("reaperd history")
}

// MayHaveStopped says who else may have stopped something that is gone, and where that is told.
func (d Daemon) MayHaveStopped(handle string) string {
	return fmt.Sprintf("%s (or a sweep of %s's) may have stopped it: %s", d.Whose(), d.user(), d.Command("reaperd explain "+human.Shell(handle)))
}

// IsKeptFrom says that a pin, such as "your pin", keeps something from this user's sweeps alone: whether the
// daemon's user has pinned it too is not known here.
func (d Daemon) IsKeptFrom(pin string) string {
	return fmt.Sprintf("%s keeps it from your own sweeps; from %s only a pin of %s's does", pin, d.Whose(), d.user())
}

// IgnoresPin says that the daemon does not go by a user's pins of containers, which handles name.
func (d Daemon) IgnoresPin(handles ...string) string {
	return fmt.Sprintf("%s goes by a user's pins of processes, not of containers: %s", d, d.Command("reaperd pin "+human.Shell(handles...)))
}

// IgnoresPinOfAnother says that the daemon ignores pins that the present user has made of another user's things,
// and names the command that makes it keep them. called are the things with their handles: "fetch 22".
func (d Daemon) IgnoresPinOfAnother(called, handles []string) string {
	which := fmt.Sprintf("your pin of %s, which is", human.List(called))
	if len(called) > 1 {
		which = fmt.Sprintf("your pins of %s, which are", human.List(called))
	}
	return fmt.Sprintf("%s does not go by %s another user's: %s", d, which, d.Command("reaperd pin "+human.Shell(handles...)))
}

// After says what it looks after: "dev's daemon (process 5770) looks after dev's servers".
func (d Daemon) After() string {
	if d.UID == 0 {
		return d.String() + " looks after every user's servers"
	}
	return d.String() + " looks after " + d.user() + "'s servers"
}

// Daemons are those beside a user's commands, by user.
type Daemons []Daemon

// mostTold is how many daemons a text names.
const mostTold = 3

// Of is the daemon that looks after what a user runs.
func (ds Daemons) Of(uid int) (Daemon, bool) {
	at := slices.IndexFunc(ds, func(d Daemon) bool { return d.LooksAfter(uid) })
	if at < 0 {
		return Daemon{}, false
	}
	return ds[at], true
}

// Ignoring is the daemon that looks after what a user runs, if it does not go by the pin of it by me.
// Root's goes by a user's pins of that user's own processes; that of a user, by no one else's.
func (ds Daemons) Ignoring(user, me int, isContainer bool) (Daemon, bool) {
	daemon, cares := ds.Of(user)
	return daemon, cares && (isContainer || user != me)
}

// String names them: "dev's daemon (process 5770) and ann's daemon (process 5801)".
func (ds Daemons) String() string { return ds.list(Daemon.String) }

// After says what each of them looks after.
func (ds Daemons) After() string { return ds.list(Daemon.After) }

// Known says that they know something: "root's daemon knows".
func (ds Daemons) Known() string {
	return ds.list(Daemon.Whose) + human.Verb(len(ds), " knows", " know")
}

// Commands is a command for each of them.
func (ds Daemons) Commands(command string) string {
	return ds.list(func(d Daemon) string { return d.Command(command) })
}

func (ds Daemons) list(text func(Daemon) string) string {
	var texts []string
	for i, d := range ds {
		if i == mostTold {
			texts = append(texts, human.Number(len(ds)-i)+" more")
			break
		}
		texts = append(texts, text(d))
	}
	return human.List(texts)
}

// Notes are remarks that begin with each of them, such as "note: root's daemon (process 6882) has
// pins of its own: sudo reaperd pins".
func (ds Daemons) Notes(says, command string) []string {
	var notes []string
	for i, d := range ds {
		if i == mostTold {
			return append(notes, fmt.Sprintf("note: so it is with the daemons of %s", human.Count(len(ds)-i, "more user")))
		}
		notes = append(notes, fmt.Sprintf("note: %s %s: %s", d, says, d.Command(command)))
	}
	return notes
}

// Paused goes on after "paused until …": how far a pause of this user reaches, of which that much
// is left; zero is without an end.
func (ds Daemons) Paused(left time.Duration) string {
	if len(ds) == 0 {
		return ": nothing is reaped; reaperd resume ends it"
	}
	return fmt.Sprintf(", for your own sweeps only: %s %s (%s); reaperd resume ends this pause", ds, ds.ignores(), ds.Commands(pausing(left)))
}

// pausing is the command of a pause that lasts so long, in whole minutes.
func pausing(left time.Duration) string {
	if left <= 0 {
		return "reaperd pause"
	}
	return "reaperd pause " + human.Exact(max(time.Minute, left.Round(time.Minute)))
}

// Unpaused begins a sentence about a pause of this user: "your own sweeps are paused, and root's
// daemon does not go by it".
func (ds Daemons) Unpaused() string {
	return "your own sweeps are paused, and " + ds.list(Daemon.Whose) + " " + ds.ignores()
}

func (ds Daemons) ignores() string {
	return human.Verb(len(ds), "does not go by it", "do not go by it")
}
