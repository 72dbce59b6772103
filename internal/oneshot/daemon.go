package oneshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/sweep"
)

// recallWithin is how long the daemon may take to answer: a look does not need it. Half of
// what a command has is left for the look.
const recallWithin = 3 * time.Second

// Recall asks this user's daemon what it knows. The next looks use its memory of
// sessions and targets, and the reports its deadlines and the sessions that it has seen end: all
// from the one answer, which is of one moment. A daemon that does not answer in time
// knows nothing.
func (s *Sight) Recall(ctx context.Context) {
	within := recallWithin
	if end, isLimited := ctx.Deadline(); isLimited {
		within = min(within, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	s.daemon = &serve.State{}
	daemon, err := serve.Ask(ctx, s.state.Socket())
	s.silent = errors.Is(err, serve.ErrSilent)
	if err == nil {
		s.daemon, s.sweeper.Recalled = daemon, sweep.Recalled{Sessions: daemon.Sessions(), Targets: daemon.Remembered}
	} else if known, err := s.state.Shapes(host.BootID()); err == nil { // as the next daemon would know them
		s.sweeper.Recalled.Targets = graph.RecalledByShape(known)
	}
	owners := formerOwners(s.daemon)
	s.sweeper.LeftBy = func(id string) (graph.Owner, bool) { owner, known := owners[id]; return owner, known }
}

// Watched reports that a daemon which looks at this host has answered.
func (s *Sight) Watched() bool { return s.daemon != nil && s.daemon.LastSweep != nil }

// rests is why a daemon that has looked, or does not answer, stops nothing; "" if it acts.
func (s *Sight) rests(daemon *serve.State) string {
	_, besideRoots := s.beside(context.Background()).Of(0)
	_, ended := daemon.AfterRoots(besideRoots)
	switch {
	case s.silent:
		return "does not answer"
	case daemon.LastSweep == nil:
		return ""
	case daemon.NotReady != "":
		return "is not well"
	case ended:
		return "is in mode report until its next look"
	case daemon.Mode == policy.ModeReport:
		return "is in mode report"
	}
	return ""
}

// daemonNotes are a report's remarks about a daemon that did not answer, that acts on
// nothing until something is mended, that only reports although the policy here would act,
// or whose disk is full.
func (s *Sight) daemonNotes() []string {
	daemon := s.daemon
	switch {
	case s.silent:
		return []string{"a daemon runs and does not answer: what it saw before is not known here, and nothing is reaped by itself; reaperd status says more"}
	case daemon == nil:
		return nil
	case daemon.NotReady != "" && (daemon.LastSweep != nil || len(daemon.Policy.Faults) > 0): // else it has just started
		return []string{"the daemon is not well, " + daemon.NotReady + s.noSpaceText() + "; reaperd status says more"}
	case daemon.Mode == policy.ModeReport && s.Policy.Mode == policy.ModeEnforce:
		return []string{s.reportsOnly()}
	case daemon.NoRoomIn != "":
		return []string{"the daemon's disk is full, and nothing can be pinned or paused" + s.noSpaceText() + "; reaperd status says more"}
	}
	if note := s.unseenNote(); note != "" {
		return []string{note}
	}
	return nil
}

// reportsOnly is the remark about a daemon of this user's that stops nothing, beside which root's may act.
func (s *Sight) reportsOnly() string {
	roots, runs := s.beside(context.Background()).Of(0)
	if runs {
		return "your daemon runs in mode report and stops nothing; " + roots.Decides(s.rootsRests)
	}
	if after, ended := s.daemon.AfterRoots(runs); ended {
		return "root's daemon has ended: the daemon goes by its policy again, mode " + string(after.Mode) + ", with its next look"
	}
	return "the daemon runs in mode report and stops nothing"
}

// noSpaceText goes on where a sweep by hand is refused too.
func (s *Sight) noSpaceText() string {
	if s.hasNoSpace() {
		return ", and no sweep by hand can record its acts but in another journal (--journal FILE)"
	}
	return ""
}

// hasNoSpace reports that the journal takes no record by hand, because the daemon's disk is
// full.
func (s *Sight) hasNoSpace() bool {
	return s.daemon != nil && s.daemon.NoRoomIn != "" && s.state != "" && Order{Journal: s.journal()}.unrecorded() != nil
}

// beside are the daemons of other users, looked for once.
func (s *Sight) beside(ctx context.Context) beside.Daemons {
	switch {
	case s.others != nil:
	case s.host == nil: // a replay is of another host
		return nil
	default:
		found := neighbours.Daemons(ctx)
		s.others = &found
	}
	return *s.others
}

// isBesideRoots reports that root's daemon looks after what this user, who is not root, has on this host.
func (s *Sight) isBesideRoots(ctx context.Context) bool {
	_, runs := s.beside(ctx).Of(0)
	return s.host != nil && (s.state.HasOnlyRootsDaemon() || runs && os.Geteuid() != 0)
}

// told is the daemon's answer. The daemon is asked where no look has asked it before.
func (s *Sight) told(ctx context.Context) *serve.State {
	switch {
	case s.host == nil:
		return &serve.State{}
	case s.daemon == nil:
		s.Recall(ctx)
	}
	return s.daemon
}

// LeftBy is the session that left a target, if the daemon has seen it end.
func (s *Sight) LeftBy(ctx context.Context) func(target string) (graph.Owner, bool) {
	return func(target string) (graph.Owner, bool) {
		if s.told(ctx); s.sweeper.LeftBy == nil {
			return graph.Owner{}, false
		}
		return s.sweeper.LeftBy(target)
	}
}

// underWay is what the daemon had begun to end when it was asked, and what another sweep by hand is ending: no sweep by
// hand ends that a second time.
func (s *Sight) underWay() policy.UnderWay {
	var begun policy.UnderWay
	if s.daemon == nil {
		return withUnfinished(begun, s.byHand())
	}
	for _, act := range s.daemon.UnderWay {
		begun.Acts = append(begun.Acts, policy.Act{
			TargetID: act.Target, Name: act.Name, Kind: act.Kind, Rule: act.Rule, RuleOrigin: policy.OriginOf(act.Origin), Verb: act.Action,
			Finding: act.Finding, FindingSince: act.Since, Evidence: act.Evidence, With: act.With,
			For: inSeconds(act.For), Held: inSeconds(act.Held), Grace: inSeconds(act.Grace), Members: processesOf(act.Tree), Imminent: act.Imminent,
		})
	}
	return withUnfinished(begun, s.byHand())
}

// heldBy reports the processes that acts work on: what is left of a tree may be a target of its own by now.
func heldBy(acts []policy.Act) func(inventory.ID) bool {
	return func(p inventory.ID) bool {
		return slices.ContainsFunc(acts, func(act policy.Act) bool { return slices.Contains(act.Members, p) })
	}
}

// processesOf are the processes of these ids.
func processesOf(ids []string) (processes []inventory.ID) {
	for _, text := range ids {
		if id, err := inventory.ParseID(text); err == nil {
			processes = append(processes, id)
		}
	}
	return processes
}

func addAll(set map[string]bool, ids []string) {
	for _, id := range ids {
		set[id] = true
	}
}

func inSeconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// Begun has the ids of the targets that the daemon, or a sweep by hand, is ending, without those of acts that are only
// about to begin. It asks the daemon again, and reads the journal.
func (s *Sight) Begun(ctx context.Context) map[string]bool {
	s.Recall(ctx)
	begun := map[string]bool{}
	for _, act := range s.daemon.UnderWay {
		if !act.Imminent {
			begun[act.Target] = true
			addAll(begun, act.Tree)
		}
	}
	for _, entry := range s.unfinished() {
		begun[entry.TargetID] = true
		addAll(begun, entry.Ending())
	}
	return begun
}

// unfinished are the acts that the journal has no outcome of, and that go on: those of sweeps by hand that run, and those
// that the daemon has begun a moment ago and may not have told yet.
func (s *Sight) unfinished() []journal.Entry {
	if s.state == "" { // a replay knows nothing of this machine
		return nil
	}
	record := journal.History{Path: s.journal()}
	now := time.Now()
	entries, _ := record.Unfinished(now.Add(-longestByHand)) // what cannot be read is not told
	return slices.DeleteFunc(entries, func(entry journal.Entry) bool {
		isOld := entry.Reaper == "" && now.Sub(entry.Time) > longestAct
		return isOld || !s.isAtIt(&entry, s.runs)
	})
}

// IsAtIt reports that the reaperd which wrote an intention into the journal of this state directory may run still.
func (s *Sight) IsAtIt(entry *journal.Entry) bool { return s.isAtIt(entry, s.host.Runs) }

// isAtIt is [Sight.IsAtIt], as runs tells of a process. An intention that names no process is a daemon's.
func (s *Sight) isAtIt(entry *journal.Entry, runs func(inventory.ID) bool) bool {
	if entry.Reaper != "" {
		return host.SweepRuns(entry, runs)
	}
	daemon, is, err := s.state.Daemon()
	return err != nil || is && daemon.MayHaveBegun(entry.Time)
}

// byHand are the acts of other sweeps by hand that go on.
func (s *Sight) byHand() []journal.Entry {
	return slices.DeleteFunc(s.unfinished(), func(entry journal.Entry) bool { return entry.Reaper == "" })
}

// runs reports that a process runs, which is not this one.
func (s *Sight) runs(id inventory.ID) bool {
	return id.PID != os.Getpid() && s.host != nil && s.host.Runs(id)
}

// shown is the view for a report that only shows: what goes on by the journal goes, too, if the daemon has not told it
// yet. A sweep does not go by that.
func (s *Sight) shown() sweep.View {
	if s.host == nil || s.View.Graph == nil { // a replay knows nothing of this machine
		return s.View
	}
	entries := s.unfinished()
	if len(entries) == 0 {
		return s.View
	}
	begun, sweeper := withUnfinished(s.underWay(), entries), *s.sweeper
	sweeper.UnderWay = func() policy.UnderWay { return begun }
	return sweeper.Judge(s.View.First, s.View.Graph)
}

// withUnfinished adds the acts of a journal that have no outcome yet. Of its own the daemon has told more.
func withUnfinished(begun policy.UnderWay, entries []journal.Entry) policy.UnderWay {
	for _, entry := range entries {
		if slices.ContainsFunc(begun.Acts, func(act policy.Act) bool { return act.TargetID == entry.TargetID }) {
			continue
		}
		begun.Acts = append(begun.Acts, actOf(entry))
	}
	begun.Holds = heldBy(begun.Acts)
	return begun
}

// actOf is an act as its intention in a journal has it.
func actOf(entry journal.Entry) policy.Act {
	act := policy.Act{
		TargetID: entry.TargetID, Name: entry.Name, Kind: graph.Kind(entry.Kind), Rule: entry.Rule, RuleOrigin: policy.OriginOf(entry.RuleOrigin), Verb: policy.Action(entry.Action),
		Finding: graph.ParseFinding(entry.Finding), FindingSince: entry.FindingSince, For: inSeconds(entry.ForSeconds), Held: inSeconds(entry.HeldSeconds), Grace: inSeconds(entry.GraceSeconds),
		Members: processesOf(entry.Ending()),
	}
	_, act.With = journal.Named(entry.With)
	for _, line := range entry.Evidence {
		one := graph.Evidence{Check: graph.Check(line.Check), Proof: line.Proof, Text: line.Text}
		_ = one.Says.UnmarshalText([]byte(line.Says)) // it takes any text
		act.Evidence = append(act.Evidence, one)
	}
	return act
}

// journal is the file of the journal where no other is named.
func (s *Sight) journal() string { return filepath.Join(string(s.state), journal.FileName) }

// longestAct is how long an act of the daemon that has no outcome yet counts as under way, if the daemon does not tell it:
// longer than any usual grace. longestByHand is how far back acts of sweeps by hand that run are looked for.
const (
	longestAct    = time.Minute
	longestByHand = time.Hour
)

// deadlines are when the daemon reaps each pending target, and by which rules; or whether it does so by
// another policy than the sight's: then also when it soon stops a session that does nothing. There are none if
// the daemon only reports. While it is paused they are when it would.
func (s *Sight) deadlines(daemon *serve.State) (due map[string]time.Time, by map[string]report.DueBy, differs bool) {
	if daemon.Mode != policy.ModeEnforce || !daemon.Ready {
		return nil, nil, false
	}
	due, by = map[string]time.Time{}, map[string]report.DueBy{}
	for _, pending := range daemon.Pending {
		if !pending.DueAt.IsZero() {
			due[pending.ID], by[pending.ID] = pending.DueAt, report.DueBy{Rule: pending.Rule, With: pending.With}
		}
	}
	if differs = daemon.Policy.SHA256 != s.Policy.Hash; !differs {
		return due, by, false
	}
	for i := range daemon.InUse { // by the policy here nothing is known of these
		if client := &daemon.InUse[i]; !client.StopsAt.IsZero() && time.Until(client.StopsAt) <= policy.SoonAhead {
			due[client.ID] = client.StopsAt
		}
	}
	return due, nil, true
}

// OtherPolicy is the file of the policy by which the daemon judges, if that is another one;
// empty if it is not, or not known.
func (s *Sight) OtherPolicy() string {
	if s.daemon == nil || s.daemon.Policy.SHA256 == s.Policy.Hash || !filepath.IsAbs(s.daemon.Policy.Source) {
		return ""
	}
	return s.daemon.Policy.Source
}

// hadBy are the live sessions that had containers which nobody has now, by the container.
func hadBy(told *serve.State) map[string]string {
	lives, had := map[string]bool{}, map[string]string{}
	for _, client := range told.InUse {
		lives[client.ID] = true
	}
	for _, c := range told.Containers {
		if c.Finding == graph.FindingOrphaned && lives[c.SessionID] {
			had[c.ID] = c.Owner
		}
	}
	return had
}

// formerOwners are the sessions that have ended, by the targets that they left. A container
// that the daemon has not seen again yet, because its engine was gone, is that of the session
// that had it last.
func formerOwners(told *serve.State) map[string]graph.Owner {
	owners, ended := map[string]graph.Owner{}, map[string]graph.Owner{}
	for _, one := range told.Gone {
		if id, err := inventory.ParseID(one.ID); err == nil && one.Kind == graph.KindSession {
			ended[one.ID] = graph.Owner{Name: one.Name, Kind: graph.OwnerSession, ID: id, Liveness: graph.LivenessGone, Since: one.At}
		}
	}
	for _, l := range told.Leavers {
		id, _ := inventory.ParseID(l.ID) // zero if it was never seen
		owner := graph.Owner{Name: l.Name, Kind: l.Kind, ID: id, Liveness: graph.LivenessGone, Since: l.Since}
		for _, left := range l.Left {
			owners[left.ID] = owner
		}
		ended[l.ID] = owner
	}
	for _, act := range told.UnderWay { // what is left of a tree was left by the same session
		if owner, known := owners[act.Target]; known {
			for _, part := range act.Tree {
				owners[part] = owner
			}
		}
	}
	for _, c := range told.Containers {
		if owner, known := ended[c.SessionID]; known && c.SessionID != "" && owners[c.ID].Name == "" {
			owners[c.ID] = owner
		}
	}
	return owners
}
