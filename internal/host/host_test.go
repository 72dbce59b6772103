package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
)

// world is a process table and an engine without a kernel and a socket.
type world struct {
	processes  []inventory.Process
	containers []inventory.Container
	looks      int // at the process table
	err        error
	ended      human.Stop
}

func (w *world) Processes(context.Context) (scan.Look, error) {
	w.looks++
	return scan.Look{Processes: w.processes, Source: inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusOK}}, w.err
}

func (w *world) List(*scan.Look, []int) {}

func (w *world) Process(id inventory.ID) (inventory.Process, error) {
	for _, p := range w.processes {
		if p.ID() == id {
			return p, w.err
		}
	}
	return inventory.Process{}, scan.ErrGone
}

func (w *world) Table() ([]inventory.Row, error) {
	return []inventory.Row{{ID: inventory.ID{PID: 1}}}, w.err
}

func (w *world) Close() error { return nil }

// engine is the world's containers.
type engine struct{ *world }

func (e engine) Containers(context.Context) ([]inventory.Container, []inventory.Source) {
	return e.containers, []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusOK}}
}

func (e engine) Inspect(_ context.Context, id string) (inventory.Container, error) {
	for _, c := range e.containers {
		if c.ID == id {
			return c, e.err
		}
	}
	return inventory.Container{}, docker.ErrGone
}

func (e engine) Stop(context.Context, string, time.Duration) (human.Stop, error) {
	return e.ended, e.err
}
func (e engine) Remove(context.Context, string, bool) error { return e.err }
func (e engine) Sockets() []string                          { return nil }
func (e engine) Events(context.Context) <-chan docker.Event { return nil }
func (e engine) EventsUp() (up, known bool)                 { return false, false }
func (e engine) Close()                                     {}

// on is a host in a world, under a policy that has configuration read.
func on(w *world) *Host {
	return &Host{
		parts:         parts{table: w, engines: engine{w}, whole: &whole{}, log: slog.New(slog.DiscardHandler)},
		catalogue:     Catalogue(&policy.Policy{}),
		configuration: newTestConfiguration(),
	}
}

// session is a live session that works in a folder.
func session(folder string) inventory.Process {
	return inventory.Process{PID: 10, Start: 1, Comm: "claude", Exe: "/usr/bin/claude", Argv: []string{"claude"}, Cwd: folder, UID: inventory.Known(os.Getuid())}
}

func TestTheProcessTableIsReadAgainForConfigurationsThatALookBrings(t *testing.T) {
	here := project(t, "dialpad")
	server := inventory.Process{PID: 11, Start: 1, Argv: []string{"/opt/dialpad"}, UID: inventory.Known(os.Getuid())}
	w := &world{processes: []inventory.Process{session(here.Dir), server}}
	h := on(w)
	for _, look := range []struct {
		says  string
		looks int // all in all
	}{
		{"the first session of a project brings its configuration", 2},
		{"the same session brings nothing new", 3},
	} {
		seen, err := h.Look(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if w.looks != look.looks {
			t.Errorf("%s: the process table was read %d times, want %d", look.says, w.looks, look.looks)
		}
		if got := seen.Processes[1].Configured; got != "dialpad" {
			t.Errorf("%s: the server is configured as %q", look.says, got)
		}
		if !h.whole.Candidate(&server) {
			t.Errorf("%s: a configured server is not read whole", look.says)
		}
	}
	w.processes = w.processes[1:]
	if _, err := h.Look(t.Context(), nil); err != nil || w.looks != 5 {
		t.Errorf("without the session the table was read %d times, want 5: its configuration went with it", w.looks)
	}
}

func TestALookJoinsProcessesAndContainersAndTheirSources(t *testing.T) {
	w := &world{processes: []inventory.Process{{PID: 7, Start: 1}}, containers: []inventory.Container{{ID: "c0"}}}
	seen, err := on(w).Look(t.Context(), nil)
	if err != nil || len(seen.Processes) != 1 || len(seen.Containers) != 1 || len(seen.Sources) != 2 || seen.TakenAt.IsZero() {
		t.Errorf("%+v, %v", seen, err)
	}
}

func TestALookFailsWithTheProcessTable(t *testing.T) {
	broken := errors.New("read /proc: permission denied")
	if _, err := on(&world{err: broken}).Look(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := on(&world{}).Look(interrupted, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestWhatIsReadWhole(t *testing.T) {
	w := &whole{}
	w.use(Catalogue(&policy.Policy{}), newTestConfiguration(), nil)
	for _, row := range []struct {
		says string
		argv []string
		want bool
	}{
		{"a session", []string{"claude"}, true},
		{"a server by its name", []string{"node", "/usr/bin/mcp-server-time"}, true},
		{"docker run", []string{"docker", "run", "-i", "--rm", "mcp/time"}, true},
		{"another command of docker's", []string{"docker", "ps"}, false},
		{"a wrapper", []string{"sh", "-c", "sleep 1"}, false},
		{"anything else", []string{"vim", "mcp-server-notes.md"}, false},
	} {
		if got := w.Candidate(&inventory.Process{PID: 7, Start: 1, Argv: row.argv}); got != row.want {
			t.Errorf("%s: read whole %v, want %v", row.says, got, row.want)
		}
	}
}

func TestWhatHasEndedIsNoError(t *testing.T) {
	h := on(&world{processes: []inventory.Process{{PID: 7, Start: 1}}, containers: []inventory.Container{{ID: "c0"}}})
	if _, there, err := h.Process(inventory.ID{PID: 7, Start: 1}); !there || err != nil {
		t.Errorf("a process that runs: %v, %v", there, err)
	}
	if _, there, err := h.Process(inventory.ID{PID: 7, Start: 2}); there || err != nil {
		t.Errorf("another process of that PID: %v, %v", there, err)
	}
	if _, there, err := h.Container(t.Context(), "c0"); !there || err != nil {
		t.Errorf("a container: %v, %v", there, err)
	}
	if _, there, err := h.Container(t.Context(), "c1"); there || err != nil {
		t.Errorf("a removed container: %v, %v", there, err)
	}
	broken := on(&world{processes: []inventory.Process{{PID: 7, Start: 1}}, err: errors.New("permission denied")})
	if _, there, err := broken.Process(inventory.ID{PID: 7, Start: 1}); there || err == nil {
		t.Errorf("a process that cannot be read: %v, %v", there, err)
	}
}

func TestAContainerThatCannotBeReadIsNotGone(t *testing.T) {
	const id = "c0"
	for _, row := range []struct {
		says string
		w    world
		want bool
	}{
		{"it runs", world{containers: []inventory.Container{{ID: id, State: "running"}}}, false},
		{"it has exited", world{containers: []inventory.Container{{ID: id, State: "exited"}}}, true},
		{"it was removed", world{}, true},
		{"the engine does not answer", world{containers: []inventory.Container{{ID: id, State: "exited"}}, err: errors.New("no answer")}, false},
	} {
		if got, err := (containers{engine{&row.w}}).Gone(t.Context(), id); got != row.want || (err != nil) != (row.w.err != nil) {
			t.Errorf("%s: gone %v, %v", row.says, got, err)
		}
	}
}

func TestPinsOfNowAndOfTheLastLook(t *testing.T) {
	dir := state.Dir(t.TempDir())
	h := on(&world{})
	target := &graph.Target{ID: "7:1", Name: "time"}
	if _, pinned := h.PinnedNow(target); pinned {
		t.Error("pinned without a state directory")
	}
	h.pins = &pins{dir: dir, log: h.log}
	if _, err := h.Look(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := dir.Pin(os.Geteuid(), "", time.Now(), state.PinOfProcess(inventory.ID{PID: 7, Start: 1}, "time", "")); err != nil {
		t.Fatal(err)
	}
	if _, pinned := h.Pinned(target); pinned {
		t.Error("the last look knew of a pin that came later")
	}
	if _, pinned := h.PinnedNow(target); !pinned {
		t.Error("a new pin is not heard")
	}
	if _, err := h.Look(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, pinned := h.Pinned(target); !pinned {
		t.Error("a look does not read the pins")
	}
}

func TestTheHostSeesThisTest(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+t.TempDir()+"/none.sock")
	h, err := Open(Options{Policy: discovering(false), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Skip("this system's process table is not read: ", err)
	}
	defer h.Close()
	seen, err := h.Look(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range seen.Processes {
		if p.PID == os.Getpid() {
			return
		}
	}
	t.Errorf("process %d is not among %d", os.Getpid(), len(seen.Processes))
}
