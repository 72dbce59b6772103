package report

import (
	"slices"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// mayReadWithSudo reports a process of another user whose descriptors could not be read
// here, and that root may read them.
func (v *view) mayReadWithSudo(t *graph.Target) bool {
	return v.isNotRoot() && t.Root != nil && t.Root.OpenFDs.IsUnreadable() && t.Root.UID.Or(-1) != v.me()
}

// rootMaySeeMore reports a target of which root's daemon, which runs, may know more than this user.
func (v *view) rootMaySeeMore(t *graph.Target) bool {
	_, runs := v.in.Beside.Of(0)
	return (v.in.ForeignDaemon || runs) && v.isNotRoot() && t.RootMaySeeMore()
}

// isUpToRoots reports a target that this user keeps for lack of proof, and on which root's daemon decides by what it
// sees. That does not go by the protect of a user's own policy.
func (v *view) isUpToRoots(verdict *policy.Verdict) bool {
	isFree := verdict.Protected == nil || v.ownRules()
	isUnknown := isUnclear(verdict) && verdict.Rule == "" && isFree && v.onlyUnseen(verdict.Target)
	return v.rootMaySeeMore(verdict.Target) && (isUnknown || isUnproven(verdict))
}

// onlyUnseen is [graph.Target.OnlyUnseen] without the pins that the daemon which decides does not go by.
func (v *view) onlyUnseen(t *graph.Target) bool {
	heeded := *t
	heeded.Vetoes = slices.DeleteFunc(slices.Clone(t.Vetoes), func(veto graph.Veto) bool {
		_, isIgnored := v.ignored(t, veto)
		return isIgnored
	})
	return heeded.OnlyUnseen()
}

// ofOthers is "of user ann" for targets of users other than the reader; empty if they are the reader's, or nobody knows.
func (v *view) ofOthers(vs verdicts) string {
	var users []string
	for _, verdict := range vs {
		user := human.Safe(verdict.Target.User)
		if v.in.Graph.UserOf(verdict.Target).Or(v.me()) != v.me() && user != "" && !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	if len(users) == 0 {
		return ""
	}
	return "of " + human.Verb(len(users), "user ", "users ") + human.List(users)
}

// me is the user who looks; -1 is not known.
func (v *view) me() int { return v.snapshot.Host.UID.Or(-1) }

// whoSeesMore names who may see who uses a target where this user does not: root's daemon, or root.
func (v *view) whoSeesMore(t *graph.Target) string {
	switch {
	case !v.isNotRoot():
		return ""
	case v.rootMaySeeMore(t):
		return "; root's daemon sees more, and decides by that: " + literal("sudo reaperd explain "+handle(t))
	}
	more := "; root may see more: " + literal("sudo reaperd explain "+handle(t))
	if v.in.Daemon && !v.in.ForeignDaemon {
		more += ", and your own daemon never stops it"
	}
	return more
}

// rootMayAsk reports that root may ask an engine that refuses this user.
func (v *view) rootMayAsk() bool {
	return v.isNotRoot() && slices.ContainsFunc(v.snapshot.Sources, inventory.Source.IsDenied)
}

// isNotRoot reports a look at this host, now, by another user than root.
func (v *view) isNotRoot() bool { return !v.in.Replay && v.snapshot.Host.UID.Or(0) != 0 }
