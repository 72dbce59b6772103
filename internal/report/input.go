package report

import (
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// DueBy is by which rule a daemon reaps a target, and the id of the target with which that goes: the gateway, the docker
// run or the container; empty if it goes by itself.
type DueBy struct{ Rule, With string }

// Input is everything that a report is made from.
type Input struct {
	Graph *graph.Graph
	// First is the earlier look; nil if there was only one.
	First    *graph.Graph
	Verdicts []policy.Verdict
	Policy   policy.Identity
	// Asked is what the person asked for: commands in the report keep it.
	Asked asked.Look
	// IdleFor is for how long a session must do nothing to count as idle; zero if unknown.
	IdleFor time.Duration
	// Settle is the time between the two looks. A replay computes it from its snapshots.
	Settle time.Duration
	// Outcomes are the results of a sweep's acts; empty if no sweep acted.
	Outcomes []policy.Outcome
	// Replay means that the looks are saved snapshots, so no command can act on them.
	Replay bool
	// DryRun means that nobody is asked about the plan.
	DryRun bool
	// Daemon means that a daemon watches the same processes.
	Daemon bool
	// StartDaemon is the command after which one runs, where none does: "reaperd install".
	StartDaemon string
	// ForeignDaemon means that this daemon is root's, and that another user asks: it sees
	// more.
	ForeignDaemon bool
	// RootsRests is why that daemon of root's stops nothing: "is paused: it reaps nothing"; empty if it acts, or that is
	// not known.
	RootsRests string
	// OwnPolicy means that the policy is a file that this user has chosen: neither the host's own nor the built-in one.
	OwnPolicy bool
	// Beside are the daemons of other users that look after some of the processes: root's for
	// another user; for root, those of users. None goes by this user's pins and pauses.
	Beside beside.Daemons
	// UsersPins are the users, by name, who have pinned containers, by the containers' ids; only root is
	// told. Such a pin does not hold for root.
	UsersPins map[string]string
	// Due tells, by target, when that daemon reaps what is pending. It is empty if the
	// daemon does not act: then pending targets wait for a sweep by hand.
	Due map[string]time.Time
	// DueBy tells, by target, by which rule that is, where the policy is the one used here.
	DueBy map[string]DueBy
	// NextLook is when that daemon looks next, if nothing wakes it before; zero is unknown.
	NextLook time.Time
	// IdleSince is since when that daemon has seen a session do nothing.
	IdleSince map[inventory.ID]time.Time
	// Paused means that a person has paused reaperd: nothing is acted on, by a daemon or by
	// hand. Due then tells when the pending would go.
	Paused bool
	// PausedUntil is when the pause ends by itself; zero is never.
	PausedUntil time.Time
	// Unrecorded means that the journal takes no record: nothing is acted on, by that daemon
	// or by hand.
	Unrecorded bool
	// NoRoom means that the disk of the state directory is full: pins are refused. NoSpace
	// means that a sweep by hand is refused too, because it finds no space in the journal;
	// the daemon set some aside before.
	NoRoom, NoSpace bool
	// DaemonRests is why the daemon stops nothing: "is in mode report"; empty if it acts.
	DaemonRests string
	// DaemonDiffers means that another policy gave those times: nothing that is said about
	// the rules here follows from them.
	DaemonDiffers bool
	// DaemonPolicy is the file of that policy; empty if it is the built-in one, or not known.
	DaemonPolicy string
	// Reaped means that this daemon has stopped something since it started, or somebody within the last
	// hour.
	Reaped bool
	// HadBy are live sessions, by the containers that a daemon saw them have, and nobody has now.
	HadBy map[string]string
	// Notes are remarks that the caller adds below the sources, each a sentence behind "note: ".
	Notes []string
	// Resumes are the commands that resume a session in a new one, by client.
	Resumes map[string]string
	// Command is "scan" or "sweep".
	Command string
	// Nothing is the answer if the report is limited to a kind of thing and finds none; zero
	// if it is not limited.
	Nothing Nothing
	// Names select the targets of the JSON, their sessions and their sums; none selects all. The table has its own
	// ([Options]).
	Names []string
}

// Options control the form of a report.
type Options struct {
	// Width is the width of the terminal in cells; zero is 100.
	Width int
	// Color shows in colour what lives, waits and goes.
	Color bool
	// UTF8 means that the terminal shows more than ASCII.
	UTF8 bool
	// Wide writes each target with its full command and all evidence.
	Wide bool
	// Terminal means that Width is that of a terminal: the wide table has no longer lines.
	Terminal bool
	// Names select what is shown, as package word understands them. They never change a
	// verdict. None shows everything.
	Names []string
	// Home is the reader's home folder; a replay ignores it: its paths are another host's.
	Home human.Home
	// Location is the time zone of the report; nil is UTC.
	Location *time.Location
}

const defaultWidth = 100

func (o Options) width() int {
	if o.Width <= 0 {
		return defaultWidth
	}
	return o.Width
}

func (o Options) location() *time.Location {
	if o.Location == nil {
		return time.UTC
	}
	return o.Location
}

// reported returns the verdicts that reports show (see [policy.Verdict.Reported]).
func (in Input) reported() []*policy.Verdict {
	out := make([]*policy.Verdict, 0, len(in.Verdicts))
	for i := range in.Verdicts {
		if v := &in.Verdicts[i]; v.Reported() {
			out = append(out, v)
		}
	}
	return out
}

// WouldReap reports whether any listed target would be reaped.
func (in Input) WouldReap() bool {
	listed := newChoice(in, in.Names)
	return slices.ContainsFunc(in.Verdicts, func(v policy.Verdict) bool {
		return v.Decision == policy.Reap && listed.shows(v.Target)
	})
}

// Complete reports whether every source answered and no act is incomplete
// ([done.Result.Incomplete]).
func (in Input) Complete() bool {
	for _, g := range []*graph.Graph{in.First, in.Graph} {
		if g != nil && g.Snapshot != nil && !g.Snapshot.Complete() {
			return false
		}
	}
	for _, outcome := range in.Outcomes {
		if outcome.Result.Incomplete() {
			return false
		}
	}
	return true
}
