package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/eventually"
)

// testLabel marks what a test made; its value is the test's own. Nothing else
// is ever touched on a real engine.
const testLabel = "io.reaperd.test"

// lab is a real engine, in which one test has a label and an image of its own.
type lab struct {
	t       *testing.T
	api     *client.Client
	engines *Engines
	label   string
	image   string
}

// newLab takes the engine that REAPERD_TEST_DOCKER_HOST names, as a path or a
// unix:// address. Without it the test is skipped, or fails where
// REAPERD_TEST_REQUIRE says docker.
func newLab(t *testing.T) *lab {
	t.Helper()
	host := os.Getenv("REAPERD_TEST_DOCKER_HOST")
	if host == "" {
		const why = "no engine to test with: set REAPERD_TEST_DOCKER_HOST=unix:///path/docker.sock"
		if strings.Contains(os.Getenv("REAPERD_TEST_REQUIRE"), "docker") {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if strings.HasPrefix(host, "/") {
		host = "unix://" + host
	}
	api, err := client.NewClientWithOpts(client.WithHost(host), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	env := HostEnvironment()
	env.Getenv = func(name string) string { return map[string]string{"DOCKER_HOST": host}[name] }
	name := fmt.Sprintf("%s-%d-%d", strings.ToLower(t.Name()), os.Getpid(), time.Now().UnixNano())
	l := &lab{t: t, api: api, engines: New(Options{Environment: env, Timeout: time.Minute}), label: name, image: "reaperd-test:" + name}
	t.Cleanup(l.clear)
	l.importImage()
	return l
}

// clear takes off what this test made, and nothing else.
func (l *lab) clear() {
	ctx := context.Background()
	mine := filters.NewArgs(filters.Arg("label", testLabel+"="+l.label))
	containers, err := l.api.ContainerList(ctx, container.ListOptions{All: true, Filters: mine})
	if err != nil {
		l.t.Error(err)
	}
	for _, c := range containers {
		_ = l.api.ContainerRemove(ctx, c.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
	}
	for _, c := range containers {
		eventually.Holds(l.t, "container "+short(c.ID)+" is taken off", func() bool {
			_, err := l.api.ContainerInspect(ctx, c.ID)
			return isGone(err)
		})
	}
	_, _ = l.api.ImageRemove(ctx, l.image, image.RemoveOptions{Force: true})
	l.engines.Close()
	l.api.Close()
}

// importImage makes an image of one static program, without a registry.
func (l *lab) importImage() {
	l.t.Helper()
	binary := filepath.Join(l.t.TempDir(), "server")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./testdata/server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		l.t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		l.t.Fatal(err)
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	if err := archive.WriteHeader(&tar.Header{Name: "server", Mode: 0o755, Size: int64(len(program))}); err != nil {
		l.t.Fatal(err)
	}
	if _, err := archive.Write(program); err != nil {
		l.t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		l.t.Fatal(err)
	}
	answer, err := l.api.ImageImport(l.t.Context(), image.ImportSource{Source: &layer, SourceName: "-"}, l.image, image.ImportOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	defer answer.Close()
	if _, err := io.Copy(io.Discard, answer); err != nil {
		l.t.Fatal(err)
	}
}

// guest is what a test wants to run.
type guest struct {
	mode   string // of testdata/server
	stays  bool   // no --rm
	stdin  bool   // docker run -i
	bind   string // source:destination
	volume string // an anonymous one, at this path
}

// started is a container that runs; hang up ends its input.
type started struct {
	id     string
	hangUp func()
}

func (l *lab) run(g guest) started {
	l.t.Helper()
	ctx := l.t.Context()
	config := &container.Config{
		Image: l.image, Cmd: []string{"/server", g.mode}, Labels: map[string]string{testLabel: l.label},
		OpenStdin: g.stdin, StdinOnce: g.stdin, AttachStdin: g.stdin, AttachStdout: g.stdin,
	}
	if g.volume != "" {
		config.Volumes = map[string]struct{}{g.volume: {}}
	}
	hostConfig := &container.HostConfig{NetworkMode: "none", AutoRemove: !g.stays}
	if g.bind != "" {
		source, destination, _ := strings.Cut(g.bind, ":")
		hostConfig.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: source, Target: destination}}
	}
	created, err := l.api.ContainerCreate(ctx, config, hostConfig, nil, nil, "")
	if err != nil {
		l.t.Fatal(err)
	}
	s := started{id: created.ID, hangUp: func() {}}
	if g.stdin {
		s.hangUp = l.attach(created.ID)
	}
	if err := l.api.ContainerStart(ctx, created.ID, container.StartOptions{}); err != nil {
		l.t.Fatal(err)
	}
	l.awaitReady(created.ID)
	return s
}

// attach is what the client of docker run -i does.
func (l *lab) attach(id string) (hangUp func()) {
	l.t.Helper()
	stream, err := l.api.ContainerAttach(l.t.Context(), id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(stream.Close)
	return func() { closeWrite(stream) }
}

func closeWrite(stream types.HijackedResponse) { _ = stream.CloseWrite() }

// awaitReady waits until the program has set up its signals.
func (l *lab) awaitReady(id string) {
	l.t.Helper()
	eventually.Holds(l.t, "the program in "+short(id)+" is ready", func() bool {
		logs, err := l.api.ContainerLogs(l.t.Context(), id, container.LogsOptions{ShowStdout: true})
		if err != nil {
			return false
		}
		defer logs.Close()
		out, _ := io.ReadAll(logs)
		return bytes.Contains(out, []byte("ready"))
	})
}

// look is the container as a look sees it.
func (l *lab) look(id string) (inventory.Container, inventory.Source) {
	l.t.Helper()
	containers, sources := l.engines.Containers(l.t.Context())
	source := only(l.t, sources)
	if source.Status != inventory.StatusOK {
		l.t.Fatalf("source %+v", source)
	}
	at := slices.IndexFunc(containers, func(c inventory.Container) bool { return c.ID == id })
	if at < 0 {
		l.t.Fatalf("container %s is not listed", short(id))
	}
	return containers[at], source
}

func TestRealContainerIsRead(t *testing.T) {
	l := newLab(t)
	box := l.run(guest{mode: "ignore-eof", stdin: true})
	got, source := l.look(box.id)
	if got.State != "running" || got.Image != l.image || got.Labels[testLabel] != l.label || got.PID <= 0 ||
		!slices.Equal(got.Command, []string{"/server", "ignore-eof"}) ||
		!got.OpenStdin.Or(false) || !got.StdinOnce.Or(false) || !got.AutoRemove.Or(false) ||
		got.CreatedAt.IsZero() || got.StartedAt.Before(got.CreatedAt) || !got.FinishedAt.IsZero() || got.Name == "" {
		t.Errorf("container %+v", got)
	}
	if source.Engine == "" || got.Engine != source.Endpoint {
		t.Errorf("source %+v", source)
	}
	fresh, err := l.engines.Inspect(t.Context(), box.id)
	if err != nil || fresh.PID != got.PID || !fresh.StartedAt.Equal(got.StartedAt) {
		t.Errorf("inspected afresh: %+v, %v", fresh, err)
	}
}

// here skips where the engine's processes are not in this process table,
// or their descriptors may not be read.
func (l *lab) here(pid int) {
	l.t.Helper()
	if _, err := procfs("/proc").stdinPipe(pid); err != nil {
		l.t.Skipf("needs root beside the engine's processes: %v", err)
	}
}

func TestRealStdinTellsAboutTheRunner(t *testing.T) {
	l := newLab(t)
	held, dropped := l.run(guest{mode: "ignore-eof", stdin: true}), l.run(guest{mode: "ignore-eof", stdin: true})
	detached := l.run(guest{mode: "ignore-eof"})
	got, _ := l.look(held.id)
	l.here(got.PID)
	dropped.hangUp()
	eventually.Holds(t, "the shim drops the end", func() bool {
		got, err := l.engines.Inspect(t.Context(), dropped.id)
		return err == nil && got.Stdin == inventory.PeerClosed
	})
	if got, _ := l.look(held.id); got.Stdin != inventory.PeerOpen {
		t.Errorf("stdin of the one that is held is %q", got.Stdin)
	}
	if got, _ := l.look(dropped.id); got.Stdin != inventory.PeerClosed {
		t.Errorf("stdin of the one that was dropped is %q", got.Stdin)
	}
	if got, _ := l.look(detached.id); got.Stdin != "" {
		t.Errorf("stdin of the one that has none is %q", got.Stdin)
	}
}

func TestRealContainerEnds(t *testing.T) {
	l := newLab(t)
	bystander := l.run(guest{mode: "obey", stdin: true})
	tests := []struct {
		name  string
		guest guest
		grace time.Duration
		want  human.Stop
	}{
		{"at TERM, and removes itself", guest{mode: "ignore-eof", stdin: true}, time.Minute, human.StoppedByItself},
		{"at TERM, and stays", guest{mode: "ignore-eof", stays: true}, time.Minute, human.StoppedByItself},
		{"by force, and removes itself", guest{mode: "ignore-term", stdin: true}, time.Second, human.StoppedByKill},
		{"by force, and stays", guest{mode: "ignore-term", stays: true}, time.Second, human.StoppedByKill},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			box := l.run(tt.guest)
			ended, err := l.engines.Stop(t.Context(), box.id, tt.grace)
			if err != nil || ended != tt.want {
				t.Fatalf("ended %q, %v; want %q", ended, err, tt.want)
			}
			if gone, err := l.engines.Gone(t.Context(), box.id); gone == tt.guest.stays || err != nil {
				t.Errorf("gone %v, %v", gone, err)
			}
			after := human.StoppedAbsent
			if tt.guest.stays {
				after = human.StoppedBefore
			}
			if ended, err := l.engines.Stop(t.Context(), box.id, tt.grace); err != nil || ended != after {
				t.Errorf("stopped again: %q, %v", ended, err)
			}
			if err := l.engines.Remove(t.Context(), box.id, false); err != nil {
				t.Fatal(err)
			}
			if gone, err := l.engines.Gone(t.Context(), box.id); !gone || err != nil {
				t.Errorf("after its removal: gone %v, %v", gone, err)
			}
		})
	}
	if got, _ := l.look(bystander.id); got.State != "running" {
		t.Errorf("the one beside them is %s", got.State)
	}
}

// TestRealRemovalTakesAVolumeWhereItIsAskedTo: what is in it may be the only copy.
func TestRealRemovalTakesAVolumeWhereItIsAskedTo(t *testing.T) {
	l := newLab(t)
	for _, taken := range []bool{true, false} {
		box := l.run(guest{mode: "ignore-term", stays: true, volume: "/data"})
		inspected, err := l.api.ContainerInspect(t.Context(), box.id)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.engines.Remove(t.Context(), box.id, taken); err != nil {
			t.Fatal(err)
		}
		name := inspected.Mounts[0].Name
		left, err := l.api.VolumeList(t.Context(), volume.ListOptions{Filters: filters.NewArgs(filters.Arg("name", name))})
		if err != nil || (len(left.Volumes) == 0) != taken {
			t.Errorf("asked to take it: %v; volumes left %v, %v", taken, left.Volumes, err)
		}
		if err := l.api.VolumeRemove(t.Context(), name, true); err != nil && !taken {
			t.Error(err)
		}
	}
}

func TestRealManyAtOnce(t *testing.T) {
	l := newLab(t)
	var boxes []started
	for range 6 {
		boxes = append(boxes, l.run(guest{mode: "ignore-eof", stdin: true}))
	}
	l.look(boxes[0].id)
	each(2*len(boxes), 8, func(i int) { // every one twice, as two hands at once
		box := boxes[i%len(boxes)]
		if _, err := l.engines.Stop(t.Context(), box.id, time.Minute); err != nil {
			t.Error(err)
		}
		if err := l.engines.Remove(t.Context(), box.id, false); err != nil {
			t.Error(err)
		}
	})
	for _, box := range boxes {
		if gone, err := l.engines.Gone(t.Context(), box.id); !gone || err != nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	}
}

func TestRealNameIsRefused(t *testing.T) {
	l := newLab(t)
	box := l.run(guest{mode: "obey", stdin: true})
	got, _ := l.look(box.id)
	for _, name := range []string{got.Name, short(box.id)} {
		if _, err := l.engines.Stop(t.Context(), name, 0); err == nil {
			t.Errorf("%q was stopped", name)
		}
		if err := l.engines.Remove(t.Context(), name, false); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	if got, _ := l.look(box.id); got.State != "running" {
		t.Errorf("it is %s", got.State)
	}
}

func TestRealExecIsSeenWhileItRuns(t *testing.T) {
	l := newLab(t)
	box := l.run(guest{mode: "obey", stdin: true})
	created, err := l.api.ContainerExecCreate(t.Context(), box.id, container.ExecOptions{Cmd: []string{"/server", "ignore-eof"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.api.ContainerExecStart(t.Context(), created.ID, container.ExecStartOptions{Detach: true}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the exec is seen", func() bool {
		got, _ := l.look(box.id)
		return len(got.ExecPIDs) == 1 && got.ExecPIDs[0] > 0 && got.ExecPIDs[0] != got.PID
	})
}

func TestRealRunnersAreVisible(t *testing.T) {
	l := newLab(t)
	box := l.run(guest{mode: "obey", stdin: true})
	got, source := l.look(box.id)
	l.here(got.PID)
	if visible, known := source.RunnersVisible.Get(); !known {
		t.Fatalf("source %+v", source)
	} else if !visible && strings.Contains(source.Reason, "also listens") {
		t.Skip("this engine has another door: " + source.Reason)
	} else if !visible {
		t.Fatalf("source %+v", source)
	}
	socket := strings.TrimPrefix(source.Endpoint, "unix://")
	door := l.run(guest{mode: "ignore-eof", bind: socket + ":/engine"})
	if got, source := l.look(door.id); !got.HasEngine || !source.RunnersVisible.Or(false) {
		t.Errorf("it has the engine's socket: %+v, source %+v", got, source)
	}
}

func TestRealListenerIsSeen(t *testing.T) {
	l := newLab(t)
	box := l.run(guest{mode: "obey", stdin: true})
	got, source := l.look(box.id)
	l.here(got.PID)
	conn, err := net.Dial("unix", strings.TrimPrefix(source.Endpoint, "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if who := listener(conn.(*net.UnixConn)); !procfs("/proc").visible(who.pid) {
		t.Errorf("listener %+v", who)
	}
}

func TestRealEventsWake(t *testing.T) {
	l := newLab(t)
	events := l.engines.Events(t.Context())
	var got []string
	for len(got) == 0 { // until the stream has begun
		box := l.run(guest{mode: "obey", stdin: true})
		box.hangUp()
		timeout := time.After(2 * time.Second) // then the stream began after this container's end
		for open := true; open; {
			select {
			case event := <-events:
				if event.ID == box.id {
					got, timeout = append(got, event.Action), time.After(time.Minute)
					open = event.Action != "destroy"
				}
			case <-timeout:
				open = false
			}
		}
	}
	if !slices.Contains(got, "die") || !slices.Contains(got, "destroy") {
		t.Errorf("events %q", got)
	}
}
