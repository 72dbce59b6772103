//go:build linux

package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Report is the part of reaperd's JSON that the worlds read.
type Report struct {
	Complete bool      `json:"complete"`
	Sources  []Source  `json:"sources"`
	Sessions []Session `json:"sessions"`
	Targets  []Target  `json:"targets"`
	Outcomes []Outcome `json:"outcomes"`
}

// Session is one session of a report.
type Session struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	PID     int    `json:"pid"`
	Servers int    `json:"servers"`
}

// Source is one source of a report.
type Source struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// Target is one target of a report.
type Target struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Name     string          `json:"name"`
	PID      int             `json:"pid"`
	PIDs     []int           `json:"pids"`
	Owner    json.RawMessage `json:"owner"`
	Finding  string          `json:"finding"`
	Decision string          `json:"decision"`
	Rule     string          `json:"rule"`
	Action   string          `json:"action"`
	Reason   string          `json:"reason"`
	Evidence json.RawMessage `json:"evidence"`
	Vetoes   json.RawMessage `json:"vetoes"`

	Group      string  `json:"group"`
	Image      string  `json:"image"`
	Container  string  `json:"container_id"`
	State      string  `json:"state"`
	Recognised string  `json:"recognised_by"`
	EndsWith   string  `json:"ends_with"`
	With       string  `json:"reaped_with"`
	Generation int     `json:"generation"`
	Zombies    int     `json:"zombies"`
	Respawns   int     `json:"respawns"`
	Memory     uint64  `json:"memory_bytes"`
	CPU        float64 `json:"cpu_percent"`
}

// Outcome is the outcome of one act.
type Outcome struct {
	ID      string `json:"id"`
	Target  string `json:"target"`
	Action  string `json:"action"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
}

// String returns the target with all its evidence, for a failing test.
func (t Target) String() string {
	return fmt.Sprintf("%s %s %q pids %v finding %s decision %s rule %q: %s\n    owner %s\n    evidence %s\n    vetoes %s",
		t.Kind, t.ID, t.Name, t.PIDs, t.Finding, t.Decision, t.Rule, t.Reason, t.Owner, t.Evidence, t.Vetoes)
}

// Of returns the target to which a process belongs.
func (r *Report) Of(being Being) (Target, bool) {
	at := slices.IndexFunc(r.Targets, func(target Target) bool {
		return target.ID == being.String() || target.ID == being.Container || slices.Contains(target.PIDs, being.PID)
	})
	if at < 0 {
		return Target{}, false
	}
	return r.Targets[at], true
}

// Impatient is the policy of most worlds: the shipped one, without its waiting times.
const Impatient = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: orphaned-servers, for: 1s, grace: 1s}
  - {name: orphaned-gateways, for: 1s, grace: 1s}
  - {name: orphaned-containers, for: 1s, grace: 1s}
  - {name: disconnected-servers, for: 1s, grace: 1s}
`

// Settle is the time between reaperd's two looks in a world, unless the world has its
// own.
const Settle = 2 * time.Second

// sweepLimit limits one run of reaperd.
const sweepLimit = 2 * time.Minute

func (l *Live) sweep(t *testing.T) {
	t.Helper()
	l.Through(t, func() *Report {
		report := l.Sweep(t)
		l.checkDecisions(t, report)
		return report
	})
}

// Through calls happen and then compares the world with the row. Failures show the report
// that happen returns.
func (l *Live) Through(t *testing.T, happen func() *Report) {
	t.Helper()
	before := l.alive()
	for _, name := range l.condemned() {
		if !slices.Contains(before, name) {
			t.Errorf("%s is to be reaped and is dead already", name)
		}
	}
	known := sorted(l.born)
	report := happen()
	for _, name := range sorted(l.born) {
		if !slices.Contains(known, name) { // it started meanwhile
			before = append(before, name)
		}
	}
	l.checkFate(t, before, report)
	l.checkAnswers(t)
}

// Sweep runs `reaperd sweep --yes` in the world.
func (l *Live) Sweep(t *testing.T) *Report {
	t.Helper()
	running := l.sweeping(t)
	if l.World.During != nil {
		l.World.During(t, l)
	}
	return running(t)
}

// Scan runs `reaperd scan` in the world with further arguments.
func (l *Live) Scan(t *testing.T, args ...string) *Report {
	t.Helper()
	answer, talk, err := l.said(l.Command(t, append([]string{"scan", "-o", "json", "--settle", l.settle()}, args...)...))
	if unexpected(err) {
		t.Fatalf("reaperd scan: %v\n%s\n%s", err, talk, answer)
	}
	return l.read(t, answer, talk)
}

// Tell returns the text that a command of reaperd writes. The test fails if the command
// does.
func (l *Live) Tell(t *testing.T, args ...string) string {
	t.Helper()
	answer, talk, err := l.said(l.Command(t, args...))
	if err != nil {
		t.Fatalf("reaperd %s: %v\n%s\n%s", strings.Join(args, " "), err, talk, answer)
	}
	return answer
}

func (l *Live) said(command *exec.Cmd) (answer, talk string, err error) {
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err = command.Run()
	return out.String(), errs.String(), err
}

// Command returns a command of reaperd in the world, with the world's policy and user.
func (l *Live) Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sweepLimit)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, Program("reaperd"), args...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.Folder.Path("home"), "REAPERD_POLICIES=" + l.policy(t),
		"XDG_STATE_HOME=" + l.Folder.Path("home", "state"), "REAPERD_STATE_DIR=" + l.Folder.Path("home", "state", "reaperd")}
	if _, err := os.Stat(l.socket()); err == nil {
		command.Env = append(command.Env, "DOCKER_HOST="+l.DockerHost())
	}
	if l.World.User != 0 {
		id := uint32(l.World.User)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	return command
}

func (l *Live) settle() string { return max(l.World.Settle, Settle).String() }

func (l *Live) read(t *testing.T, answer, talk string) *Report {
	t.Helper()
	var report Report
	if err := json.Unmarshal([]byte(answer), &report); err != nil {
		t.Fatalf("read report: %v\n%s\n%s", err, talk, answer)
	}
	return &report
}

// sweeping starts a sweep; the function it returns waits for its end.
func (l *Live) sweeping(t *testing.T) func(t *testing.T) *Report {
	t.Helper()
	command := l.Command(t, "sweep", "--yes", "-o", "json", "--settle", l.settle())
	var answer, talk bytes.Buffer
	command.Stdout, command.Stderr = &answer, &talk
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := l.Folder.Write("reaperd.pid", fmt.Sprint(command.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T) *Report {
		t.Helper()
		if err := command.Wait(); unexpected(err) {
			t.Fatalf("reaperd sweep: %v\n%s\n%s", err, talk.String(), answer.String())
		}
		return l.read(t, answer.String(), talk.String())
	}
}

// unexpected reports whether reaperd has failed. Success and an incomplete look are no
// failures.
func unexpected(err error) bool {
	var exit *exec.ExitError
	return err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 4)
}

func (l *Live) policy(t *testing.T) string {
	t.Helper()
	rules := l.World.Rules
	if rules == "" {
		rules = Impatient
	}
	path := l.Folder.Path("home", "policies.yaml")
	if err := os.WriteFile(path, []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// DockerHost is the address of the world's engine, if it has one.
func (l *Live) DockerHost() string {
	return "unix://" + l.socket()
}

func (l *Live) socket() string { return l.Folder.Path("run", "docker.sock") }

// checkDecisions compares the report with the row.
func (l *Live) checkDecisions(t *testing.T, report *Report) {
	t.Helper()
	for _, tree := range l.World.Reap {
		names := strings.Fields(tree)
		root, ok := report.Of(l.Being(t, names[0]))
		if !ok || root.Decision != "reap" {
			t.Errorf("%s: want reap, got %v", names[0], root)
			continue
		}
		for _, name := range names[1:] {
			if target, ok := report.Of(l.Being(t, name)); !ok || target.ID != root.ID {
				t.Errorf("%s: want it in the tree of %s, got %v", name, names[0], target)
			}
		}
	}
	for _, name := range sorted(l.World.Findings) {
		if target, ok := report.Of(l.Being(t, name)); !ok || target.Finding != l.World.Findings[name] {
			t.Errorf("%s: want finding %s, got %v", name, l.World.Findings[name], target)
		}
	}
}

// condemned returns all names that must go.
func (l *Live) condemned() []string { return strings.Fields(strings.Join(l.World.Reap, " ")) }

// alive returns the parts that live.
func (l *Live) alive() []string {
	var names []string
	for _, name := range sorted(l.born) {
		if l.born[name].Alive() {
			names = append(names, name)
		}
	}
	return names
}

// checkFate compares the process table with the row, and counts.
func (l *Live) checkFate(t *testing.T, before []string, report *Report) {
	t.Helper()
	fate := compare(before, l.alive(), l.condemned(), l.World.Either)
	Figure(t, "%s", fate)
	for _, name := range slices.Concat(fate.wronged, fate.missed) {
		target, _ := report.Of(l.born[name])
		t.Errorf("%s (%s): wrongly killed or missed: %v", name, l.born[name], target)
	}
	if t.Failed() {
		t.Logf("sources %v\noutcomes %v", report.Sources, report.Outcomes)
	}
}

// Tally counts the changes in the world while happen runs, and compares nothing.
func (l *Live) Tally(happen func()) (reaped, missed, wronged int) {
	before := l.alive()
	happen()
	fate := compare(before, l.alive(), l.condemned(), l.World.Either)
	return fate.reaped, len(fate.missed), len(fate.wronged)
}

// fate counts the changes in a world.
type fate struct {
	reaped, kept    int
	wronged, missed []string
}

func (f fate) String() string {
	return fmt.Sprintf("reaped %d, missed %d, kept %d, wrongly killed %d", f.reaped, len(f.missed), f.kept, len(f.wronged))
}

// compare counts the processes that lived before, by whether they had to end or were
// allowed to.
func compare(before, after, condemned, either []string) (f fate) {
	for _, name := range before {
		alive, must := slices.Contains(after, name), slices.Contains(condemned, name)
		switch {
		case alive && must:
			f.missed = append(f.missed, name)
		case !alive && must:
			f.reaped++
		case alive:
			f.kept++
		case !slices.Contains(either, name):
			f.wronged = append(f.wronged, name)
		}
	}
	return f
}
