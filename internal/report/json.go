package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/redact"
)

// Version is the version of the JSON that this package writes. Within one
// version keys are only added.
const Version = 1

// document is the JSON of a scan, or of a sweep with its outcomes. Unknown values are
// missing.
type document struct {
	Version  int                `json:"version"`
	TakenAt  time.Time          `json:"taken_at"`
	Complete bool               `json:"complete"`
	Mode     string             `json:"mode,omitempty"`
	Policy   policyJSON         `json:"policy"`
	Host     inventory.Host     `json:"host"`
	Sources  []inventory.Source `json:"sources"`
	Sessions []sessionJSON      `json:"sessions"`
	Targets  []targetJSON       `json:"targets"`
	Outcomes []outcomeJSON      `json:"outcomes,omitzero"`
	Summary  summaryJSON        `json:"summary"`
	Notes    []string           `json:"notes,omitempty"`
}

type policyJSON struct {
	Source string `json:"source,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

type targetJSON struct {
	ID           string           `json:"id"`
	Kind         graph.Kind       `json:"kind"`
	Name         string           `json:"name,omitempty"`
	Group        string           `json:"group"`
	PID          int              `json:"pid,omitempty"`
	Start        uint64           `json:"start,omitempty"`
	StartedAt    time.Time        `json:"started_at,omitzero"`
	PIDs         []int            `json:"pids,omitempty"`
	Left         []int            `json:"left,omitempty"`
	ContainerID  string           `json:"container_id,omitempty"`
	Container    string           `json:"container_name,omitempty"`
	Image        string           `json:"image,omitempty"`
	State        string           `json:"state,omitempty"`
	Engine       string           `json:"engine,omitempty"`
	Client       string           `json:"client,omitempty"`
	Containers   []string         `json:"containers,omitempty"`
	Below        []string         `json:"below,omitempty"`
	Argv         []string         `json:"argv,omitempty"`
	Cwd          string           `json:"cwd,omitempty"`
	User         string           `json:"user,omitempty"`
	Recognised   string           `json:"recognised,omitempty"`
	RecognisedBy string           `json:"recognised_by,omitempty"`
	Owner        ownerJSON        `json:"owner"`
	Finding      graph.Finding    `json:"finding"`
	FindingSince time.Time        `json:"finding_since,omitzero"`
	Unclear      bool             `json:"unclear,omitempty"` // nothing is wrong with it, and nothing proves whose it is
	Decision     string           `json:"decision"`
	UnderWay     bool             `json:"under_way,omitempty"` // its end has begun: no sweep begins it again
	Imminent     bool             `json:"imminent,omitempty"`  // it is under way, and nothing of it has been touched: a pin keeps it
	DueAt        time.Time        `json:"due_at,omitzero"`
	DueRule      string           `json:"due_rule,omitempty"` // by which the daemon reaps it at due_at, if not by rule
	Rule         string           `json:"rule,omitempty"`
	Action       policy.Action    `json:"action,omitempty"`
	EndsWith     string           `json:"ends_with,omitempty"`
	WaitsFor     string           `json:"waits_for,omitempty"`
	With         string           `json:"reaped_with,omitempty"`
	Protected    string           `json:"protected_by,omitempty"`
	Reason       string           `json:"reason,omitempty"`
	NeedsSeconds float64          `json:"needs_seconds,omitempty"`
	Evidence     []graph.Evidence `json:"evidence"`
	Vetoes       []graph.Veto     `json:"vetoes"`
	Listening    *bool            `json:"listening,omitempty"`
	Generation   int              `json:"generation,omitempty"`
	Zombies      int              `json:"zombies,omitempty"`
	Respawns     int              `json:"respawns,omitempty"`
	IdleSeconds  *float64         `json:"idle_seconds,omitempty"`
	AgeSeconds   *float64         `json:"age_seconds,omitempty"`
	MemoryBytes  uint64           `json:"memory_bytes,omitempty"`
	MemoryKind   string           `json:"memory_kind,omitempty"`
	CPUPercent   *float64         `json:"cpu_percent,omitempty"`
	Pinned       string           `json:"pinned,omitempty"` // why it is pinned
}

type ownerJSON struct {
	Name     string          `json:"name,omitempty"`
	Kind     graph.OwnerKind `json:"kind,omitempty"`
	PID      int             `json:"pid,omitempty"`
	Start    uint64          `json:"start,omitempty"`
	Liveness graph.Liveness  `json:"liveness"`
	Since    time.Time       `json:"since,omitzero"`
}

type outcomeJSON struct {
	ID         string        `json:"id"`
	Target     string        `json:"target"`
	Action     policy.Action `json:"action"`
	Outcome    done.Result   `json:"outcome"`
	Detail     string        `json:"detail,omitempty"`
	FreedBytes uint64        `json:"freed_bytes,omitempty"`
}

type summaryJSON struct {
	Processes int `json:"processes"`
	Sessions  int `json:"sessions"`
	// Servers includes gateways. Containers counts those that are targets.
	Servers          int                   `json:"servers"`
	Containers       int                   `json:"containers"`
	Findings         map[graph.Finding]int `json:"findings"`
	Reap             int                   `json:"reap"`
	Pending          int                   `json:"pending"`
	ReclaimableBytes uint64                `json:"reclaimable_bytes"`
	ReclaimedBytes   uint64                `json:"reclaimed_bytes,omitempty"`
}

// JSON returns the report for programs, version 1.
func JSON(in Input) ([]byte, error) { return encode(documentOf(in)) }

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	return human.EscapeJSON(b.Bytes()), nil
}

func documentOf(in Input) document {
	v := newView(in, Options{Names: in.Names}, would())
	d := document{
		Version:  Version,
		TakenAt:  takenAt(in),
		Complete: in.Complete(),
		Mode:     string(in.Policy.Mode),
		Policy:   policyJSON{Source: in.Policy.Source, SHA256: in.Policy.SHA256},
		Sources:  redact.Sources(sourcesOf(in)),
		Sessions: v.sessionsJSON(),
		Targets:  make([]targetJSON, 0, len(in.Verdicts)),
		Outcomes: outcomesJSON(in),
		Summary:  v.summary(),
	}
	if in.Graph != nil && in.Graph.Snapshot != nil {
		d.Host = in.Graph.Snapshot.Host
	}
	d.Notes = v.notesJSON(v.shown)
	for _, verdict := range v.shown {
		d.Targets = append(d.Targets, v.target(verdict))
	}
	return d
}

// notesJSON are the remarks about everything, and about some targets.
func (v *view) notesJSON(about verdicts) (notes []string) {
	for _, note := range slices.Concat(v.unheededNotes(about), v.in.Notes) {
		notes = append(notes, redact.Text(note))
	}
	return notes
}

// outcomesJSON returns nil if no sweep acted, so that a scan has no such key, and an
// empty list for a sweep without acts.
func outcomesJSON(in Input) []outcomeJSON {
	if in.Command != "sweep" && len(in.Outcomes) == 0 {
		return nil
	}
	out := make([]outcomeJSON, 0, len(in.Outcomes))
	for _, o := range in.Outcomes {
		out = append(out, outcomeJSON{
			ID: o.ID, Target: o.Target, Action: o.Action, Outcome: o.Result,
			Detail: redact.Text(o.Detail), FreedBytes: o.FreedBytes,
		})
	}
	return out
}

// target is a target with its verdict. What goes with an idle session that a rule stops has the
// session's time.
func (v *view) target(verdict *policy.Verdict) targetJSON {
	out := v.grouping.target(verdict)
	if v.otherRule(verdict) != "" {
		out.DueRule = v.in.DueBy[verdict.Target.ID].Rule
	}
	if head := v.alongWith(verdict); head != nil {
		out.With, out.DueAt = head.Target.ID, v.grouping.dueAt(head)
		out.Reason = fmt.Sprintf("it goes with %s, by rule %q", called(head.Target), head.Rule)
	}
	if v.ownRules() && !v.daemonActs() { // only root is told when root's daemon stops it
		out.DueAt, out.DueRule = time.Time{}, ""
	}
	return out
}

// dueAt is when a target goes, by the daemon's count if one acts; zero if that is not known, as where the
// daemon has not seen it yet.
func (g grouping) dueAt(v *policy.Verdict) time.Time {
	switch {
	case v.Decision == policy.Keep:
		return time.Time{}
	case v.Decision == policy.Reap, g.counts:
		return g.due[v.Target.ID]
	}
	return cmp.Or(g.due[v.Target.ID], v.DueAt)
}

// daemonsHeld is for how long a pending target's finding has held by the count of a daemon, which stops it
// once that is enough; false if none counts.
func (g grouping) daemonsHeld(v *policy.Verdict) (time.Duration, bool) {
	due, counts := g.due[v.Target.ID]
	held := v.For - due.Sub(g.at)
	if by, told := g.by[v.Target.ID]; told && by.Rule != v.Rule { // it counts for another rule
		return 0, false
	}
	return held, counts && v.Decision == policy.Pending && v.With == "" && v.Beyond == 0 && v.WaitsFor == "" && v.Ahead == nil && held >= 0 && held <= v.For
}

func (g grouping) target(v *policy.Verdict) targetJSON {
	t := v.Target
	out := targetJSON{
		ID: t.ID, Kind: t.Kind, Name: redact.Name(t.Name), Group: g.key(v), StartedAt: t.Started(g.at),
		Client: t.Runner, Containers: t.Containers, Below: t.Below, User: t.User, Recognised: t.Recognised(), RecognisedBy: redact.Text(t.How),
		Owner: ownerOf(t.Owner), Finding: t.Finding, Unclear: isUnclear(v), Decision: v.Decision.String(), UnderWay: v.UnderWay, Imminent: v.Imminent,
		Rule: v.Rule, EndsWith: v.EndsWith, WaitsFor: v.WaitsFor, Reason: redact.Text(v.Reason),
		With: v.With, NeedsSeconds: *rounded(v.Needs.Seconds()),
		Evidence: graph.Masked(t.Evidence, redact.Text), Vetoes: graph.MaskedVetoes(v.Vetoes, redact.Text),
		Generation: t.Generation, Zombies: t.Zombies, Respawns: t.Respawns,
		MemoryBytes: t.MemoryBytes, Pinned: pinOf(t),
	}
	out.setProcess(t)
	out.setContainer(t.Container, g.engine)
	out.setMeasures(t)
	if out.Finding != graph.FindingNone {
		out.FindingSince = t.Since
	}
	if v.Rule != "" {
		out.Action = v.Action
	}
	out.DueAt = g.dueAt(v)
	if held, counts := g.daemonsHeld(v); counts {
		out.Reason = redact.Text(fmt.Sprintf("rule %q wants it to hold for %s, and by the daemon's count it has for %s", v.Rule, human.Exact(v.For), human.Span(held)))
	}
	if v.Decision == policy.Pending && g.counts && out.DueAt.IsZero() && !v.DueAt.IsZero() {
		out.Reason = redact.Text(fmt.Sprintf("rule %q wants it to hold for %s, and the daemon has not seen it yet", v.Rule, human.Exact(v.For)))
	}
	if v.Protected != nil {
		out.Protected = v.Protected.Name
	}
	return out
}

// setProcess sets the fields that only a process has. A container has no PID.
func (j *targetJSON) setProcess(t *graph.Target) {
	if t.Root == nil || t.Kind == graph.KindContainer {
		return
	}
	j.PID, j.Start, j.PIDs = t.Root.PID, t.Root.Start, t.PIDs()
	for _, p := range t.Left {
		j.Left = append(j.Left, p.PID)
	}
	j.ContainerID = t.Root.ContainerID
	j.Argv = redact.Args(t.Root.Args())
	j.Cwd = redact.Text(t.Root.Cwd)
}

func (j *targetJSON) setContainer(c *inventory.Container, engine string) {
	if c == nil {
		return
	}
	j.ContainerID, j.Container, j.Image, j.State, j.Engine = c.ID, redact.Name(c.Name), redact.Text(c.Image), c.State, redact.Text(cmp.Or(c.Engine, engine))
	j.Argv = redact.Args(c.Command)
}

// setMeasures sets the fields that were measured.
func (j *targetJSON) setMeasures(t *graph.Target) {
	if t.MemoryBytes > 0 {
		j.MemoryKind = t.MemoryKind
	}
	if listening, known := t.Listening.Get(); known {
		j.Listening = &listening
	}
	if idle, known := t.Idle.Get(); known {
		j.IdleSeconds = rounded(idle.Seconds())
	}
	if percent, known := t.CPUPercent.Get(); known {
		j.CPUPercent = rounded(percent)
	}
	if !j.StartedAt.IsZero() || t.Age > 0 {
		j.AgeSeconds = rounded(t.Age.Seconds())
	}
}

// rounded rounds to a thousandth: no measure is more exact.
func rounded(value float64) *float64 {
	value = math.Round(value*1000) / 1000
	return &value
}

func ownerOf(o graph.Owner) ownerJSON {
	out := ownerJSON{
		Name: redact.Name(o.Name), Kind: o.Kind, PID: o.ID.PID, Start: o.ID.Start,
		Liveness: o.Liveness, Since: o.Since,
	}
	if o.IsUnseen() {
		out.Kind, out.Liveness = "", graph.LivenessUnknown
	}
	return out
}

// summary counts what is shown.
func (v *view) summary() summaryJSON {
	s := summaryJSON{Findings: map[graph.Finding]int{
		graph.FindingOrphaned: 0, graph.FindingDisconnected: 0, graph.FindingDuplicate: 0, graph.FindingZombies: 0,
		graph.FindingRespawning: 0, graph.FindingExited: 0, graph.FindingAmbiguous: 0, graph.FindingIdle: 0,
	}}
	if v.in.Graph != nil && v.in.Graph.Snapshot != nil {
		s.Processes = len(v.snapshot.Processes) + v.snapshot.Unlisted
		s.Sessions = len(v.sessionsJSON())
	}
	for _, verdict := range v.shown {
		s.add(verdict)
	}
	for _, outcome := range v.in.Outcomes {
		s.ReclaimedBytes += outcome.FreedBytes
	}
	return s
}

func (s *summaryJSON) add(v *policy.Verdict) {
	switch v.Target.Kind {
	case graph.KindContainer:
		s.Containers++
	case graph.KindServer, graph.KindGateway:
		s.Servers++
	}
	if finding := v.Target.Finding; finding != graph.FindingNone {
		s.Findings[finding]++
	}
	switch v.Decision {
	case policy.Reap:
		s.Reap++
		s.ReclaimableBytes += v.Target.MemoryBytes
	case policy.Pending:
		s.Pending++
	}
}
