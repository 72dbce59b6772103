package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/supervise"
)

// The descriptors of the first process beyond the usual three.
const (
	lifelineFD = 3 // delivers the PID on the host, and closes when the process outside ends
	wordFD     = 4 // takes the reason if the world cannot be made
)

// keepDescriptors keeps the descriptors that the visitor's shell or make left open out of the world: somebody
// outside has their other ends, and might be the client of every server in it. Before Linux 5.11 they go in.
func keepDescriptors() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// outside starts the world and waits for its end. On an interrupt it kills the first
// process, and the kernel kills all others in the world.
func outside(ctx context.Context, s story) (code int, err error) {
	keepDescriptors()
	command, pipes, err := raise(s)
	if err != nil {
		return 0, err
	}
	defer pipes.close()
	defer takeTerminalBack(command)
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Kill() })
	defer stop()
	refusal, _ := io.ReadAll(pipes.word)
	ended := command.Wait()
	var exit *exec.ExitError
	switch {
	case len(refusal) > 0:
		step, why, _ := strings.Cut(string(refusal), ": ")
		return 0, &DeniedError{Step: step, Err: errors.New(why)}
	case errors.As(ended, &exit):
		return exit.ExitCode(), nil
	}
	return 0, ended
}

// pipes are the outer ends of the pipes to the first process.
type pipes struct{ lifeline, word *os.File }

func (p pipes) close() {
	_ = p.lifeline.Close()
	_ = p.word.Close()
}

// ownerVariable names this process as the owner of everything in the world, to a daemon
// of the host: that sees the world's processes too, and leaves them to the world's own.
// In the world the name proves nothing, since it is of another PID namespace.
const ownerVariable = "REAPERD_OWNER="

// ownFile is the path of this program outside the world.
const ownFile = "/proc/self/exe"

// raise starts the first process. Root needs only the other namespaces; all other users,
// and a root without that right, get a user namespace too.
func raise(s story) (*exec.Cmd, pipes, error) {
	if os.Geteuid() == 0 {
		command, ends, err := raiseIn(s, 0)
		if !errors.Is(err, unix.EPERM) {
			return command, ends, err
		}
	}
	command, ends, err := raiseIn(s, unix.CLONE_NEWUSER)
	if err != nil {
		return nil, pipes{}, &DeniedError{Step: "start its first process", Err: err}
	}
	return command, ends, nil
}

func raiseIn(s story, user uintptr) (*exec.Cmd, pipes, error) {
	text, err := json.Marshal(part{Role: roleFirst, Story: &s})
	if err != nil {
		return nil, pipes{}, err
	}
	held, lifeline, err := os.Pipe()
	if err != nil {
		return nil, pipes{}, err
	}
	defer held.Close()
	word, told, err := os.Pipe()
	if err != nil {
		return nil, pipes{}, errors.Join(err, lifeline.Close())
	}
	defer told.Close()
	ends := pipes{lifeline: lifeline, word: word}
	command := &exec.Cmd{
		Path: ownFile, Args: []string{"reaperd", "demo"}, Env: append(s.environment(), ownerVariable+supervise.Owner(), partVariable+"="+string(text)),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, ExtraFiles: []*os.File{held, told}, SysProcAttr: attributes(s, user),
	}
	if err := command.Start(); err != nil {
		ends.close()
		return nil, pipes{}, err
	}
	_, err = fmt.Fprintln(lifeline, command.Process.Pid)
	return command, ends, err
}

// attributes gives the first process a process group of its own, so that Ctrl-C reaches
// only the process outside. With a command, that group has the terminal.
func attributes(s story, user uintptr) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | user,
		Setpgid:    true, Foreground: len(s.Command) > 0 && hasTerminal(),
	}
	if user != 0 {
		a.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return a
}

// hasTerminal reports whether stdin is a terminal and this is its foreground job.
func hasTerminal() bool {
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func takeTerminalBack(command *exec.Cmd) {
	if command.SysProcAttr.Foreground {
		signal.Ignore(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, unix.Getpgrp())
	}
}

// first is the first process of the world: it makes the world, starts the director and
// reaps zombies until the director has ended. Everything ends with it.
func first(s *story) error {
	if os.Getpid() != 1 {
		return errors.New("the first process of a world has PID 1; reaperd demo starts it")
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTTOU)
	word := os.NewFile(wordFD, "word")
	lifeline := os.NewFile(lifelineFD, "lifeline")
	unix.CloseOnExec(lifelineFD)
	if _, err := fmt.Fscanln(lifeline, &s.Outside); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, lifeline)
		os.Exit(1)
	}()
	if err := furnish(); err != nil {
		fmt.Fprint(word, err)
		os.Exit(1)
	}
	_ = word.Close()
	director := part{Role: roleDirector, Argv: []string{"reaperd", "demo"}, Dir: place.home(), Story: s}
	command, err := director.command()
	if err != nil {
		return err
	}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return err
	}
	os.Exit(collect(command.Process.Pid))
	return nil
}

// collect reaps every child until the given one has exited, and returns that one's exit
// code.
func collect(until int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 1
		case pid == until && status.Exited():
			return status.ExitStatus()
		case pid == until && status.Signaled():
			return 128 + int(status.Signal())
		}
	}
}
