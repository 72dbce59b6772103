//go:build linux

package exec_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// count is how many processes a stubborn server is with all it started: itself,
// its helper, its browser.
const count = 3

func TestNothingIsLeftOfAKilledClient(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		began := time.Now()
		for i := range rounds() {
			round := "round" + strconv.Itoa(i)
			s := w.start(t, round, "stubborn", w.supervised("300ms")...)
			s.await(t, "ready")
			farm.Eventually(t, "the server, its helper, its browser and reaperd run", func() bool { return len(players(t, round)) > count })
			s.kill()
			awaitNone(t, round)
		}
		farm.Figure(t, "%d clients killed -9, 0 processes left, %s each", rounds(), (time.Since(began) / time.Duration(rounds())).Round(time.Millisecond))
	})
}

func TestTheDaemonFindsWhatAKilledSupervisorLeft(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		d := daemon.Start(t, w.live, daemon.Options{Policy: eager})
		sessions := make([]*session, rounds())
		for i := range sessions {
			sessions[i] = w.start(t, roundOf(i), "stubborn", w.supervised("300ms")...)
			sessions[i].await(t, "ready")
			playing(t, roundOf(i), "chromium")
		}
		d.AwaitMore(t, 2) // it has seen them
		farm.Eventually(t, "each server, its helper, its browser and reaperd run", func() bool { return len(players(t, "")) >= (count+1)*rounds() })
		for _, s := range sessions {
			signalled(t, s.supervisor, unix.SIGKILL)
		}
		for _, s := range sessions { // the clients live on
			s.await(t, "ended")
		}
		farm.EventuallyWithin(t, 2*time.Minute, "nothing is left of any", func() bool { return len(players(t, "")) == 0 })
		farm.Figure(t, "%d supervisors killed -9 at once, %d processes left with the daemon", rounds(), len(players(t, "")))
	})
}

// roundOf names a round so that no name begins another.
func roundOf(i int) string { return fmt.Sprintf("round%d.", i) }

// atOnce is how many containers one engine ends at once, in batches.
const atOnce = 10

// eager is a policy that acts at once.
const eager = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1s, grace: 500ms}
  - {name: disconnected-servers, for: 1s, grace: 500ms}
  - {name: orphaned-containers, for: 1s, grace: 1s}
`

func TestWhatAKilledSupervisorLeavesWithoutTheDaemon(t *testing.T) {
	within(t, func(t *testing.T, w *world) {
		left := 0
		for i := range rounds() {
			obedient, stubborn := fmt.Sprintf("obedient%d.", i), fmt.Sprintf("stubborn%d.", i)
			s := w.start(t, obedient, "obedient", w.supervised("300ms")...)
			s.await(t, "ready")
			signalled(t, s.supervisor, unix.SIGKILL)
			awaitNone(t, obedient) // it gets SIGTERM from the kernel
			s = w.start(t, stubborn, "stubborn", w.supervised("300ms")...)
			s.await(t, "ready")
			farm.Eventually(t, "the server, its helper, its browser and reaperd run", func() bool { return len(players(t, stubborn)) > count })
			signalled(t, s.supervisor, unix.SIGKILL)
			s.await(t, "ended")
			left += len(players(t, stubborn))
			for _, pid := range players(t, stubborn) {
				signalled(t, pid, unix.SIGKILL)
			}
		}
		if left != count*rounds() {
			t.Errorf("%d processes are left, want %d", left, count*rounds())
		}
		farm.Figure(t, "%d supervisors killed -9 without the daemon: 0 processes of obedient servers left, %d of stubborn ones", rounds(), left)
	})
}

func TestAContainerIsEndedWithItsClient(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	within(t, func(t *testing.T, w *world) {
		e := farm.StartEngine(t, w.live)
		for done := 0; done < rounds(); done += atOnce {
			for _, s := range w.containers(t, e, done) {
				s.kill()
			}
			awaitNoContainer(t, e)
		}
		if left, _ := filepath.Glob(filepath.Join(w.folder, "run", "reaperd-exec-*")); len(left) > 0 {
			t.Errorf("folders are left: %q", left)
		}
		farm.Figure(t, "%d clients of containers killed -9, 0 processes and 0 containers left", rounds())
	})
}

// containers starts a batch of sessions with a container each, from a round on.
func (w *world) containers(t *testing.T, e *farm.Engine, from int) (sessions []*session) {
	t.Helper()
	for i := from; i < min(from+atOnce, rounds()); i++ {
		before := e.Docker(t, "ps", "-q", "--no-trunc", "--filter", "label=reaperd.owner")
		argv := w.contained(e, roundOf(i))
		s := w.start(t, roundOf(i), "none", w.supervised("2s", argv...)...)
		checkLabels(t, e, awaitContainer(t, e, before), s)
		sessions = append(sessions, s)
	}
	return sessions
}

func awaitNoContainer(t *testing.T, e *farm.Engine) {
	t.Helper()
	farm.EventuallyWithin(t, 2*time.Minute, "neither a process nor a container is left", func() bool {
		return len(players(t, "")) == 0 && e.Docker(t, "ps", "-aq") == ""
	})
}

// contained is docker's command line for a container that ignores the end of its
// input and SIGTERM.
func (w *world) contained(e *farm.Engine, round string) []string {
	part := e.Run(round+"-inside", actor.Pipe)
	w.env = append(part.Env, "TMPDIR=$W/run")
	for i := range w.env {
		w.env[i] = strings.ReplaceAll(w.env[i], "$W", w.folder)
	}
	return part.Argv
}

// awaitContainer waits for a container that was not there before.
func awaitContainer(t *testing.T, e *farm.Engine, before string) (id string) {
	t.Helper()
	farm.Eventually(t, "a container runs", func() bool {
		for now := range strings.Lines(e.Docker(t, "ps", "-q", "--no-trunc", "--filter", "label=reaperd.owner")) {
			if id = strings.TrimSpace(now); !strings.Contains(before, id) {
				return true
			}
		}
		return false
	})
	return id
}

// checkLabels looks whether the container names its supervisor and its session.
func checkLabels(t *testing.T, e *farm.Engine, id string, s *session) {
	t.Helper()
	labels := e.Docker(t, "inspect", "--format", `{{index .Config.Labels "reaperd.owner"}} {{index .Config.Labels "reaperd.session"}}`, id)
	owner, session, _ := strings.Cut(labels, " ")
	fields, err := actor.StatOf(s.supervisor)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(owner, fmt.Sprintf("%d:%s:", s.supervisor, fields[19])) || strings.Count(owner, ":") != 3 {
		t.Errorf("owner %q, supervisor %d:%s", owner, s.supervisor, fields[19])
	}
	if session != fmt.Sprintf("claude-code %d", s.command.Process.Pid) {
		t.Errorf("session %q, client %d", session, s.command.Process.Pid)
	}
}

func TestTheDaemonFindsTheContainerOfAKilledSupervisor(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	within(t, func(t *testing.T, w *world) {
		e := farm.StartEngine(t, w.live)
		d := daemon.Start(t, w.live, daemon.Options{Policy: eager})
		for done := 0; done < rounds(); done += atOnce {
			sessions := w.containers(t, e, done)
			d.AwaitMore(t, 2)
			for _, s := range sessions {
				signalled(t, s.supervisor, unix.SIGKILL)
				s.kill()
			}
			awaitNoContainer(t, e)
		}
		farm.Figure(t, "%d supervisors of containers killed -9, 0 processes and 0 containers left with the daemon", rounds())
	})
}

func TestWhatAKilledSupervisorLeavesOfContainersWithoutTheDaemon(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	within(t, func(t *testing.T, w *world) {
		e := farm.StartEngine(t, w.live)
		clients, containers := 0, 0
		for done := 0; done < rounds(); done += atOnce {
			for _, s := range w.containers(t, e, done) {
				signalled(t, s.supervisor, unix.SIGKILL)
				s.await(t, "ended")
				s.kill()
			}
			left := strings.Fields(e.Docker(t, "ps", "-q"))
			clients, containers = clients+len(players(t, "")), containers+len(left)
			e.Docker(t, append([]string{"rm", "-f"}, left...)...)
			awaitNoContainer(t, e)
		}
		if containers != rounds() {
			t.Errorf("%d containers are left, want %d: they ignore SIGTERM and the end of their input", containers, rounds())
		}
		farm.Figure(t, "%d supervisors of containers killed -9 without the daemon: %d processes and %d containers left", rounds(), clients, containers)
	})
}
