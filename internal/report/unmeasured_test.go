package report

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/usage"
)

// unmeasuredWorld has a session whose container holds a process that only root may measure.
func unmeasuredWorld(uid int, change func(*inventory.Process)) (Input, *graph.Session) {
	w := newWorld("linux", 0)
	w.last.Host.UID = inventory.Known(uid)
	w.session("codex", 12, time.Hour, "/srv", 0)
	box := w.container("github", "/gh1", "mcp/github", time.Hour, 0)
	box.Container.PID = 2066
	inside := inventory.Process{PID: 2066, Start: 1, User: "root", UID: inventory.Known(0), ContainerID: box.ID, CPUSeconds: inventory.Known(1.0), IOChars: inventory.Unreadable[uint64]()}
	change(&inside)
	w.last.Processes = append(w.last.Processes, inside)
	w.keep(box)
	s := &w.sessions[0]
	s.Activity = usage.Activity{Last: usage.Use{Sign: usage.SignUnknown, PID: 2066}}
	s.Target = &graph.Target{ID: s.Process.ID().String(), Kind: graph.KindSession, Name: "codex", Root: s.Process, Incidental: true}
	w.keep(s.Target)
	in := w.input()
	in.Graph.Targets, in.Command, in.Asked = []*graph.Target{box}, "scan", asked.Look{Settle: "30s"}
	return in, &in.Graph.Sessions[0]
}

func TestWhyASessionCannotBeMeasuredIsToldWithWhatHelps(t *testing.T) {
	for _, row := range []struct {
		world   string
		uid     int
		change  func(*inventory.Process)
		command string
		want    string
	}{
		{"root's process in a container", 1000, func(*inventory.Process) {}, "sudo reaperd explain 12", "process 2066 in container gh1 is root's and cannot be measured here: sudo reaperd explain 12"},
		{"in a replay no command helps", 1000, func(*inventory.Process) {}, "", "process 2066 in container gh1 is root's and cannot be measured here"},
		{"a process of this user that shows nothing of itself", 1000, func(p *inventory.Process) { p.UID, p.ContainerID = inventory.Known(1000), "" }, "sudo reaperd explain 12", "process 2066 cannot be measured here: sudo reaperd explain 12"},
		{"a container whose processes are on another machine", 1000, func(p *inventory.Process) { p.PID = 9999 }, "sudo reaperd explain 12", "what container gh1 does cannot be seen here"},
		{"root, and a process that was not seen before", 0, func(*inventory.Process) {}, "sudo reaperd explain 12", "not all of it can be measured (process 2066)"},
	} {
		in, s := unmeasuredWorld(row.uid, row.change)
		if got := Unmeasured(in.Graph, s, row.command); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

// TestAScanSaysWhichSessionsItCouldNotMeasure: they may be idle, and have no row among those that are.
func TestAScanSaysWhichSessionsItCouldNotMeasure(t *testing.T) {
	const note = "note: 1 session could not be measured, and may be idle (codex 12): sudo reaperd explain 12 --settle 30s\n"
	for _, row := range []struct {
		world  string
		change func(*Input)
		want   bool
	}{
		{"a daemon looks all the time", func(in *Input) { in.Daemon = true }, true},
		{"these looks are far apart", func(in *Input) { in.Settle = 30 * time.Second }, true},
		{"two looks of one scan find no idle session anyhow", func(*Input) {}, false},
		{"root's daemon tells a user nothing", func(in *Input) { in.Daemon, in.ForeignDaemon = true, true }, false},
		{"it has run for less time than an idle session must have done nothing", func(in *Input) { in.Daemon, in.IdleFor = true, 2*time.Hour }, false},
	} {
		in, _ := unmeasuredWorld(1000, func(*inventory.Process) {})
		row.change(&in)
		var out strings.Builder
		if err := Table(&out, in, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), note); got != row.want {
			t.Errorf("%s: the note is there: %v\n%s", row.world, got, out.String())
		}
	}
}

// TestWhatMeasuresASessionForRootLooksForLongEnough: a look that is shorter than a session must do nothing
// shows none.
func TestWhatMeasuresASessionForRootLooksForLongEnough(t *testing.T) {
	for _, row := range []struct {
		world   string
		idleFor time.Duration
		others  beside.Daemons
		want    string
	}{
		{"as long as a person waits", 5 * time.Minute, nil, ": sudo reaperd explain 12 --settle 5m\n"},
		{"longer", time.Hour, nil, ": only a daemon of root can tell (sudo reaperd run)\n"},
		{"root's daemon has looked", time.Hour, beside.Daemons{{User: "root", PID: 7}}, ": sudo reaperd scan\n"},
	} {
		in, _ := unmeasuredWorld(1000, func(*inventory.Process) {})
		in.Daemon, in.IdleFor, in.Beside = true, row.idleFor, row.others
		if got := table(t, in); !strings.Contains(got, "may be idle (codex 12)"+row.want) {
			t.Errorf("%s: no %q in\n%s", row.world, row.want, got)
		}
	}
}

// TestASessionThatTheDaemonSawInUseIsNotSaidToIdle, whatever else of it cannot be measured.
func TestASessionThatTheDaemonSawInUseIsNotSaidToIdle(t *testing.T) {
	for _, row := range []struct {
		world string
		ago   time.Duration // zero: it never saw it in use
		note  bool
		idle  string
	}{
		{"a moment ago", 4 * time.Second, false, "idle       no: it was in use 4s ago\n"},
		{"longer ago than an idle session must have done nothing", 31 * time.Minute, true, "idle       unknown: process 2066"},
		{"never", 0, true, "idle       unknown: process 2066"},
	} {
		in, s := unmeasuredWorld(1000, func(*inventory.Process) {})
		in.Daemon, in.IdleFor = true, 30*time.Minute
		if row.ago > 0 {
			s.Activity.UsedAt = noon.Add(-row.ago)
		}
		if got := table(t, in); strings.Contains(got, "may be idle") != row.note {
			t.Errorf("%s: the note is there: %v\n%s", row.world, !row.note, got)
		}
		if got := explained(t, in, s.Process.ID().String()); !strings.Contains(got, row.idle) {
			t.Errorf("%s: no %q in\n%s", row.world, row.idle, got)
		}
	}
}
