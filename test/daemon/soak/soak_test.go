//go:build linux

package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

// The environment of a sweeper.
const (
	envSweeps  = "SOAK_SWEEPS"
	envJournal = "SOAK_JOURNAL"
)

func TestMain(m *testing.M) {
	count, err := strconv.Atoi(os.Getenv(envSweeps))
	if err != nil {
		farm.Main(m)
		return
	}
	if err := sweepMany(context.Background(), count, os.Getenv(envJournal)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// full reports whether the full run is asked for.
func full() bool { return os.Getenv("REAPERD_SOAK") == "full" }

// churn starts sessions and kills them, so that they leave servers and containers behind.
type churn struct {
	live   *farm.Live
	engine *farm.Engine // nil: there is no engine
	turn   int
	boxes  int
	boxed  time.Time // when the last container was started
}

// The pauses between two turns, and between two turns with a container. A sweep takes
// seconds to end a container.
const (
	turnPause = 100 * time.Millisecond
	boxPause  = 4 * time.Second
)

func (c *churn) String() string {
	return fmt.Sprintf("%d sessions, %d of them with a container,", c.turn, c.boxes)
}

// next starts one session and kills it.
func (c *churn) next(t *testing.T) {
	t.Helper()
	<-time.After(turnPause)
	c.turn++
	session := fmt.Sprintf("turn-%d", c.turn)
	part := cast.Claude(session,
		cast.Deaf(cast.Server(session+"-left", "$W/home/dev/mcp-server/dist/index.js", actor.Socket)),
		cast.Server(session+"-ends", "$W/home/dev/mcp-server/dist/index.js", actor.Pipe))
	part.Stdin, part.Stdout = actor.Null, actor.File // the test would keep a terminal of each
	names := []string{session, session + "-left", session + "-ends"}
	if c.engine != nil && time.Since(c.boxed) > boxPause {
		c.boxed, c.boxes = time.Now(), c.boxes+1
		part.Children = append(part.Children, c.engine.Run(session+"-box", actor.Pipe))
		c.engine.Up(t, part, session+"-box")
		names = append(names, session+"-box-client", session+"-box")
	} else {
		c.live.Start(t, []actor.Part{part})
	}
	c.live.KillAll(t, []string{session})
	c.live.Overlook(names...)
}

// raise starts a world with a session that stays and, if this machine has one, an engine.
func raise(t *testing.T) (*farm.Live, *churn) {
	t.Helper()
	live := farm.Raise(t, farm.World{})
	made := &churn{live: live}
	if farm.NoEngine() == "" {
		made.engine = farm.StartEngine(t, live)
	}
	live.Start(t, []actor.Part{cast.Claude("alive", cast.Memory("used", actor.Socket), cast.UVX("git", "mcp-server-git", actor.Pipe))})
	return live, made
}

var used = []string{"alive", "used-npm", "used-sh", "used", "git-uv", "git"}

func TestSweepsLeaveNothingBehindInTheSweeper(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live, churn := raise(t)
		count := 2000
		if full() {
			count = 10000
		}
		command := exec.CommandContext(t.Context(), "/proc/self/exe")
		command.Env = []string{envSweeps + "=" + strconv.Itoa(count), envJournal + "=" + live.Folder.Path("home", "journal.jsonl"), "DOCKER_HOST=" + live.DockerHost()}
		command.Stderr = os.Stderr
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		told := read(t, out, command.Process.Pid)
		for over := false; !over; {
			churn.next(t)
			select {
			case <-told.over:
				over = true
			default:
			}
		}
		if err := command.Wait(); err != nil {
			t.Fatal(err)
		}
		daemon.Live(t, live, used...)
		told.judge(t, churn)
	})
}

// told has the samples that a sweeper has written.
type told struct {
	samples []sample
	over    chan struct{}
}

func read(t *testing.T, out interface{ Read([]byte) (int, error) }, pid int) *told {
	t.Helper()
	made := &told{over: make(chan struct{})}
	go func() {
		defer close(made.over)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var s sample
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Errorf("sample: %v", err)
				return
			}
			s.RSS = daemon.FiguresOf(t, pid).RSS
			made.samples = append(made.samples, s)
		}
	}()
	return made
}

// judge compares the last quarter of the samples with the second.
func (w *told) judge(t *testing.T, churn *churn) {
	t.Helper()
	if len(w.samples) < samples {
		t.Fatalf("%d samples, want %d", len(w.samples), samples)
	}
	last := w.samples[len(w.samples)-1]
	farm.Figure(t, "%d sweeps in %s, %s came and were killed, %d servers and containers reaped, %d acts failed",
		last.Sweeps, last.Took.Round(time.Second), churn, last.Reaped, last.Failed)
	second, end := w.samples[len(w.samples)/4:len(w.samples)/2], w.samples[len(w.samples)*3/4:]
	growth(t, "goroutines", second, end, 3, func(s sample) int { return s.Goroutines })
	growth(t, "descriptors", second, end, 3, func(s sample) int { return s.Files })
	growth(t, "heap in use, kB", second, end, 1024, func(s sample) int { return int(s.Heap >> 10) })
	growth(t, "rss, kB", second, end, 4096, func(s sample) int { return s.RSS })
	if last.Reaped == 0 {
		t.Error("nothing was reaped: this was no churn")
	}
}

// growth fails if the median of the last quarter exceeds that of the second by more than
// allowed.
func growth[S any](t *testing.T, what string, second, last []S, allowed int, of func(S) int) {
	t.Helper()
	before, after := median(second, of), median(last, of)
	farm.Figure(t, "%s: median %d in the second quarter, %d in the last", what, before, after)
	if after > before+allowed {
		t.Errorf("%s grew from %d to %d", what, before, after)
	}
}

func median[S any](of []S, value func(S) int) int {
	values := make([]int, len(of))
	for i, s := range of {
		values[i] = value(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// fewest is how many turns there are at least, however long a slow machine takes.
const fewest = 40

func TestTheDaemonGrowsInNothing(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live, churn := raise(t)
		lasts := 12 * time.Second
		if full() {
			lasts = 8 * time.Minute
		}
		d := daemon.Start(t, live, daemon.Options{Policy: rules})
		var taken []daemon.Figures
		zombies := 0
		began := time.Now()
		for time.Since(began) < lasts || len(taken) < fewest {
			d.Signal(t, unix.SIGHUP)
			churn.next(t)
			taken = append(taken, daemon.FiguresOf(t, d.PID()))
			zombies = max(zombies, taken[len(taken)-1].Zombies)
		}
		took := time.Since(began)
		farm.Eventually(t, "something is reaped", func() bool { return d.Metric(t, "reaperd_actions_total") > 0 })
		daemon.Live(t, live, used...)
		sweeps, reaped := d.Metric(t, "reaperd_sweeps_total"), d.Metric(t, "reaperd_actions_total")
		farm.Figure(t, "%s of `reaperd run`: %v sweeps, %s came and were killed, %v acts, at the end %s", took.Round(time.Second), sweeps, churn, reaped, taken[len(taken)-1])
		second, last := taken[len(taken)/4:len(taken)/2], taken[len(taken)*3/4:]
		growth(t, "descriptors", second, last, 8, func(f daemon.Figures) int { return f.Files })
		growth(t, "threads", second, last, 6, func(f daemon.Figures) int { return f.Threads })
		growth(t, "rss, kB", second, last, 6144, func(f daemon.Figures) int { return f.RSS })
		if zombies > 0 {
			t.Errorf("it did not wait for %d children of its own", zombies)
		}
	})
}

// The limits of what the daemon may use while nothing happens.
const (
	mostMemory = 32 << 10 // kB
	mostCPU    = 0.001    // of a core
)

// warm is how long the daemon runs before it is measured. It reads processes younger than
// a minute at every look.
const warm = 75 * time.Second

// hundreds returns this many sessions, each with three servers (eight processes), and this
// many other processes.
func hundreds(sessions, others int) []actor.Part {
	loop := fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 1000000 & i=$((i+1)); done; wait", others)
	parts := []actor.Part{{Name: "others", Exe: "/bin/sh", Argv: []string{"sh", "-c", loop}, Stdin: actor.Null, Stdout: actor.Null, Setsid: true}}
	for number := range sessions {
		name := fmt.Sprintf("session-%d", number)
		parts = append(parts, cast.Claude(name,
			cast.Memory(name+"-1", actor.Socket), cast.Memory(name+"-2", actor.Pipe), cast.UVX(name+"-3", "mcp-server-git", actor.Pipe)))
	}
	return parts
}

func TestWhatItCostsAmongFiveHundredProcesses(t *testing.T) {
	if !full() {
		t.Skip("left out: takes more than a minute; REAPERD_SOAK=full")
	}
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, hundreds(5, 455))
		d := daemon.Start(t, live, daemon.Options{Policy: "version: 1\nextends: builtin\nmode: enforce\nschedule: \"@every 10s\"\n"})
		<-time.After(warm)
		before, began, sweeps := daemon.CPU(t, d.PID()), time.Now(), d.Metric(t, "reaperd_sweeps_total")
		<-time.After(2 * time.Minute) // the test measures this time
		figures, took := daemon.FiguresOf(t, d.PID()), time.Since(began)
		share := float64(figures.CPU-before) / float64(took)
		farm.Figure(t, "`@every 10s` among %v processes for %s: %v sweeps, cpu %s (%.4f %% of a core), %s",
			d.Metric(t, "reaperd_processes"), took.Round(time.Second), d.Metric(t, "reaperd_sweeps_total")-sweeps, figures.CPU-before, 100*share, figures)
		if figures.Peak > mostMemory {
			t.Errorf("it had %d kB in memory, want under %d", figures.Peak, mostMemory)
		}
		if share > mostCPU {
			t.Errorf("it took %.4f %% of a core, want under %.1f %%", 100*share, 100*mostCPU)
		}
	})
}
