package screen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/trigger"
	"github.com/reaperd/reaperd/test/world"
)

// scene is a world as it was judged, and what a person asks about it.
type scene struct {
	name, about string
	looks       []*inventory.Snapshot
	policy      *policy.Policy
	look        account.Look
	reader      int
	order       account.Order
	results     map[string]string // by PID or container, of a sweep
	entries     []journal.Entry
	pins        map[string]graph.Pin
	reaped      []graph.Reaped
	underWay    []string
	begunActs   policy.UnderWay
	oneShot     bool
	asked       []string // what else is explained
}

var users = map[string]int{"root": 0, "dev": 1000, "alice": 1001, "bob": 1002}

// scenes are the worlds of testdata, and the recorded ones.
func scenes(t *testing.T) []*scene {
	t.Helper()
	once.Do(func() { all = scenesOf(t, "*") })
	if !testing.Short() {
		return all
	}
	const sampled = 12 // with the race detector all of them take minutes, and the code is the same
	return slices.DeleteFunc(slices.Clone(all), func(s *scene) bool { return slices.Index(all, s)%sampled > 0 })
}

var (
	once sync.Once
	all  []*scene // nothing changes one
)

func scenesOf(t testing.TB, glob string) []*scene {
	t.Helper()
	files, err := filepath.Glob("testdata/worlds/" + glob + ".txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no worlds: %v", err)
	}
	var all []*scene
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := world.Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s := &scene{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), about: f.About, looks: f.Looks, oneShot: true, results: map[string]string{}, pins: map[string]graph.Pin{}, reader: -1}
		s.load(t, f.Sections["policies.yaml"])
		for _, words := range f.Settings() {
			s.set(t, words)
		}
		s.judge()
		all = append(all, s)
	}
	return all
}

func (s *scene) load(t testing.TB, text string) {
	t.Helper()
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	file := builtin
	if text != "" {
		file = policy.File{Name: "/home/dev/.config/reaperd/policies.yaml", Data: []byte(text)}
	}
	p, err := policy.Load(file, builtin)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	s.policy = p
	s.look.Policy, s.look.Resumes = p.Identity(), catalogue.Resumes()
	s.look.Decider.Kind = account.ByCommand
}

// set reads a line of the settings.
func (s *scene) set(t testing.TB, words []string) {
	t.Helper()
	d, rest := &s.look.Decider, strings.Join(words[1:], " ")
	after := func(word string) time.Time {
		d, err := time.ParseDuration(word)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		return s.last().Add(d)
	}
	switch words[0] {
	case "daemon":
		*d = account.Decider{
			Kind: account.ByDaemon, User: rest, PID: 106, Whole: rest == "root", StartedAt: world.Noon.Add(-26 * time.Hour), NextLook: after("17s"),
			Daemon: &account.Daemon{Build: account.Build{Version: "v1.2.3"}, LookedFor: trigger.Schedule, IntervalSeconds: 30},
		}
		s.oneShot = false
	case "replay":
		d.Kind = account.ByReplay
	case "what-if":
		s.look.WhatIf = true
	case "reader":
		s.reader = users[rest]
	case "mode":
		s.look.Policy.Mode = policy.Mode(rest)
	case "paused":
		d.PausedUntil = after(rest)
	case "paused-by":
		s.look.Pauses = map[int]account.Pause{users[words[1]]: {Until: after(words[2]), User: words[1]}}
	case "unrecorded":
		d.Daemon.Unrecorded = rest
	case "full":
		d.Daemon.NoRoomIn = rest
	case "not-ready":
		d.Daemon.NotReady = rest
	case "refused":
		d.Daemon.RefusedFile, d.Daemon.PolicyFaults = rest, []string{rest + `:3: unknown key "rule"`}
	case "today":
		freed, _ := strconv.ParseFloat(words[3], 64)
		stopped, _ := strconv.Atoi(words[2])
		if s.look.Today == nil {
			s.look.Today = map[int]account.Today{}
		}
		s.look.Today[users[words[1]]] = account.Today{Stopped: stopped, FreedBytes: uint64(freed * 1e6)}
	case "pin":
		s.pins[words[1]] = graph.Pin{Why: strings.Join(words[2:], " ")}
	case "left-by": // TARGET NAME PID SINCE
		pid, _ := strconv.Atoi(words[3])
		owner := graph.Owner{Name: words[2], Kind: graph.OwnerSession, ID: inventory.ID{PID: pid, Start: 7}, Liveness: graph.LivenessGone, Since: after("-" + words[4])}
		before := s.look.LeftBy
		s.look.LeftBy = func(id string) (graph.Owner, bool) {
			if strings.HasPrefix(id, words[1]+":") || id == words[1] {
				return owner, true
			}
			if before != nil {
				return before(id)
			}
			return graph.Owner{}, false
		}
	case "reaped": // NAME OWNER N
		owner, _ := strconv.Atoi(words[2])
		n, _ := strconv.Atoi(words[3])
		for i := range n {
			s.reaped = append(s.reaped, graph.Reaped{Owner: s.id(owner), Target: fmt.Sprintf("%d:1", 70000+i), Name: words[1], From: s.last().Add(-40 * time.Second), Until: s.last().Add(-35 * time.Second)})
		}
	case "under-way":
		s.underWay = words[1:]
	case "sweep":
		for _, word := range words[1:] {
			switch over, isIdle := strings.CutPrefix(word, "--idle-over="); {
			case word == "--duplicates":
				s.order.Duplicates = true
			case isIdle:
				s.order.IdleOver, _ = time.ParseDuration(over)
			default:
				s.order.Words = append(s.order.Words, word)
			}
		}
	case "result": // PID|CONTAINER RESULT DETAIL
		s.results[words[1]] = strings.Join(words[2:], " ")
	case "act":
		s.act(words[1:])
	case "explain":
		s.asked = append(s.asked, words[1:]...)
	case "corpus":
		s.record(t, rest)
	default:
		t.Fatalf("%s: no setting %q", s.name, words[0])
	}
}

// act reads an act that is over: AGO SWEEP OWNER OWNERPID CWD NAME PID RESULT MB [hand|idle|let-go|copy].
func (s *scene) act(words []string) {
	ago, _ := time.ParseDuration(words[0])
	megabytes, _ := strconv.ParseFloat(words[8], 64)
	e := journal.Entry{
		Time: s.last().Add(-ago), ID: fmt.Sprintf("a%d", len(s.entries)), Phase: journal.PhaseOutcome, Sweep: words[1], BootID: "b0", Rule: "orphaned-servers", Action: "terminate",
		TargetID: words[6] + ":1", Kind: "server", Name: words[5], Owner: journal.Who(words[2], words[3]+":1"), Finding: "orphaned", Cwd: words[4],
		OwnerGoneSince: s.last().Add(-ago - time.Minute), Result: words[7], FreedBytes: uint64(megabytes * 1e6),
		Tree:     []journal.Process{{Argv: []string{"node", "/home/dev/" + words[5]}}},
		Evidence: []journal.Evidence{{Check: "stdin", Says: "orphaned", Proof: true, Text: "nobody alive holds the other end of its stdin"}},
	}
	switch words[len(words)-1] {
	case "hand":
		e.ByHand = "sweep"
	case "let-go":
		e.Finding, e.OwnerGoneSince = "disconnected", time.Time{}
	case "copy":
		e.Finding, e.OwnerGoneSince = "duplicate", time.Time{}
	}
	s.entries = append(s.entries, e)
}

// record reads the looks of a recorded world.
func (s *scene) record(t testing.TB, name string) {
	t.Helper()
	text, err := os.ReadFile("../sweep/testdata/corpus/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Snapshots []*inventory.Snapshot }
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	s.looks = recorded.Snapshots
}

func (s *scene) last() time.Time { return s.looks[len(s.looks)-1].TakenAt }

func (s *scene) id(pid int) inventory.ID {
	last := s.looks[len(s.looks)-1]
	for i := range last.Processes {
		if last.Processes[i].PID == pid {
			return last.Processes[i].ID()
		}
	}
	return inventory.ID{}
}

// judge looks and judges as a daemon, or as a command.
func (s *scene) judge() {
	p := s.policy
	if s.order.Duplicates || s.order.IdleOver > 0 {
		p, s.order.Rules = p.Switched(policy.Switches{Duplicates: s.order.Duplicates, IdleOver: s.order.IdleOver})
	}
	zombies, respawns := p.Thresholds()
	known := catalogue.New()
	var last *graph.Graph
	for i, snapshot := range s.looks {
		options := graph.Options{Catalogue: known, ZombiesOver: zombies, RespawnsOver: respawns, IdleOver: p.IdleOver(), Pinned: s.pinned}
		if i == len(s.looks)-1 {
			options.Reaped = s.reaped
		}
		last = graph.Correlate(last, snapshot, options)
	}
	verdicts := policy.Judge(last, p, policy.JudgeOptions{OneShot: s.oneShot})
	if len(s.underWay) > 0 {
		s.begunActs = s.begun(p, verdicts, last)
		verdicts = policy.Judge(last, p, policy.JudgeOptions{OneShot: s.oneShot, UnderWay: s.begunActs})
	}
	s.look.Graph, s.look.Verdicts = last, verdicts
}

func (s *scene) begun(p *policy.Policy, verdicts []policy.Verdict, g *graph.Graph) policy.UnderWay {
	acts := policy.MakePlan(verdicts, p, g.Snapshot.Moment()).Acts
	return policy.UnderWay{Acts: slices.DeleteFunc(acts, func(act policy.Act) bool {
		pid, _, _ := strings.Cut(act.TargetID, ":")
		return !slices.Contains(s.underWay, pid)
	})}
}

func (s *scene) pinned(t *graph.Target) (graph.Pin, bool) {
	for word, pin := range s.pins {
		if strings.HasPrefix(t.ID, word+":") || t.Name == word {
			return pin, true
		}
	}
	return graph.Pin{}, false
}

// account is what the scene's reader may see.
func (s *scene) account() *account.Account {
	a := account.Of(s.look)
	if s.reader >= 0 {
		return a.For(account.Reader{UID: s.reader})
	}
	return a
}
