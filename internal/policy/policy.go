package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
)

// version is the version of the policy file this package reads.
const version = 1

// Builtin is the name of the embedded policy in faults and origins, and the word that
// `extends` accepts.
const Builtin = "built-in"

// Mode says whether a sweep acts. The zero value means report.
type Mode string

// The modes.
const (
	ModeReport  Mode = "report"
	ModeEnforce Mode = "enforce"
)

// Action is what a rule does to the targets that it matches. The zero value does
// nothing.
type Action string

// The actions. Terminate ends processes, and stops a container; remove stops
// and deletes a container.
const (
	ActionReport    Action = "report"
	ActionTerminate Action = "terminate"
	ActionRemove    Action = "remove"
)

// Reaps reports that the action ends something.
func (a Action) Reaps() bool { return a == ActionTerminate || a == ActionRemove }

// GoingOn is what an act that goes on does to its target: "being removed".
func (a Action) GoingOn() string { return "being " + a.Done() }

// Stage is [Action.GoingOn], or "about to be stopped" before the act has begun.
func (a Action) Stage(imminent bool) string {
	if imminent {
		return "about to be " + a.Done()
	}
	return a.GoingOn()
}

// Done is what an act has done to its target: "removed".
func (a Action) Done() string {
	if a == ActionRemove {
		return "removed"
	}
	return "stopped"
}

// What holds where a policy does not say.
const (
	defaultSchedule    = "@every 30s"
	defaultFor         = 30 * time.Second
	defaultGrace       = 5 * time.Second
	DefaultIdleFor     = 30 * time.Minute
	defaultSessionIdle = time.Hour
	defaultKeepNewest  = 1
	defaultZombies     = 100
	defaultRespawns    = 10
	defaultMaxActions  = 500
	defaultConcurrency = 8
)

// Policy is the policy in force: a file merged with the built-in policy that it may
// extend, with every default filled in.
type Policy struct {
	Mode     Mode
	FileMode Mode   // the mode of the files, where ModeFrom has set another over it; else ""
	ModeFrom string // what set the mode over that of the files; "" if nothing did
	Schedule Schedule
	// Discover says whether the clients' own configuration is read for servers.
	Discover bool
	Sessions []Entry
	Servers  []Entry
	Protect  []Protect
	Trust    []Trust
	Limits   Limits
	Rules    []Rule

	// Sources are the files that it was made of, the user's first.
	Sources []Source
	// Hash is the SHA-256 of the bytes of all sources, in hex.
	Hash string

	tree *node
}

// Identity says which policy it is. The zero value is none.
type Identity struct {
	Source string `json:"source,omitempty"` // [Builtin], or the file
	SHA256 string `json:"sha256,omitempty"` // [Policy.Hash]
	Mode   Mode   `json:"mode,omitempty"`
	// FileMode is the mode that the policy's files say, where something has set Mode over it: [Policy.ModeFrom].
	FileMode Mode `json:"file_mode,omitempty"`
}

// Identity is the policy's own.
func (p *Policy) Identity() Identity {
	own := Identity{SHA256: p.Hash, Mode: p.Mode, FileMode: p.FileMode}
	if len(p.Sources) > 0 {
		own.Source = p.Sources[0].Name
	}
	return own
}

// Source is one file that a policy was made of.
type Source struct {
	Name   string
	SHA256 string
}

// Limits limit one sweep.
type Limits struct {
	MaxActions  int // servers and containers
	Concurrency int // acts that are worked on at a time
}

// Protect is an entry that keeps targets whatever the rules say.
type Protect struct {
	Name   string
	Match  Match
	Reason string
}

// Rule is one entry of rules.
type Rule struct {
	Name    string
	Match   Match
	Exclude *Match // nil excludes nothing
	// For is how long the finding must have held, in looks that saw it.
	For    time.Duration
	Action Action
	Grace  time.Duration
	// KeepNewest is how many copies of a duplicate stay; 0 if the rule cannot match a
	// duplicate.
	KeepNewest int
	// Volumes removes a container's anonymous volumes with it.
	Volumes bool
	// MaxPerOwner is how many matching targets one owner may have; 0 is no limit.
	MaxPerOwner int
	Origin      Origin

	// bySwitch is the switch that makes the rule act in this one sweep; "" is none.
	bySwitch string
}

// Match is a condition: every part that is set must hold. Of the globs in one part
// any is enough, except in Argv and Label.
type Match struct {
	Kinds []graph.Kind
	// Findings are the wanted findings. AnyFinding is `finding: any`, which includes
	// none. Neither is set if the file does not say.
	Findings   []graph.Finding
	AnyFinding bool
	Recognised []string
	Listening  *bool
	Server     []string
	Session    []string
	Name       []string
	Argv       []string // each matches some argument, in order
	Image      []string
	Label      []Label // all hold
	State      []string
	User       []string
	// The limits; zero is no condition.
	OlderThan    time.Duration
	IdleFor      time.Duration
	MemoryOver   uint64  // bytes
	CPUOver      float64 // percent of one core
	ZombiesOver  int     // at least so many
	RespawnsOver int     // at least so many
}

// Label is a condition on one label of a container.
type Label struct {
	Key  string
	Glob string // "*" is any value
}

// onlyContainers reports that only containers can match.
func (m *Match) onlyContainers() bool {
	if len(m.Kinds) > 0 {
		return m.isAbout(graph.KindContainer)
	}
	return len(m.Image) > 0 || len(m.Label) > 0 || len(m.State) > 0
}

// isAbout reports that the match names kinds, and only the given ones.
func (m *Match) isAbout(kinds ...graph.Kind) bool {
	return len(m.Kinds) > 0 && !slices.ContainsFunc(m.Kinds, func(k graph.Kind) bool { return !slices.Contains(kinds, k) })
}

// EndsDuplicates reports a rule that ends older copies, which live sessions still hold.
func (r *Rule) EndsDuplicates() bool {
	return r.Action.Reaps() && slices.Contains(r.Match.Findings, graph.FindingDuplicate)
}

// saysFinding reports that the file names a finding.
func (m *Match) saysFinding() bool { return m.AnyFinding || len(m.Findings) > 0 }

// takesEverything reports a container rule that says which containers it means: it
// matches them whatever their finding.
func (r *Rule) takesEverything() bool {
	m := &r.Match
	return len(m.Kinds) > 0 && m.onlyContainers() && !m.saysFinding() &&
		(len(m.Label) > 0 || len(m.Image) > 0 || len(m.Name) > 0)
}

// wants reports that the rule is about that finding. A rule without a finding is
// about any but none. An idle session is alive, so only a rule that names sessions or
// idle is about it.
func (r *Rule) wants(finding graph.Finding) bool {
	switch {
	case finding == graph.FindingIdle && !slices.Contains(r.Match.Kinds, graph.KindSession):
		return slices.Contains(r.Match.Findings, finding)
	case r.Match.AnyFinding || r.takesEverything():
		return true
	case len(r.Match.Findings) > 0:
		return slices.Contains(r.Match.Findings, finding)
	}
	return finding != graph.FindingNone
}

// ignoresOwner reports that the rule takes containers whoever owns them.
func (r *Rule) ignoresOwner() bool { return r.Match.onlyContainers() && r.wants(graph.FindingNone) }

// EndsServersInUse reports that the rule ends servers or gateways with which nothing is wrong: a live
// session may use them. A session with which nothing is wrong is kept by a guard.
func (r *Rule) EndsServersInUse() bool {
	return r.endsWhatIsInUse() && !r.Match.leavesServers()
}

// EndsContainersInUse reports that the rule ends containers with which nothing is wrong: a live session
// may use them.
func (r *Rule) EndsContainersInUse() bool {
	return r.endsWhatIsInUse() && (len(r.Match.Kinds) == 0 || slices.Contains(r.Match.Kinds, graph.KindContainer))
}

// InVain says why the rule does nothing, whatever is found; "" if it may do something.
func (r *Rule) InVain() string {
	m := &r.Match
	contained := len(m.Image) > 0 || len(m.Label) > 0 || len(m.State) > 0
	switch {
	case contained && m.isAbout(graph.KindServer, graph.KindGateway, graph.KindSession):
		return "only a container has an image, a label or a state; write kind: container"
	case len(m.Server) > 0 && m.isAbout(graph.KindSession):
		return "a session has no server name; write session in place of server"
	case r.Action.Reaps() && m.isAbout(graph.KindSession) && !m.AnyFinding && slices.Equal(m.Findings, []graph.Finding{graph.FindingNone}):
		return "a session at work is never ended"
	case r.Action.Reaps() && !m.AnyFinding && slices.Equal(m.Findings, []graph.Finding{graph.FindingAmbiguous}):
		return "what is ambiguous is never ended: it may be somebody's"
	}
	return ""
}

// endsWhatIsInUse reports that the rule ends what has nothing wrong with it.
func (r *Rule) endsWhatIsInUse() bool { return r.Action.Reaps() && r.wants(graph.FindingNone) }

// leavesServers reports that no server and no gateway can match.
func (m *Match) leavesServers() bool {
	return m.onlyContainers() || m.isAbout(graph.KindSession, graph.KindContainer)
}

// Thresholds are the numbers of zombies and respawns from which a parent gets a
// finding: the lowest that any rule asks for.
func (p *Policy) Thresholds() (zombies, respawns int) {
	zombies, respawns = defaultZombies, defaultRespawns
	for i := range p.Rules {
		rule := &p.Rules[i]
		if n := rule.Match.ZombiesOver; n > 0 && rule.wants(graph.FindingZombies) {
			zombies = min(zombies, n)
		}
		if n := rule.Match.RespawnsOver; n > 0 && rule.wants(graph.FindingRespawning) {
			respawns = min(respawns, n)
		}
	}
	return zombies, respawns
}

// IdleOver is how long a session must do nothing to count as idle: the shortest time
// that any rule asks for.
func (p *Policy) IdleOver() time.Duration {
	over := defaultSessionIdle
	for i := range p.Rules {
		rule := &p.Rules[i]
		if least := rule.Match.IdleFor; least > 0 && rule.wants(graph.FindingIdle) {
			over = min(over, least)
		}
	}
	return over
}

// ParseMode reads a mode; empty is none, and stays empty.
func ParseMode(text string) (Mode, error) {
	switch mode := Mode(text); mode {
	case "", ModeEnforce, ModeReport:
		return mode, nil
	}
	return "", fmt.Errorf("%q: want report or enforce", text)
}

// WithMode is the policy under another mode, such as a flag's. from says where that
// mode was asked for.
func (p *Policy) WithMode(mode Mode, from string) *Policy {
	if mode == "" {
		return p
	}
	changed := *p
	changed.FileMode = cmp.Or(p.FileMode, p.Mode)
	changed.Mode, changed.ModeFrom = mode, from
	if p.tree != nil {
		at := Origin{File: from}
		changed.tree = p.tree.with(field{key: "mode", at: at, value: &node{at: at, tag: "!!str", text: string(mode)}})
	}
	return &changed
}

// NextSweeps are the next n times after from at which the schedule starts a sweep.
// They are in from's location unless the schedule names a zone.
func (p *Policy) NextSweeps(from time.Time, n int) []time.Time {
	var times []time.Time
	for range n {
		from = p.Schedule.Next(from)
		if from.IsZero() {
			break
		}
		times = append(times, from)
	}
	return times
}
