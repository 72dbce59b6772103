//go:build linux

package mac

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/rows"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// linuxOnly are the worlds that a Mac cannot have, and why.
var linuxOnly = map[string]string{
	"a server whose first thread has exited answers its client":            "no process of a Mac shows as a zombie while its other threads run",
	"an orphan whose first thread has exited may go and nothing else does": "no process of a Mac shows as a zombie while its other threads run",
}

func TestTheFarmsWorlds(t *testing.T) {
	all := slices.Concat(rows.Orphaned(), rows.InUse(), rows.Disconnected(), rows.Streams(), rows.Bystanders(), rows.Listening())
	for _, world := range all {
		for _, old := range []bool{false, true} {
			name := world.Name
			if old {
				name += ", before macOS 14.4"
			}
			t.Run(name, func(t *testing.T) {
				if why := linuxOnly[world.Name]; why != "" {
					t.Skip("Linux's own: " + why)
				}
				synctest.Test(t, func(t *testing.T) { runWorld(t, world, old) })
			})
		}
	}
}

// runWorld raises a world, lets reaperd sweep it, and compares what became of it
// with the row.
func runWorld(t *testing.T, world farm.World, old bool) {
	kernel := darwintest.NewKernel()
	kernel.NumberFrom(firstPID)
	kernel.UID, kernel.OldMac = world.User, old
	live := raised(kernel, world)
	live.checkParents(t, world)
	live.sweep(t)
	live.check(t)
}

// raised is a world that has come up, a minute after its row killed.
func raised(kernel *darwintest.Kernel, world farm.World) *live {
	s := newStage(kernel)
	s.raise(world.Parts)
	for _, name := range world.Kill {
		kernel.Exit(s.cast[name].process)
	}
	time.Sleep(time.Minute) // of the bubble: what was left behind is as old as that
	return &live{stage: s, host: newHost(kernel), world: world}
}

// firstPID is beyond what the system that plays gives to processes: reaperd never
// touches itself.
const firstPID = 5_000_000

// checkParents makes sure that the world is what its row says. There is no
// subreaper on a Mac: what Linux gives to one, launchd gets.
func (s *stage) checkParents(t *testing.T, world farm.World) {
	t.Helper()
	subreapers := map[string]bool{}
	actor.Walk(world.Parts, func(part *actor.Part) { subreapers[part.Name] = part.Subreaper })
	for name, parent := range world.Parents {
		want := 1
		if parent != "init" && !subreapers[parent] {
			want = s.cast[parent].process.PID
		}
		if got := s.cast[name].process.Parent.PID; got != want {
			t.Fatalf("the parent of %s is process %d, and not %s", name, got, parent)
		}
	}
}

// live is a world that has come up.
type live struct {
	*stage
	host  *host
	world farm.World

	before   []string
	view     sweep.View
	outcomes []reap.Outcome
}

func policyOf(t *testing.T, rules string) *policy.Policy {
	t.Helper()
	if rules == "" {
		rules = farm.Impatient
	}
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	p, err := policy.Load(policy.File{Name: "policies.yaml", Data: []byte(rules)}, builtin)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sweep is what `reaperd sweep --yes` does.
func (l *live) sweep(t *testing.T) {
	t.Helper()
	if err := l.trySweep(t); err != nil {
		t.Fatal(err)
	}
}

// trySweep is the same where the table may be unreadable.
func (l *live) trySweep(t *testing.T) error {
	t.Helper()
	sweeper := &sweep.Sweeper{Observer: l.host, Catalogue: l.host.catalogue, Policy: policyOf(t, l.world.Rules), OneShot: true, Fresh: l.host}
	sweeper.Reaper = &reap.Reaper{Processes: l.host.scanner, Kernel: l.host}
	if l.host.engine != nil {
		sweeper.Reaper.Containers = l.host.engine
	}
	l.before = l.alive()
	first, err := sweeper.First(t.Context())
	if err != nil {
		return err
	}
	time.Sleep(max(l.world.Settle, farm.Settle)) // of the bubble
	next, err := sweeper.Look(t.Context(), first)
	if err != nil {
		return err
	}
	l.view = sweeper.Judge(first, next)
	plan := policy.MakePlan(l.view.Verdicts, sweeper.Policy, next.Snapshot.Moment())
	l.outcomes, err = sweeper.Act(t.Context(), plan, l.view, inventory.Moment{At: time.Now(), Awake: next.Snapshot.Host.AwakeSeconds})
	return err
}

// check compares what became of the world with its row, and the signals with
// what the row lets anybody be sent.
func (l *live) check(t *testing.T) {
	t.Helper()
	after, condemned := l.alive(), strings.Fields(strings.Join(l.world.Reap, " "))
	reaped := 0
	for _, name := range l.before {
		alive, must := slices.Contains(after, name), slices.Contains(condemned, name)
		switch {
		case alive && must:
			t.Errorf("%s is missed: %s", name, l.told(name))
		case !alive && !must && !slices.Contains(l.world.Either, name):
			t.Errorf("%s is wrongly reaped: %s", name, l.told(name))
		case must:
			reaped++
		}
	}
	if reaped != len(condemned) {
		t.Errorf("%d of %d reaped; before: %v", reaped, len(condemned), l.before)
	}
	for name, want := range l.world.Findings {
		if target := l.targetOf(name); target == nil || target.Finding.String() != want {
			t.Errorf("%s: want finding %s, got %s", name, want, l.told(name))
		}
	}
	l.checkActs(t, condemned)
	t.Logf("reaped %d, kept %d, signals %d", reaped, len(after), len(l.kernel.Acts()))
	if t.Failed() && l.view.Graph != nil {
		t.Logf("outcomes %+v\nsources %+v", l.outcomes, l.view.Graph.Snapshot.Sources)
	}
}

// checkActs makes sure that no signal went to anybody who stays, and that nobody
// is left standing still.
func (l *live) checkActs(t *testing.T, condemned []string) {
	t.Helper()
	may := map[string]bool{}
	for _, name := range slices.Concat(condemned, l.world.Either) {
		may[itoa(l.cast[name].process.PID)] = true
	}
	for _, act := range l.kernel.Acts() {
		if _, pid, _ := strings.Cut(act, " "); !may[pid] {
			t.Errorf("signal %s", act)
		}
	}
	for _, name := range l.alive() {
		if l.kernel.IsStopped(l.cast[name].process) {
			t.Errorf("%s was left standing still", name)
		}
	}
}

func (l *live) targetOf(name string) *graph.Target {
	for _, target := range l.view.Graph.Targets {
		if slices.Contains(target.PIDs(), l.cast[name].process.PID) {
			return target
		}
	}
	return nil
}

// told is what was found about a part.
func (l *live) told(name string) string {
	if l.view.Graph == nil {
		return "no look was made"
	}
	target := l.targetOf(name)
	if target == nil {
		return "no target"
	}
	var lines []string
	for _, evidence := range target.Evidence {
		lines = append(lines, fmt.Sprintf("%s %s: %s", evidence.Check, evidence.Says, evidence.Text))
	}
	for _, veto := range target.Vetoes {
		lines = append(lines, fmt.Sprintf("veto %s: %s", veto.Guard, veto.Text))
	}
	return fmt.Sprintf("%s %s, %s\n    %s", target.Kind, target.ID, target.Finding, strings.Join(lines, "\n    "))
}
