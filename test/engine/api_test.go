//go:build linux

package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/leaks"
	"golang.org/x/sys/unix"
)

// A program that speaks to the engine itself is no client that the process table
// shows; what it holds of its container is the container's stdin, and a connection to the
// engine. While it has one, it may wait for the answer of a container whose input has ended.
func TestAContainerStartedOverTheAPI(t *testing.T) {
	within(t, farm.World{}, func(t *testing.T, e *engine) { heldThenLeft(t, e, client.WithHost(e.live.DockerHost())) })
}

// Over `docker context` with ssh only `docker system dial-stdio` runs on the
// engine's host, a process for each connection. None of them names a container, so
// any of them may be anybody's, and both programs leave before either's is judged.
func TestAContainerStartedOverDialStdio(t *testing.T) {
	within(t, farm.World{}, func(t *testing.T, e *engine) {
		heldThenLeft(t, e, client.WithHost("http://engine.example.com"), client.WithDialContext(e.dialStdio))
	})
}

// heldThenLeft starts two containers over the API. A daemon leaves both while they
// are attached, and the one whose attachment has ended while its program has the other; it
// removes both when that has ended too.
func heldThenLeft(t *testing.T, e *engine, reach ...client.Opt) {
	t.Helper()
	first, second := e.attached(t, "first", reach), e.attached(t, "second", reach)
	e.Up(t, session("alive", e.Run("used", actor.Pipe)), "used")
	e.live.World.Answers = []string{"alive used-client"}
	d := daemon.Start(t, e.live, daemon.Options{Policy: leaks.Shipped, Args: []string{"--listen", ""}})
	e.live.Through(t, func() *farm.Report {
		d.AwaitMore(t, 4)
		first.answers(t)
		second.answers(t)
		return d.Report(t)
	})
	e.live.Through(t, func() *farm.Report {
		first.leave(t)
		d.AwaitMore(t, 4)
		second.answers(t)
		return d.Report(t)
	})
	e.live.World.Reap = []string{"first", "second"}
	e.live.Through(t, func() *farm.Report {
		second.leave(t)
		daemon.Gone(t, e.live, "first", "second")
		d.AwaitMore(t, 2)
		return d.Report(t)
	})
}

// attachment is a program's hold on a container of its own.
type attachment struct {
	name   string
	client *client.Client
	stream types.HijackedResponse
}

// attached starts a container as a program does that speaks MCP with it: its stdin
// closes with the first attachment.
func (e *engine) attached(t *testing.T, name string, reach []client.Opt) *attachment {
	t.Helper()
	api, err := client.NewClientWithOpts(append(reach, client.WithAPIVersionNegotiation())...)
	if err != nil {
		t.Fatal(err)
	}
	made, err := api.ContainerCreate(t.Context(), &container.Config{
		Image: farm.Image, Env: []string{farm.Contained(name)},
		OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true,
	}, &container.HostConfig{NetworkMode: "none", AutoRemove: true}, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := api.ContainerAttach(t.Context(), made.ID, container.AttachOptions{Stream: true, Stdin: true, Stdout: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := api.ContainerStart(t.Context(), made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	e.Adopt(t, name)
	a := &attachment{name: name, client: api, stream: stream}
	a.answers(t)
	return a
}

// answers pings what runs in the container. The engine puts eight bytes in front
// of each answer.
func (a *attachment) answers(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(a.stream.Conn, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	line, err := a.stream.Reader.ReadBytes('\n')
	if err != nil || len(line) < 8 || !json.Valid(line[8:]) {
		t.Fatalf("%s answers %q, %v", a.name, line, err)
	}
}

// leave ends the attachment and every connection of its program.
func (a *attachment) leave(t *testing.T) {
	t.Helper()
	a.stream.Close()
	if err := a.client.Close(); err != nil {
		t.Fatal(err)
	}
}

// dialStdio connects to the engine through a `docker system dial-stdio`, whose
// stdin and stdout sshd would hold.
func (e *engine) dialStdio(context.Context, string, string) (net.Conn, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "connection"), os.NewFile(uintptr(pair[1]), "stdio")
	defer ours.Close()
	defer theirs.Close()
	cli, err := exec.LookPath("docker")
	if err != nil {
		return nil, err
	}
	command := exec.Command(cli, "system", "dial-stdio")
	command.Env = append(os.Environ(), "DOCKER_HOST="+e.live.DockerHost(), "HOME="+e.live.Folder.Path("home"))
	command.Stdin, command.Stdout = theirs, theirs
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() { _ = command.Wait() }()
	return net.FileConn(ours)
}
