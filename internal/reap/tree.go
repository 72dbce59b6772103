package reap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// member is one process of a tree.
type member struct {
	id     inventory.ID
	handle Handle
	opened time.Time // when the handle was open
	// verified: a reading that began after opened shows this very process, so the
	// handle is its own. Nothing else is ever signalled.
	verified bool
	exited   bool // and the handle is closed
	dead     bool // it had exited when it was found, as a zombie has
	leader   bool // of a session: whoever has its SID descends from it
	stopped  bool // by us, and to be continued
	// stoppedBefore: it was already stopped when it was first looked at, and stays
	// so.
	stoppedBefore bool
}

func (m *member) end() {
	if !m.exited {
		m.exited = true
		m.handle.Close()
	}
}

// send signals the member. If it has exited, that is no error.
func (m *member) send(signal unix.Signal) error {
	err := m.handle.Signal(signal)
	if errors.Is(err, ErrExited) {
		m.end()
		return nil
	}
	if err != nil {
		return fmt.Errorf("signal process %d: %w", m.id.PID, err)
	}
	return nil
}

// tree is a target's processes with their handles, parents before children.
type tree struct {
	run     *run
	act     *Act
	members []*member
	known   map[inventory.ID]bool
	// rest is the last reading of a freeze: what appears later was born since.
	rest     *table
	strays   strays // live processes that seem to have left it after SIGTERM, or may have
	caught   int    // processes that had left it and were killed with it
	group    cgroup // the control group that `reaperd exec` made for the tree, and that holds nothing else; empty is none
	begun    seat   // held while its handles are open
	working  seat   // held while it is worked on
	asked    bool   // TERM was sent
	restless bool   // it could not be frozen
	inKernel bool   // all members that live were killed, and are still in a system call
}

func (x *run) newTree(act *Act) *tree {
	return &tree{
		run: x, act: act, known: map[inventory.ID]bool{},
		begun: seat{places: &x.shared.begun, user: act.User}, working: seat{places: &x.shared.working, user: act.User},
	}
}

// open opens handles to the planned members.
func (t *tree) open() error {
	for _, id := range t.act.tree() {
		if err := t.add(id); err != nil {
			return err
		}
	}
	return nil
}

// adopt adds a process that the plan does not name, unless another act has it.
func (t *tree) adopt(id inventory.ID) error {
	if !t.run.shared.adopt(id, t.act) {
		return nil
	}
	return t.add(id)
}

// add opens a handle to a probable member.
func (t *tree) add(id inventory.ID) error {
	if t.known[id] {
		return nil
	}
	h, err := t.run.kernel.Open(id.PID)
	if err != nil && !errors.Is(err, ErrExited) {
		return err
	}
	t.known[id] = true
	m := &member{id: id, handle: h, opened: time.Now(), exited: err != nil}
	if !m.exited && h.Exited() {
		m.end()
	}
	m.dead = m.exited
	t.members = append(t.members, m)
	return nil
}

// release continues every process that this act stopped and closes all handles.
func (t *tree) release() {
	t.resume()
	for _, m := range t.members {
		m.end()
	}
}

// resume continues every member that this act stopped, children before parents: what is
// stopped always hangs below what the journal names, should reaperd be killed now.
func (t *tree) resume() {
	for _, m := range slices.Backward(t.members) {
		if m.stopped && !m.exited {
			_ = m.send(unix.SIGCONT) // a process that could be stopped can be continued
		}
		m.stopped = false
	}
}

// living are the members that have not exited.
func (t *tree) living() []*member {
	var living []*member
	for _, m := range t.members {
		if !m.exited {
			living = append(living, m)
		}
	}
	return living
}

// lived counts the members that had not exited when they were found: zombies do not count.
func (t *tree) lived() int {
	n := 0
	for _, m := range t.members {
		if !m.dead {
			n++
		}
	}
	return n
}

// collect notes the members that have exited.
func (t *tree) collect() error {
	living := t.living()
	if len(living) == 0 {
		return nil
	}
	handles := make([]Handle, len(living))
	for i, m := range living {
		handles[i] = m.handle
	}
	ready, err := t.run.kernel.Wait(handles, 0)
	if err != nil {
		return fmt.Errorf("wait for process %d: %w", living[0].id.PID, err)
	}
	for _, i := range ready {
		living[i].end()
	}
	return nil
}

// longestPause is how late the end of a member or of a context may be noticed.
const longestPause = 50 * time.Millisecond

// wait waits until all members have exited, at most for limit.
func (t *tree) wait(ctx context.Context, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, longestPause) {
		if err := t.collect(); err != nil {
			return err
		}
		if len(t.living()) == 0 || !time.Now().Before(deadline) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rest(min(pause, time.Until(deadline)))
	}
}

// verify compares the members whose handles were open when the reading began. A
// member has exited if its number is another process's or nobody's.
func (t *tree) verify(now *table) {
	for _, m := range t.members {
		if m.exited || m.verified || m.opened.After(now.begun) {
			continue
		}
		row, ok := now.rows[m.id.PID]
		if !ok || row.ID != m.id {
			m.end()
			continue
		}
		m.verified = true
		m.leader = row.SID == m.id.PID
	}
}

// absorb verifies the members and adds the children that the reading shows. It
// reports whether there were any.
func (t *tree) absorb(now *table) (grew bool, err error) {
	t.verify(now)
	// A parent that lives now was the parent when the table was read, too.
	if err := t.collect(); err != nil {
		return false, err
	}
	for _, parent := range t.living() {
		if !parent.verified {
			continue
		}
		for _, child := range now.children[parent.id.PID] {
			if !t.isNew(child, parent) {
				continue
			}
			if t.run.untouchable(child.ID) {
				return grew, early{human.Changed, fmt.Sprintf("process %d below it must be kept, so nothing of it was killed", child.ID.PID)}
			}
			if err := t.adopt(child.ID); err != nil {
				return grew, err
			}
			grew = true
		}
	}
	return grew, nil
}

// isNew reports that the child belongs to this tree and is not yet a member. It must
// not be older than its parent, and not a target of its own.
func (t *tree) isNew(child inventory.Row, parent *member) bool {
	return !t.known[child.ID] && child.ID.Start >= parent.id.Start && !t.run.claimedByOther(child.ID, t.act) && !t.run.outside(child.ID)
}

// freeze stops the tree top-down. It ends when two readings in a row, both begun
// after every member was told to stop, show all of them stopped and no new child: a
// fork that was under way when its parent was stopped shows in the second.
func (t *tree) freeze(ctx context.Context) error {
	deadline, readings := time.Now().Add(t.run.options.FreezeWait), 0
	for quiet := 0; quiet < 2; readings++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.working.yield() // a tree that cannot be frozen must not keep its place from others
		now, err := t.run.tables.fresh()
		if err != nil {
			return err
		}
		grew, err := t.absorb(now)
		if err != nil {
			return err
		}
		still, err := t.stop(now)
		if err != nil {
			return err
		}
		t.rest = now
		if quiet++; grew || !still {
			quiet = 0
			rest(time.Millisecond)
			if err := t.collect(); err != nil {
				return err
			}
		}
		if t.restless = readings >= leastReadings && time.Now().After(deadline); t.restless {
			return nil
		}
	}
	return nil
}

// leastReadings is how many readings a tree has at least to hold still: on a busy machine
// each may take a second.
const leastReadings = 40

// stop sends SIGSTOP to every verified member that the reading does not show stopped.
// still means that it shows all of them stopped.
func (t *tree) stop(now *table) (still bool, err error) {
	still = true
	for _, m := range t.living() {
		row, there := now.rows[m.id.PID]
		there = there && row.ID == m.id
		switch {
		case !m.verified:
			still = false
		case m.stopped:
			still = still && (!there || atRest(row.State))
		case there && (row.State == 'T' || row.State == 't'):
			m.stoppedBefore = true
		default:
			m.stopped, m.stoppedBefore, still = true, false, false
			if err := m.send(unix.SIGSTOP); err != nil {
				m.stopped = false
				return false, err
			}
		}
	}
	return still, nil
}

// atRest reports that a process that was told to stop runs none of its own code: it
// is stopped, or has exited, or waits in the kernel and stops when it leaves it. Z of
// a leading thread says nothing about the others, which stop as well.
func atRest(state byte) bool {
	switch state {
	case 'T', 't', 'Z', 'X', 'x', 'D':
		return true
	}
	return false
}

// ask sends SIGTERM to the frozen tree, parents first, and continues it.
func (t *tree) ask() error {
	t.asked = true
	for _, m := range t.living() {
		if !m.verified {
			continue
		}
		if err := m.send(unix.SIGTERM); err != nil {
			return err
		}
	}
	for _, m := range t.members {
		m.stopped = m.stopped || m.stoppedBefore // a stopped process cannot end when asked
		m.stoppedBefore = false
	}
	t.resume()
	return nil
}

// stormSize is how many processes a tree may start after SIGTERM before its grace
// ends at once: it does not mean to exit.
const stormSize = 256

// watch waits for the tree to end, at most its grace, and adds the children that it
// starts meanwhile. It looks often at first, when a signal handler may start
// something, and less often later.
func (t *tree) watch(ctx context.Context, grace time.Duration) error {
	often := t.run.options.Poll
	pause, deadline, before := often/4, time.Now().Add(grace), len(t.members)
	for {
		now, err := t.run.tables.recent(pause / 2)
		if err != nil {
			return err
		}
		if _, err := t.absorb(now); err != nil {
			return err
		}
		left := time.Until(deadline)
		if len(t.living()) == 0 || left <= 0 || len(t.members)-before > stormSize {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rest(min(pause, left))
		if err := t.collect(); err != nil {
			return err
		}
		pause = min(2*pause, 10*often)
	}
}

// kill kills the frozen tree, by its own control group or one by one, and waits for the
// kernel. If that takes long, another tree gets its place. Children are killed first, as
// [tree.resume] continues them, unless they could go on to be started.
func (t *tree) kill(ctx context.Context) error {
	problems := []error{t.killGroup(ctx)}
	living := t.living()
	if !t.restless {
		slices.Reverse(living)
	}
	for _, m := range living {
		if m.verified {
			problems = append(problems, m.send(unix.SIGKILL))
		}
	}
	// They were killed, even if the context ends now.
	stuck := t.waitForKernel(ctx)
	return errors.Join(append(problems, stuck)...)
}

// waitForKernel waits until the killed processes have left the kernel.
func (t *tree) waitForKernel(ctx context.Context) (err error) {
	t.working.through(func() { err = t.wait(context.WithoutCancel(ctx), t.run.options.KillWait) })
	return err
}
