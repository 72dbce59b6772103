package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/scan"
)

// director tells the story and starts the clients.
type director struct {
	*story
	out    io.Writer
	table  *scan.Scanner
	claude peer
	codex  peer
	// claudes and codexs are the processes below each client, by identity.
	claudes, codexs []inventory.ID
	left            []inventory.ID // those of claude's that run on without it
	ended           chan struct{}  // is closed when the daemon has ended; nil before it starts
}

// direct plays the story. It returns an error if anything does not go as told.
func direct(s *story) error {
	table, err := scan.New(scan.Options{})
	if err != nil {
		return err
	}
	defer table.Close()
	d := &director{story: s, out: os.Stdout, table: table}
	if len(s.Command) > 0 {
		d.out = io.Discard // the command has the screen
	}
	for _, step := range d.steps() {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *director) steps() []func() error {
	begun := []func() error{d.begin, d.watch, d.kill}
	switch {
	case len(d.Command) > 0:
		return append(begun, d.company, d.runCommand)
	case d.Hold:
		return append(begun, d.company, d.pending, d.hold)
	}
	return append(begun, d.wait, d.reaped, d.untouched, d.next)
}

// held reports whether the world stays as it is once servers are pending.
func (s *story) held() bool { return s.Hold || len(s.Command) > 0 }

// times are the waiting times of the story.
type times struct {
	reading time.Duration // to read a step
	due     time.Duration // the policy's for:
}

func (s *story) times() times {
	switch {
	case s.held():
		return times{due: heldFor}
	case s.Fast:
		return times{due: 3 * time.Second}
	}
	return times{reading: 3 * time.Second, due: 10 * time.Second}
}

// heldFor is how long servers stay pending in a held world.
const heldFor = 30 * time.Minute

// patience limits the wait for the world to become as told.
const patience = 30 * time.Second

// say tells the visitor something.
func (d *director) say(format string, words ...any) {
	fmt.Fprintln(d.out, told(fmt.Sprintf(format, words...)))
}

// pause lets a person read.
func (d *director) pause() { wait(d.times().reading) }

func wait(span time.Duration) { <-time.After(span) }

// begin starts the two clients.
func (d *director) begin() error {
	d.say(`This is a world of its own: no process outside it is seen or touched, and nothing of it
is left when it ends. Clients and servers are stand-ins: real processes that run
reaperd's own program under the names of known ones.

1. Two agents work, %s in ~/src/%s and %s in ~/src/%s. Each has started
   three MCP servers, two of them behind npm, one with a browser below it.
`, claude, shop, codex, blog)
	var err error
	if d.claude, d.claudes, err = d.enter(place.client(claude, shop)); err != nil {
		return err
	}
	other := place.client(codex, blog)
	other.Busy = d.held() // nobody asks it then
	if d.codex, d.codexs, err = d.enter(other); err != nil {
		return err
	}
	return d.show("scan")
}

// enter starts a client and finds the processes below it.
func (d *director) enter(p part) (peer, []inventory.ID, error) {
	if !d.LifeSize {
		p = p.light()
	}
	started, err := start(p)
	if err != nil {
		return peer{}, nil, err
	}
	below, err := d.below(started.pid())
	return started, below, err
}

// below returns the processes below a process, from the process table.
func (d *director) below(pid int) (found []inventory.ID, err error) {
	rows, err := d.table.Table()
	if err != nil {
		return nil, err
	}
	wave := []int{pid}
	for len(wave) > 0 {
		for _, row := range rows {
			if row.PPID == wave[0] {
				found, wave = append(found, row.ID), append(wave, row.ID.PID)
			}
		}
		wave = wave[1:]
	}
	return found, nil
}

// living returns those processes that still run. A zombie does not run.
func (d *director) living(of []inventory.ID) (found []inventory.ID, err error) {
	rows, err := d.table.Table()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.State != 'Z' && row.State != 'X' && slices.Contains(of, row.ID) {
			found = append(found, row.ID)
		}
	}
	return found, nil
}

// reaperd returns a command that runs this program.
func (d *director) reaperd(args ...string) *exec.Cmd {
	return &exec.Cmd{Path: ownProgram, Args: append([]string{"reaperd"}, args...), Stderr: os.Stderr}
}

// show runs a command on this terminal, as a person would.
func (d *director) show(args ...string) error {
	d.say("$ reaperd %s", strings.Join(args, " "))
	command := d.reaperd(args...)
	command.Stdout = d.out
	if err := command.Run(); err != nil && !isCutOff(err) { // else nobody reads on, and this ends at its next line too
		return otherwise("reaperd %s: %w", strings.Join(args, " "), err)
	}
	d.say("")
	d.pause()
	return nil
}

// isCutOff reports a command that ended because its reader did, as `head` does.
func isCutOff(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, known := exit.Sys().(syscall.WaitStatus)
	return known && status.Signaled() && status.Signal() == syscall.SIGPIPE
}

// watch starts the daemon, with a policy whose times suit a demo.
func (d *director) watch() error {
	d.say(`2. The daemon starts: reaperd run. Its policy is the shipped one, with other times: %s
`, d.aboutTimes())
	if err := os.WriteFile(place.policy(), []byte(d.policy()), 0o600); err != nil {
		return err
	}
	log, err := os.OpenFile(place.daemonLog(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	daemon := d.reaperd("run", "--listen", "")
	daemon.Stdout, daemon.Stderr, daemon.SysProcAttr = log, log, &syscall.SysProcAttr{Setsid: true}
	if err := daemon.Start(); err != nil {
		return err
	}
	d.ended = make(chan struct{})
	go func() {
		_ = daemon.Wait() // its log says why
		close(d.ended)
	}()
	return d.until("the daemon has looked", func(now *status) bool { return now.LastSweep != nil && now.Sessions() == 2 })
}

// The times of the demo's policy that are always the same.
const (
	every      = "@every "
	looksEach  = "1s"
	killsAfter = "2s"
)

// aboutTimes says in which times the demo's policy differs from the shipped one.
func (s *story) aboutTimes() string {
	shipped := policyfile.Shipped()
	rule := shipped.Rules[0] // a rule for what nobody owns: all of these have the same times
	return fmt.Sprintf("it looks every %s, not every %s, reaps what nobody owns after %s, not %s, and kills what does not end after %s, not %s.",
		looksEach, strings.TrimPrefix(shipped.Schedule.Spec, every), human.Exact(s.times().due), human.Exact(rule.For), killsAfter, human.Exact(rule.Grace))
}

// policy returns the shipped policy with times that suit a demo.
func (s *story) policy() string {
	text := "version: 1\nextends: builtin\nschedule: \"" + every + looksEach + "\"\nrules:\n"
	text += fmt.Sprintf("  - {name: %s, for: %s, grace: %s}\n", orphaned, human.Exact(s.times().due), killsAfter)
	if s.held() {
		text += "  - {name: idle-sessions, match: {idle_for: " + idleFor + "}}\n"
	}
	return text
}

// orphaned is the rule of the shipped policy that ends the servers which claude leaves behind.
const orphaned = "orphaned-servers"

// status is the part of `reaperd status -o json` that the demo reads.
type status struct {
	LastSweep *struct{} `json:"last_sweep"`
	InUse     []struct {
		Servers int `json:"servers"`
	} `json:"in_use"`
	Pending []struct {
		Name  string    `json:"name"`
		DueAt time.Time `json:"due_at"`
	} `json:"pending"`
	UnderWay []struct{} `json:"under_way"`
	LastActs []struct {
		Name    string `json:"name"`
		Outcome string `json:"outcome"`
	} `json:"last_acts"`
}

// Sessions returns the number of live sessions.
func (s *status) Sessions() int { return len(s.InUse) }

// Found counts what is pending and what is acted on already, as on a busy machine it may
// be before anybody has asked.
func (s *status) Found() int { return len(s.Pending) + len(s.UnderWay) + len(s.LastActs) }

// status asks the daemon. The zero value means that the daemon is not ready.
func (d *director) status() (*status, error) {
	command := d.reaperd("status", "-o", "json")
	command.Stderr = nil
	text, err := command.Output()
	var exit *exec.ExitError
	var now status
	switch {
	case errors.As(err, &exit): // the daemon does not run yet, or is not ready
		return &now, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, &now); err != nil {
		return nil, fmt.Errorf("read the daemon's status: %w", err)
	}
	return &now, nil
}

// until waits until holds is true for the daemon's status. claim describes that.
func (d *director) until(claim string, holds func(*status) bool) error {
	return d.becomes(claim, func() (bool, error) {
		now, err := d.status()
		return err == nil && holds(now), err
	})
}

// becomes waits until holds is true, and returns an error if it never is, or if the
// daemon has ended.
func (d *director) becomes(claim string, holds func() (bool, error)) error {
	for late := time.After(patience + d.waited()); ; {
		if is, err := holds(); is || err != nil {
			return err
		}
		select {
		case <-time.After(lookEvery):
		case <-late:
			return otherwise("not so: %s%s", claim, lastLine(place.daemonLog()))
		case <-d.ended:
			return otherwise("the daemon has ended before %s%s", claim, lastLine(place.daemonLog()))
		}
	}
}

// lastLine returns the end of a log, for an error message; "" if the log is empty.
func lastLine(log string) string {
	text, _ := os.ReadFile(log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return "; the daemon said last: " + last
	}
	return ""
}

// waited returns the waiting time of the policy; 0 in a held world.
func (d *director) waited() time.Duration {
	if d.held() {
		return 0
	}
	return d.times().due
}

// lookEvery is the time between two checks of the director.
const lookEvery = 100 * time.Millisecond
