package reap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// early aborts an act with a result. It is returned as an error, so that callers
// unwind.
type early struct {
	result human.Result
	detail string
}

func (e early) Error() string { return string(e.result) + ": " + e.detail }

// tree is the act's members, the root first.
func (a *Act) tree() []inventory.ID {
	if slices.Contains(a.Members, a.Root) {
		return a.Members
	}
	return append([]inventory.ID{a.Root}, a.Members...)
}

// reapTree ends one tree of processes.
func (x *run) reapTree(ctx context.Context, s *step) (human.Result, string, error) {
	t := x.newTree(s.act)
	t.begun.take()
	defer t.begun.leave()
	defer t.working.leave()
	defer t.release()
	defer func() { s.outcome.FreedBytes += t.freed() }()
	defer func() {
		s.outcome.Survivors, s.outcome.InKernel = append(s.outcome.Survivors, t.survivors()...), t.inKernel
	}()
	if err := t.takeHold(ctx, s); err != nil {
		return "", "", err
	}
	t.reapBelow(s)
	result, detail, err := t.end(ctx)
	if errors.Is(err, context.Canceled) && t.asked {
		err = early{human.ResultFailed, "interrupted after it was asked to end, and not waited for"}
	}
	return result, detail, err
}

// takeHold freezes the tree, unless something speaks against ending it.
func (t *tree) takeHold(ctx context.Context, s *step) error {
	if err := t.run.mayReap(s.act); err != nil {
		return err
	}
	if err := t.settle(ctx, s); err != nil {
		return err
	}
	t.working.take()
	if err := t.run.late(s); err != nil {
		return err
	}
	if err := t.open(); err != nil {
		return err
	}
	return t.run.seize(ctx, s, t)
}

// reapBelow waits for the acts on targets below a frozen gateway, and leaves its place to
// others meanwhile.
func (t *tree) reapBelow(s *step) {
	s.letBelow(true)
	if len(s.below) > 0 {
		t.standBackFor(s.awaitBelow)
	}
}

// mayReap is the last guard. No policy can switch it off.
func (x *run) mayReap(act *Act) error {
	if x.reaper.Processes == nil {
		return early{human.Refused, "there is no process table to check it against"}
	}
	if act.Root.IsZero() {
		return early{human.Refused, "it names no process"}
	}
	for _, id := range act.tree() {
		switch {
		case id.PID <= 2:
			return early{human.Refused, fmt.Sprintf("process %d belongs to the system", id.PID)}
		case id.PID == x.self:
			return early{human.Refused, fmt.Sprintf("process %d is this reaperd", id.PID)}
		case x.untouchable(id):
			return early{human.Changed, fmt.Sprintf("process %d must be kept", id.PID)}
		}
	}
	return nil
}

// settle waits for a runner to exit by itself after its containers have exited.
func (t *tree) settle(ctx context.Context, s *step) error {
	if len(s.after) == 0 {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	now, err := t.run.tables.fresh()
	if err != nil {
		return err
	}
	t.verify(now)
	if err := t.wait(ctx, t.run.options.SettleContainers); err != nil || len(t.living()) > 0 {
		return err
	}
	for _, m := range t.members {
		m.verified = true // it lived when its container was ended, so it ended here
	}
	return early{human.Exited, "it exited by itself after its container"}
}

// seize verifies the tree, checks the evidence once more, journals the intention, and
// freezes the tree. The evidence may be watched for seconds, in which the tree may end.
func (x *run) seize(ctx context.Context, s *step, t *tree) error {
	if err := t.identify(); err != nil {
		return err
	}
	if err := x.look(ctx, s.act); err != nil {
		return err
	}
	if err := t.stillThere(); err != nil {
		return err
	}
	if err := x.intend(s); err != nil {
		return err
	}
	if err := t.freeze(ctx); err != nil {
		return err
	}
	if len(t.living()) == 0 {
		return t.stillThere()
	}
	t.findGroup()
	return nil
}

// identify verifies the members with a new reading. The root must be the planned
// process.
func (t *tree) identify() error {
	now, err := t.run.tables.fresh()
	if err != nil {
		return err
	}
	root := t.act.Root
	if row, ok := now.rows[root.PID]; ok && row.ID != root {
		return early{human.Changed, fmt.Sprintf("process %d is another one now", root.PID)}
	}
	t.verify(now)
	if err := t.stillThere(); err != nil {
		return err
	}
	above := now.ancestors(t.run.self)
	for _, m := range t.living() {
		if above[m.id.PID] {
			return early{human.Refused, fmt.Sprintf("this reaperd runs below process %d", m.id.PID)}
		}
	}
	return nil
}

// stillThere reports a tree that has ended before it was asked to, or its root. What has ended by then
// is no end by this act.
func (t *tree) stillThere() error {
	if err := t.collect(); err != nil {
		return err
	}
	for _, m := range t.members {
		m.verified = m.verified && !m.exited
	}
	living, root := t.living(), t.act.Root
	if len(living) == 0 {
		return early{human.AlreadyGone, "it had exited before it was asked"}
	}
	if !slices.ContainsFunc(living, func(m *member) bool { return m.id == root }) {
		return early{human.Changed, fmt.Sprintf("its first process %d has ended and %s %s on, which the next sweep judges", root.PID, processes(len(living)), human.Verb(len(living), "lives", "live"))}
	}
	return nil
}

// look checks the evidence once more.
func (x *run) look(ctx context.Context, act *Act) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if x.reaper.Evidence == nil {
		return early{human.Refused, "nothing looks at the evidence again"}
	}
	if holds, why := x.reaper.Evidence.StillHolds(ctx, *act); !holds {
		return early{human.Changed, why}
	}
	return nil
}

// end ends a frozen tree.
func (t *tree) end(ctx context.Context) (human.Result, string, error) {
	grace := t.run.grace(t.act)
	began := time.Now()
	before := t.rest
	if grace > 0 {
		if err := t.askAndWatch(ctx, grace); err != nil {
			return "", "", err
		}
	}
	number := len(t.living())
	if number > 0 || t.group != "" {
		if err := t.kill(ctx); err != nil {
			return "", "", err
		}
	}
	if living := t.living(); len(living) > 0 {
		return t.remain(living)
	}
	if err := t.chase(ctx, before); err != nil {
		return "", "", err
	}
	if living := t.living(); len(living) > 0 {
		return t.remain(living)
	}
	return t.account(number, time.Since(began))
}

// askAndWatch asks a frozen tree to end, waits its grace, and freezes the rest again.
// Another tree has its place meanwhile.
func (t *tree) askAndWatch(ctx context.Context, grace time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.ask(); err != nil {
		return err
	}
	t.working.leave()
	err := t.watch(ctx, grace)
	t.working.again()
	if err != nil {
		return err
	}
	return t.freeze(ctx)
}

// remain is the result if members live although they were killed.
func (t *tree) remain(living []*member) (human.Result, string, error) {
	var pending, loose []string
	for _, m := range living {
		if m.verified {
			pending = append(pending, fmt.Sprint(m.id.PID))
			continue
		}
		loose = append(loose, fmt.Sprint(m.id.PID))
	}
	if len(pending) > 0 {
		t.inKernel = len(loose) == 0 && len(t.strays.likely) == 0 && len(t.strays.unread) == 0
		return human.ResultFailed, fmt.Sprintf("pending in the kernel: killed, and not ended within %s: process %s", t.run.options.KillWait, strings.Join(pending, ", ")), nil
	}
	return human.Escaped, fmt.Sprintf("it started processes faster than they could be stopped: %s", strings.Join(loose, ", ")), nil
}

// account sums up the outcome: how many were killed, and how many had left the tree. The
// detail also names the processes that nobody could read and that may come from the tree.
// They do not change the result.
func (t *tree) account(killed int, took time.Duration) (human.Result, string, error) {
	result, detail := t.sum(killed, human.Took(took))
	if n := len(t.strays.sealed); n > 0 {
		detail += fmt.Sprintf("; %s began meanwhile and cannot be read, so whether %s from it cannot be told",
			named(t.strays.sealed), human.Verb(n, "it comes", "they come"))
	}
	return result, detail, nil
}

func (t *tree) sum(killed int, within string) (human.Result, string) {
	all := t.lived()
	switch {
	case len(t.strays.likely) > 0:
		return human.Escaped, fmt.Sprintf("%s ended, and %s left the tree while it was asked to end", processes(all), processes(len(t.strays.likely)))
	case len(t.strays.unread) > 0:
		return human.Escaped, fmt.Sprintf("%s ended, and %s that may have left the tree could not be read", processes(all), processes(len(t.strays.unread)))
	case t.restless:
		return human.Escaped, wereKilled(killed+t.caught) + "; it never held still, so some may have left it"
	case t.caught > 0:
		return human.Killed, fmt.Sprintf("%s after %s, of %d; %s had left the tree when it was asked to end, and died with it", wereKilled(killed+t.caught), within, all, processes(t.caught))
	case killed == 0:
		return human.Exited, human.Asked(processes(all), within)
	case killed == all:
		return human.Killed, wereKilled(killed) + " after " + within
	}
	return human.Killed, fmt.Sprintf("%s of %s %s killed after %s", human.Number(killed), processes(all), human.Verb(killed, "was", "were"), within)
}

// survivors are the processes of the tree that live, if it was touched at all.
func (t *tree) survivors() []inventory.ID {
	if t.rest == nil {
		return nil
	}
	var ids []inventory.ID
	for _, m := range t.living() {
		ids = append(ids, m.id)
	}
	return slices.Concat(ids, t.strays.likely, t.strays.unread)
}

// freed is the recorded memory of the members that this act ended.
func (t *tree) freed() uint64 {
	memory := map[inventory.ID]uint64{}
	for _, p := range t.act.Record.Tree {
		if p.MemoryBytes != nil {
			memory[inventory.ID{PID: p.PID, Start: p.Start}] = *p.MemoryBytes
		}
	}
	var sum uint64
	for _, m := range t.members {
		if m.verified && m.exited {
			sum += memory[m.id]
		}
	}
	return sum
}

// mostNamed is how many processes a detail names.
const mostNamed = 5

// named names processes: "process 71", "processes 71, 73 and 2 more".
func named(ids []inventory.ID) string {
	var pids []string
	for _, id := range ids[:min(len(ids), mostNamed)] {
		pids = append(pids, strconv.Itoa(id.PID))
	}
	if more := len(ids) - mostNamed; more > 0 {
		pids = append(pids, human.Number(more)+" more")
	}
	return human.Plural(len(ids), "process") + " " + human.List(pids)
}

func processes(n int) string { return human.Count(n, "process") }

func wereKilled(n int) string { return processes(n) + " " + human.Verb(n, "was", "were") + " killed" }
