package sweep

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/redact"
)

// reapActs makes the reaper's actions of a plan, each with its record for the
// journal.
func reapActs(plan policy.Plan, g *graph.Graph) []reap.Act {
	sweepID := newID()
	acts := make([]reap.Act, 0, len(plan.Acts))
	for _, planned := range plan.Acts {
		act := reap.Act{
			ID: planned.ID, TargetID: planned.TargetID, Rule: planned.Rule, Name: planned.Name, Kind: string(planned.Kind),
			Remove: planned.Verb == policy.ActionRemove, Volumes: planned.Volumes, Members: planned.Members, Grace: graceOf(planned),
			After: planned.After, Below: planned.Below, Record: recordOf(planned, g, sweepID),
		}
		if uid, known := planned.User.Get(); known {
			act.User = strconv.Itoa(uid)
		}
		if planned.Root != nil {
			act.Root = planned.Root.ID()
		}
		act.Runner, act.RunnerBytes = planned.Runner, planned.RunnerBytes
		if planned.Container != nil {
			act.ContainerID = planned.Container.ID
		}
		acts = append(acts, act)
	}
	return acts
}

// newID is a name for one sweep in the journal.
func newID() string {
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// graceOf is an act's grace in the reaper's form, where a policy's 0s is negative.
func graceOf(act policy.Act) time.Duration {
	if act.Grace == 0 {
		return -1
	}
	return act.Grace
}

func recordOf(act policy.Act, g *graph.Graph, sweepID string) journal.Entry {
	entry := journal.Entry{
		ID: act.ID, Sweep: sweepID, BootID: g.Snapshot.Host.BootID, Rule: act.Rule, RuleOrigin: redact.Text(act.RuleOrigin.String()), GraceSeconds: act.Grace.Seconds(), Action: string(act.Verb),
		TargetID: act.TargetID, Kind: string(act.Kind), Name: redact.Name(act.Name), Owner: ownerText(act.Owner),
		Finding: act.Finding.String(), FindingSince: act.FindingSince, MemoryBytes: act.MemoryBytes,
		OwnerGoneSince: act.OwnerGoneSince, HeldByAge: act.ByAge, ByHand: act.ByHand, By: act.By, Why: redact.Text(act.Why),
	}
	if uid, known := act.User.Get(); known {
		entry.UID = &uid
	}
	if act.Root != nil {
		entry.Cwd = redact.Text(act.Root.Cwd)
	}
	if !act.Runner.IsZero() {
		entry.Runner = act.Runner.String()
	}
	if self := g.Snapshot.Self(); self != nil && act.ByHand != "" {
		entry.Reaper = self.ID().String()
	}
	if act.With == "" {
		entry.ForSeconds, entry.HeldSeconds = act.For.Seconds(), *milliseconds(act.Held.Seconds())
	}
	if head, found := g.Target(act.With); found && act.With != "" {
		entry.With = redact.Name(head.Name) + " " + head.ID
	}
	for _, line := range act.Evidence {
		entry.Evidence = append(entry.Evidence, journal.Evidence{
			Check: string(line.Check), Says: line.Says.String(), Proof: line.Proof, Text: redact.Text(line.Text),
		})
	}
	if target, found := g.Target(act.TargetID); found {
		if target.Container != nil {
			entry.Client = target.Runner
		}
		for _, member := range target.Members {
			entry.Tree = append(entry.Tree, treeLine(member, g.Snapshot))
		}
	}
	if act.Container != nil {
		entry.Container = containerLine(act.Container)
	}
	return entry
}

func ownerText(owner graph.Owner) string {
	id := ""
	if !owner.ID.IsZero() {
		id = owner.ID.String()
	}
	return journal.Who(owner.Name, id)
}

// maxRecorded is how much of a command line the journal keeps, in bytes. It is
// recorded for each process of a plan before the first act.
const maxRecorded = 2 << 10

func treeLine(p *inventory.Process, s *inventory.Snapshot) journal.Process {
	line := journal.Process{PID: p.PID, Start: p.Start, Argv: redact.ArgsWithin(p.Args(), maxRecorded)}
	memory, known := p.MemoryBytes.Get()
	if !known {
		memory, known = p.RSSBytes.Get()
	}
	if known {
		line.MemoryBytes = &memory
	}
	if cpu, known := p.CPUSeconds.Get(); known {
		line.CPUSeconds = milliseconds(cpu)
	}
	if !p.StartedAt.IsZero() {
		line.AgeSeconds = milliseconds(max(0, s.TakenAt.Sub(p.StartedAt).Seconds()))
	}
	return line
}

// milliseconds is a figure in seconds, rounded to milliseconds.
func milliseconds(seconds float64) *float64 {
	return new(math.Round(seconds*1000) / 1000)
}

func containerLine(c *inventory.Container) *journal.Container {
	safe := redact.Snapshot(&inventory.Snapshot{Containers: []inventory.Container{*c}}).Containers[0]
	return &journal.Container{
		ID: safe.ID, Name: safe.Called(), Image: safe.Image, Labels: safe.Labels, Command: safe.Command, PID: safe.PID,
		CreatedAt: safe.CreatedAt, StartedAt: safe.StartedAt,
	}
}
