package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/word"
)

// shelf is the section of the table for a target.
type shelf uint8

const (
	noted   shelf = iota // kept, and worth reading about
	inUse                // a live owner or client uses it
	waiting              // pending
	reaping              // would be stopped
	leaving              // an act on it goes on
	ending               // kept, and ends with its container
)

func shelfOf(v *policy.Verdict) shelf {
	t := v.Target
	switch {
	case v.UnderWay:
		return leaving
	case v.Decision == policy.Reap:
		return reaping
	case v.Decision == policy.Pending:
		return waiting
	case v.EndsWith != "":
		return ending
	case t.Finding != graph.FindingNone && !v.Rests():
		return noted
	case v.InUse():
		return inUse
	}
	return noted
}

// verdicts are targets with their decisions.
type verdicts []*policy.Verdict

// group is one row of the table: targets of the same kind, name and cause and, if their
// owner lives, of the same owner. The oldest comes first.
type group struct {
	shelf shelf
	verdicts
}

// grouping decides which targets of one input are alike.
type grouping struct {
	// parents are the processes that own targets: they get rows of their own.
	parents map[inventory.ID]bool
	at      time.Time
	// engine is the endpoint of the only engine that answered. Containers that do not
	// name their engine are its. Empty if several engines answered.
	engine string
	due    map[string]time.Time // see [Input]
	by     map[string]DueBy
	// counts means that a daemon acts by the policy used here: its count decides when what is pending goes, not
	// that of these looks.
	counts bool
}

func newGrouping(in Input) grouping {
	g := grouping{parents: map[inventory.ID]bool{}, at: takenAt(in), engine: onlyEngine(in), due: in.Due, by: in.DueBy}
	for _, v := range in.reported() {
		g.parents[v.Target.Owner.ID] = true
	}
	return g
}

// onlyEngine returns the endpoint of the engine, if exactly one has answered.
func onlyEngine(in Input) string {
	if in.Graph == nil || in.Graph.Snapshot == nil {
		return ""
	}
	var answered []inventory.Source
	for _, s := range in.Graph.Snapshot.Sources {
		if s.Name == inventory.SourceDocker && (s.Status == inventory.StatusOK || s.Status == inventory.StatusPartial) {
			answered = append(answered, s)
		}
	}
	if len(answered) != 1 {
		return ""
	}
	return answered[0].Endpoint
}

func takenAt(in Input) time.Time {
	if in.Graph == nil || in.Graph.Snapshot == nil {
		return time.Time{}
	}
	return in.Graph.Snapshot.TakenAt
}

// key is equal for targets in one row, and stable between sweeps.
func (g grouping) key(v *policy.Verdict) string {
	t := v.Target
	parts := []string{string(t.Kind), t.Name, imageOf(t), t.Finding.String(), v.Decision.String(), v.Rule, string(v.Action)}
	shelf := shelfOf(v)
	if shelf != reaping && shelf != leaving || t.Owner.Liveness == graph.LivenessLive {
		parts = append(parts, t.Owner.Name, t.Owner.ID.String())
	}
	if v.Beyond > 0 {
		parts = append(parts, "beyond the limit")
	}
	if g.isUnseen(v) {
		parts = append(parts, "unseen")
	}
	if v.Imminent {
		parts = append(parts, "imminent")
	}
	if v.WaitsFor != "" {
		parts = append(parts, "waits for "+v.WaitsFor)
	}
	if shelf == noted {
		parts = append(parts, keptBecause(v).general)
	}
	if t.Root != nil && (g.parents[t.Root.ID()] || isIdle(t)) { // each session has its own folder and idle time
		parts = append(parts, t.ID)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return redact.Name(t.Name) + "-" + hex.EncodeToString(sum[:6])
}

// isUnseen reports a pending target that the daemon, which counts its time, has not seen yet.
func (g grouping) isUnseen(v *policy.Verdict) bool {
	_, seen := g.due[v.Target.ID]
	return g.counts && !seen && v.Beyond == 0 && v.Decision == policy.Pending
}

func imageOf(t *graph.Target) string {
	if t.Container == nil {
		return ""
	}
	return imageText(t.Container.Image)
}

// groups puts alike verdicts together, in a stable order: containers before processes,
// then by name, then the oldest first.
func (g grouping) groups(vs verdicts) []group {
	var out []group
	index := map[string]int{}
	for _, v := range vs {
		key := g.key(v)
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, group{shelf: shelfOf(v)})
		}
		out[i].verdicts = append(out[i].verdicts, v)
	}
	for i := range out {
		slices.SortStableFunc(out[i].verdicts, g.older)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		first, second := a.first(), b.first()
		return cmp.Or(
			cmp.Compare(kindRank(first.Kind), kindRank(second.Kind)),
			cmp.Compare(first.Name, second.Name),
			g.older(a.verdicts[0], b.verdicts[0]),
		)
	})
	return out
}

// older orders by age, then by identity.
func (g grouping) older(a, b *policy.Verdict) int {
	return cmp.Or(
		a.Target.Started(g.at).Compare(b.Target.Started(g.at)),
		cmp.Compare(rootPID(a.Target), rootPID(b.Target)),
		cmp.Compare(a.Target.ID, b.Target.ID),
	)
}

func kindRank(kind graph.Kind) int {
	return slices.Index([]graph.Kind{graph.KindContainer, graph.KindGateway, graph.KindServer, graph.KindSession}, kind)
}

func rootPID(t *graph.Target) int {
	if t.Root == nil {
		return 0
	}
	return t.Root.PID
}

func (vs verdicts) first() *graph.Target { return vs[0].Target }

// where returns the verdicts for which claim is true.
func (vs verdicts) where(claim func(*policy.Verdict) bool) verdicts {
	var out verdicts
	for _, v := range vs {
		if claim(v) {
			out = append(out, v)
		}
	}
	return out
}

func (vs verdicts) memory() uint64 {
	var sum uint64
	for _, v := range vs {
		sum += v.Target.MemoryBytes
	}
	return sum
}

// cells returns the sums and ranges of a group; a dash if no value is known.
func (vs verdicts) cells(g glyphs) cells {
	out := cells{age: vs.ages(g), memory: g.none, cpu: g.none}
	if sum := vs.memory(); sum > 0 {
		out.memory = human.Bytes(sum)
	}
	var sum float64
	var seen bool
	for _, v := range vs {
		percent, ok := v.Target.CPUPercent.Get()
		sum, seen = sum+percent, seen || ok
	}
	if seen {
		out.cpu = human.Percent(sum)
	}
	return out
}

// ages tells for how long the targets are up; a dash if none is, or it is not known.
func (vs verdicts) ages(g glyphs) string {
	var ages []time.Duration
	for _, v := range vs {
		if v.Target.Age > 0 && !v.Target.IsDown() {
			ages = append(ages, v.Target.Age)
		}
	}
	switch len(ages) {
	case 0:
		return g.none
	case 1:
		return human.Span(ages[0])
	}
	return human.Ages(slices.Min(ages), slices.Max(ages))
}

// namedCopies is the greatest number of copies that are named one by one.
const namedCopies = 3

// isMany reports a group whose copies are counted, and not named.
func (g group) isMany() bool { return len(g.verdicts) > namedCopies }

// head names a group: "dollhousemcp 31877", "2 × dollhousemcp 77102 77140",
// "91 × dollhousemcp".
func (vs verdicts) head(g glyphs) string {
	t := vs.first()
	head := nameOf(t)
	if t.Kind == graph.KindContainer {
		head += " container"
	}
	if len(vs) > 1 {
		head = human.Number(len(vs)) + " " + g.times + " " + head
	}
	if len(vs) <= namedCopies {
		for _, v := range vs {
			if handle := handle(v.Target); handle != t.Name {
				head += " " + handle
			}
		}
	}
	return head
}

func nameOf(t *graph.Target) string {
	if t.Name == "" {
		return "unnamed"
	}
	return human.Safe(redact.Name(t.Name))
}

// handle returns the shortest word that explain, pin and sweep accept for a target.
func handle(t *graph.Target) string { return word.Of(t).Handle() }
