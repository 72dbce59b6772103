package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// phase is how far the end of a server has come.
type phase uint8

const (
	serving     phase = iota
	leaving           // its client has gone; it may end by itself
	terminating       // everything has got SIGTERM, or its container is being stopped
	killing           // SIGKILL, until nothing is left
)

const (
	// settled is when a server has started, and reaperd only waits.
	settled = 2 * time.Second
	// killEvery is how often what is left is looked for and killed again.
	killEvery = 10 * time.Millisecond
	// killFor is when that is given up: a process in an uninterruptible wait.
	killFor = 10 * time.Second
	// engineFor is how long an engine may take to stop a container, beyond the
	// time that it gives the container.
	engineFor = 10 * time.Second
	// engineFailed is the exit code of `docker run` where the client itself
	// failed (docker-run(1), podman-run(1)): the container may run on.
	engineFailed = 125
)

// supervisor runs one server. It is for one goroutine, which is on the thread
// that started the server: with that thread's end comes the death signal.
type supervisor struct {
	line     Line
	host     host
	main     int // the first process
	status   syscall.WaitStatus
	ended    bool // the first process was waited for
	alone    bool // nothing is below reaperd any more
	stopper  int  // the engine's client that stops the container; 0 is none
	emptied  bool // the container was stopped
	phase    phase
	deadline time.Time
	timer    *time.Timer
}

// Run starts a server, waits until it has ended or its client has gone, and
// leaves nothing of it. It returns the server's exit status, 128+n for a signal.
func Run(line Line) int {
	s := &supervisor{line: line, timer: time.NewTimer(settled)}
	defer s.tidy()
	path, err := find(line.Args[0])
	if err != nil {
		return refuse(line.Args[0], err)
	}
	heard := hear()
	if err := s.start(path, heard.ready); err != nil {
		return refuse(line.Args[0], err)
	}
	defer s.host.close()
	heard.gone = s.host.clientGone()
	s.serve(heard)
	return code(s.status)
}

// refuse says why there is no server.
func refuse(program string, err error) int {
	say("%s: %v", program, err)
	if errors.Is(err, syscall.ENOENT) {
		return ExitNotFound
	}
	return ExitCannotRun
}

// hearing is what reaperd waits for. children has room for one, since one wake
// collects all; so a storm of them pushes no signal out.
type hearing struct {
	signals  chan os.Signal
	children chan os.Signal
	ready    chan struct{} // closed when reaperd hears of the server's end and of its own
	gone     <-chan struct{}
}

// hear asks for the signals. That is done beside the rest of the start: the
// runtime does it on a thread of its own, and this one is bound to its goroutine
// while an init runs, so that each signal would make the two threads wait for one
// another. The server is started as soon as the first are heard, and gets the others
// passed on from a moment later.
func hear() hearing {
	heard := hearing{signals: make(chan os.Signal, 16), children: make(chan os.Signal, 1), ready: make(chan struct{})}
	go func() {
		signal.Notify(heard.children, syscall.SIGCHLD)
		passOn(heard.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
		close(heard.ready)
		passOn(heard.signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGCONT, syscall.SIGTSTP, syscall.SIGWINCH)
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

// signalled handles a signal that reaperd got. SIGTERM ends everything; a
// hangup ends it only where stdin cannot tell whether the client lives.
func (s *supervisor) signalled(sig syscall.Signal) {
	switch {
	case sig == syscall.SIGCONT && s.host.terminal.resume(s.main):
	case sig == syscall.SIGTERM && s.phase < terminating:
		s.terminate()
	case sig == syscall.SIGHUP && !s.host.tellsEnd:
		s.forward(sig)
		s.leave()
	default:
		s.forward(sig)
	}
}

// forward passes a signal on to the server's group.
func (s *supervisor) forward(sig syscall.Signal) {
	if !s.ended {
		_ = syscall.Kill(-s.main, sig) // gone is as good
		return
	}
	for _, p := range s.members() {
		s.host.signal(p, sig)
	}
}

// leave gives the server, which has been told by the end of its stdin, half of
// the grace.
func (s *supervisor) leave() {
	if s.phase != serving {
		return
	}
	s.phase, s.deadline = leaving, time.Now().Add(s.line.Grace)
	s.timer.Reset(s.line.Grace / 2)
}

// proceed goes one step on when a time is over.
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

// terminate ends the container, if there is one, before its client, and then
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

// terminateProcesses sends SIGTERM to every process, once each. Where a
// container took the time, its client has at least half of the grace.
func (s *supervisor) terminateProcesses() {
	for _, p := range s.members() {
		s.host.signal(p, syscall.SIGTERM)
		s.host.signal(p, syscall.SIGCONT)
	}
	left := max(time.Until(s.deadline), s.line.Grace/2)
	s.deadline = time.Now().Add(left)
	s.timer.Reset(left)
}

// kill stops everything first, so that nothing is started meanwhile, and comes
// again until nothing is left.
func (s *supervisor) kill() {
	for _, p := range s.host.freeze(s.members) {
		s.host.signal(p, syscall.SIGKILL)
	}
	s.host.killGroup(len(s.left(s.host.descendants())) == 0)
	s.timer.Reset(killEvery)
}

// wait collects every child that has ended or was stopped.
func (s *supervisor) wait() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG|syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case pid <= 0:
			s.alone = errors.Is(err, syscall.ECHILD)
			return
		case status.Stopped():
			if pid == s.main {
				s.host.terminal.suspend()
			}
		case pid == s.main:
			s.ended, s.status = true, status
			s.host.terminal.takeBack()
		case pid == s.stopper:
			s.stopped(status)
		}
	}
}

// finished reports that nothing is left to wait for. When the first process has
// ended and what it started serves on, that is waited for.
func (s *supervisor) finished() bool {
	if !s.ended {
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

// members are the live processes of the server but for a person's browser.
func (s *supervisor) members() []process {
	tree := s.host.descendants()
	left := s.left(tree)
	var found []process
	for _, p := range tree {
		if !p.ended && !left[p.pid] && p.pid != s.stopper {
			found = append(found, p)
		}
	}
	return found
}

// left are the processes of a tree that are a person's own.
func (s *supervisor) left(tree []process) map[int]bool {
	return personal(tree, s.host.session, argvOf)
}

// code is a status as a shell reports it.
func code(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// passOn asks for signals that the server gets too. One that was ignored at the
// start stays ignored, as by nohup.
func passOn(heard chan<- os.Signal, signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(heard, sig)
		}
	}
}

// say writes one line on stderr, which is the server's too.
func say(format string, words ...any) {
	fmt.Fprintf(os.Stderr, "reaperd exec: "+format+"\n", words...)
}
