package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/demo/containers"
)

// broom is a process outside the world that removes the demo's image and containers once
// the demo has ended in any way. It starts before they are made.
type broom struct {
	command  *exec.Cmd
	lifeline *os.File // closes when the demo ends
	socket   *os.File // the engine's, for the first process of the world
}

// containersFor gives the story containers, and returns the broom that removes them. If
// no engine can run them, it sets NoContainers and returns nil.
func containersFor(ctx context.Context, s *story) *broom {
	engine, err := containers.Find(ctx)
	if err != nil {
		s.NoContainers = err.Error()
		return nil
	}
	b, err := prepare(ctx, engine, s)
	if err != nil {
		s.Demo, s.NoContainers = "", err.Error()
		return nil
	}
	return b
}

// prepare starts the broom, then builds the image of the story's containers.
func prepare(ctx context.Context, engine *containers.Engine, s *story) (*broom, error) {
	var mark [3]byte
	_, _ = rand.Read(mark[:]) // never fails
	s.Demo = hex.EncodeToString(mark[:])
	socket, err := os.OpenFile(engine.Path(), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	b, err := startBroom(part{Role: roleBroom, Demo: s.Demo, Engine: engine.Path()})
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	b.socket = socket
	if err := engine.Build(ctx, s.Demo, ownFile); err != nil {
		return nil, errors.Join(err, b.sweep())
	}
	return b, nil
}

// ownFile is the path of this program outside the world.
const ownFile = "/proc/self/exe"

// startBroom starts the broom in a session of its own, so that Ctrl-C does not reach it.
func startBroom(p part) (*broom, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	held, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	command := &exec.Cmd{
		Path: ownFile, Args: []string{"reaperd", "demo"}, Env: append(os.Environ(), partVariable+"="+string(text)),
		Stdin: held, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := command.Start(); err != nil {
		return nil, errors.Join(err, lifeline.Close())
	}
	return &broom{command: command, lifeline: lifeline}, nil
}

// sweep makes the broom remove everything, and waits for it. A nil broom has nothing to
// remove.
func (b *broom) sweep() error {
	if b == nil {
		return nil
	}
	_ = b.socket.Close()
	_ = b.lifeline.Close()
	var exit *exec.ExitError
	if err := b.command.Wait(); errors.As(err, &exit) {
		return &EndedError{Code: exit.ExitCode()} // the broom has said why
	} else if err != nil {
		return err
	}
	return nil
}

// files are the descriptors that the first process of the world inherits.
func (b *broom) files() []*os.File {
	if b == nil {
		return nil
	}
	return []*os.File{b.socket}
}
