package reap

import (
	"context"
	"errors"
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// findGroup finds the control group that `reaperd exec` made for this tree, if it holds
// nothing but members. Whatever is in it later was started by one of them, since nobody else
// joins that group: into any other a service manager may put a new run of a unit at any
// moment. It is called while the tree is frozen.
func (t *tree) findGroup() {
	for _, m := range t.living() {
		group := execGroupOf(m.id.PID)
		if group == "" {
			continue
		}
		pids, err := group.processes()
		if err == nil && len(pids) > 0 && !slices.ContainsFunc(pids, func(pid int) bool { return !t.hasPID(pid) }) {
			t.group = group
			return
		}
	}
}

// hasPID reports that a living member has this PID.
func (t *tree) hasPID(pid int) bool {
	return slices.ContainsFunc(t.members, func(m *member) bool { return !m.exited && m.verified && m.id.PID == pid })
}

// killGroup kills the tree's own control group. Other processes in it were born in it and
// become members. If one of those must be kept, the members are killed one by one.
func (t *tree) killGroup(ctx context.Context) error {
	if t.group == "" {
		return nil
	}
	ids, err := t.bornIn(t.group)
	if err != nil || slices.ContainsFunc(ids, t.mustStay) {
		return err
	}
	for _, id := range ids {
		if err := t.adopt(id); err != nil {
			return err
		}
	}
	t.caught += len(ids)
	now, err := t.run.tables.fresh()
	if err != nil {
		return err
	}
	t.verify(now)
	if err := t.group.kill(); err != nil {
		return nil // they are killed one by one
	}
	return t.waitForKernel(ctx)
}

// errOutside is a control group with processes that cannot be seen from here.
var errOutside = errors.New("its control group holds a process of another PID namespace")

// bornIn are the processes of a control group that are no members.
func (t *tree) bornIn(group cgroup) ([]inventory.ID, error) {
	pids, err := group.processes()
	if err != nil {
		return nil, nil // the group is gone with all its processes
	}
	now, err := t.run.tables.fresh()
	if err != nil {
		return nil, err
	}
	var born []inventory.ID
	for _, pid := range pids {
		row, there := now.rows[pid]
		switch {
		case !there && pid == 0:
			return nil, errOutside
		case there && !t.known[row.ID]:
			born = append(born, row.ID)
		}
	}
	return born, nil
}
