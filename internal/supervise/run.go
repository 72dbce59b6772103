package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// phase is how far the work for a server has come.
type phase uint8

const (
	serving     phase = iota
	leaving           // its client has gone; it may end by itself
	terminating       // everything has got SIGTERM, or its container is being stopped
	killing           // SIGKILL, until nothing is left
)

const (
	// settled is how long after its start a server counts as running: reaperd then
	// frees memory and only waits.
	settled = 2 * time.Second
	// killEvery is how often remaining processes are looked for and killed.
	killEvery = 10 * time.Millisecond
	// killFor is how long that goes on. A process in an uninterruptible wait may
	// never go.
	killFor = 10 * time.Second
	// engineFor is how long an engine may take to stop a container, beyond the
	// container's grace.
	engineFor = 10 * time.Second
	// engineFailed is the exit code of `docker run` if it failed itself
	// (docker-run(1), podman-run(1)). The container may still run.
	engineFailed = 125
)

// supervisor runs one server. It is for one goroutine, locked to the thread that
// started the server: the kernel sends the death signal when that thread ends.
type supervisor struct {
	line     Line
	host     host
	main     int  // the first process
	terminal bool // stdin is the controlling terminal
	status   syscall.WaitStatus
	exited   bool // the first process was waited for
	alone    bool // nothing is below reaperd any more
	stopper  int  // the container CLI that stops the container; 0 is none
	emptied  bool // the container was stopped
	phase    phase
	deadline time.Time
	timer    *time.Timer
}

// Run starts a server, waits until it has exited or its client has gone, and ends
// everything that is left of it. It returns the server's exit status, or 128+n for a
// signal n.
func Run(line Line) int {
	s := &supervisor{line: line, terminal: onTerminal(), timer: time.NewTimer(settled)}
	defer s.tidy()
	path, err := find(line.Args[0])
	if err != nil {
		return refuse(line.Args[0], err)
	}
	heard := hear(s.terminal)
	if err := s.start(path, heard.ready); err != nil {
		return refuse(line.Args[0], err)
	}
	defer s.host.close()
	heard.gone = s.host.clientGone()
	s.serve(heard)
	return code(s.status)
}

// refuse says why no server was started.
func refuse(program string, err error) int {
	switch isThere := !errors.Is(err, syscall.ENOENT); {
	case isThere:
		say("%s: %v", program, err)
		return exitCannotRun
	case strings.Contains(program, "/"):
		say("%s: %v", program, err)
	default:
		say("%s: no such program in PATH", program)
	}
	return exitNotFound
}

// hearing holds the channels that reaperd waits for. children has room for one entry,
// because one wake-up collects every exited child; a storm of them thus displaces no
// other signal.
type hearing struct {
	signals  chan os.Signal
	children chan os.Signal
	ready    chan struct{} // closed when reaperd hears of the server's end and of its own
	gone     <-chan struct{}
}

// hear asks for the signals, beside the rest of the start. The Go runtime does that
// on a thread of its own, and this goroutine is bound to its thread while init runs,
// so each signal would make the two threads wait for each other. The server is
// started as soon as the first signals are registered; the others follow a moment
// later. On a terminal SIGTSTP stops reaperd as it stops the server.
func hear(terminal bool) hearing {
	heard := hearing{signals: make(chan os.Signal, 16), children: make(chan os.Signal, 1), ready: make(chan struct{})}
	go func() {
		signal.Notify(heard.children, syscall.SIGCHLD)
		passOn(heard.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
		close(heard.ready)
		passOn(heard.signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGCONT, syscall.SIGWINCH)
		if !terminal {
			passOn(heard.signals, syscall.SIGTSTP)
		}
	}()
	return heard
}

// serve waits until nothing of the server is left.
func (s *supervisor) serve(heard hearing) {
	for !s.finished() {
		select {
		case caught := <-heard.signals:
			s.signalled(caught.(syscall.Signal))
		case <-heard.children:
			s.wait()
		case <-heard.gone:
			heard.gone = nil
			s.leave()
		case <-s.timer.C:
			s.proceed()
		}
	}
}

// signalled handles a signal to reaperd. SIGTERM ends everything. A hangup ends
// everything only if stdin cannot tell whether the client lives.
func (s *supervisor) signalled(sig syscall.Signal) {
	switch {
	case sig == syscall.SIGTERM && s.phase < terminating:
		s.terminate()
	case sig == syscall.SIGHUP && !s.host.tellsEnd:
		s.forward(sig)
		s.leave()
	default:
		s.forward(sig)
	}
}

// forward passes a signal on to the server's group. On a terminal that is reaperd's own, and
// the keys have interrupted all of it.
func (s *supervisor) forward(sig syscall.Signal) {
	switch {
	case s.exited:
		for _, p := range s.members() {
			s.host.signal(p, sig)
		}
	case !s.terminal:
		_ = syscall.Kill(-s.main, sig) // it may be gone already
	case sig != syscall.SIGINT && sig != syscall.SIGQUIT:
		_ = syscall.Kill(s.main, sig)
	}
}

// leave gives the server half of the grace to end by itself: the end of its stdin has
// told it to.
func (s *supervisor) leave() {
	if s.phase != serving {
		return
	}
	s.phase, s.deadline = leaving, time.Now().Add(s.line.Grace)
	s.timer.Reset(s.line.Grace / 2)
}

// proceed takes the next step when a time is over.
func (s *supervisor) proceed() {
	switch s.phase {
	case serving:
		trim()
	case leaving:
		s.terminate()
	case terminating:
		if s.stopper != 0 {
			say("the engine did not stop the container %s in time; the daemon looks after it", s.containerID())
			_ = syscall.Kill(s.stopper, syscall.SIGKILL)
			s.stopper, s.emptied = 0, true
			s.terminateProcesses()
			return
		}
		s.phase, s.deadline = killing, time.Now().Add(killFor)
		s.kill()
	case killing:
		s.kill()
	}
}

// terminate ends the container, if there is one, before its runner, and then
// everything else.
func (s *supervisor) terminate() {
	if s.phase == serving {
		s.deadline = time.Now().Add(s.line.Grace)
	}
	s.phase = terminating
	if s.stopContainer() {
		s.timer.Reset(s.line.Grace + engineFor)
		return
	}
	s.terminateProcesses()
}

// terminateProcesses sends SIGTERM to every process once. If stopping a container
// took the time, its runner still has at least half of the grace.
func (s *supervisor) terminateProcesses() {
	for _, p := range s.members() {
		s.host.signal(p, syscall.SIGTERM)
		s.host.signal(p, syscall.SIGCONT)
	}
	left := max(time.Until(s.deadline), s.line.Grace/2)
	s.deadline = time.Now().Add(left)
	s.timer.Reset(left)
}

// kill stops all processes first, so that none starts another, then kills them, and
// repeats that until none is left.
func (s *supervisor) kill() {
	for _, p := range s.host.freeze(s.members) {
		s.host.signal(p, syscall.SIGKILL)
	}
	s.host.killGroup(len(s.left(s.host.descendants())) == 0)
	s.timer.Reset(killEvery)
}

// wait collects every child that has exited.
func (s *supervisor) wait() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case pid <= 0:
			s.alone = errors.Is(err, syscall.ECHILD)
			return
		case pid == s.main:
			s.exited, s.status = true, status
		case pid == s.stopper:
			s.stopped(status)
		}
	}
}

// finished reports that nothing is left to wait for. If the first process has exited
// and a process that it started still serves, reaperd waits for that.
func (s *supervisor) finished() bool {
	if !s.exited {
		return false
	}
	if s.phase < terminating && s.containerRuns() {
		s.terminate()
	}
	if s.stopper != 0 || s.alone {
		return s.stopper == 0
	}
	left := s.members()
	switch {
	case len(left) == 0:
		return true
	case s.phase == killing && time.Now().After(s.deadline):
		say("%d processes of the server do not end, first process %d", len(left), left[0].pid)
		return true
	case s.phase < terminating && !s.host.serve(left):
		s.host.letGo()
		s.terminate()
	}
	return false
}

// members are the live processes of the server without a person's browser.
func (s *supervisor) members() []process {
	tree := s.host.descendants()
	left := s.left(tree)
	var found []process
	for _, p := range tree {
		if !p.exited && !left[p.pid] && p.pid != s.stopper {
			found = append(found, p)
		}
	}
	return found
}

// left are the processes of a tree that belong to a person's browser.
func (s *supervisor) left(tree []process) map[int]bool {
	return personal(tree, argvOf)
}

// code is an exit status as a shell reports it.
func code(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// passOn asks for signals that the server gets too. A signal that was ignored at the
// start, as by nohup, stays ignored.
func passOn(heard chan<- os.Signal, signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(heard, sig)
		}
	}
}

// say writes one line on stderr, which is the server's too. What could move a terminal's cursor is a question mark.
func say(format string, words ...any) {
	printable := func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '?'
	}
	fmt.Fprintln(os.Stderr, "reaperd exec: "+strings.Map(printable, fmt.Sprintf(format, words...)))
}
