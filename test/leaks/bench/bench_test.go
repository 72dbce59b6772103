//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/leaks"
)

// envResults is the folder where each run leaves its row. `make bench-scenarios`
// sets it; without it there is nothing to measure for.
const envResults = "REAPERD_BENCH_RESULTS"

// row is what one tool made of one world.
type row struct {
	World, Tool             string
	Reaped, Missed, Wronged int
	Back                    int // containers that came back
	Seconds                 float64
}

func TestMain(m *testing.M) { farm.Main(m) }

func TestScenarios(t *testing.T) {
	folder := os.Getenv(envResults)
	if folder == "" {
		t.Skip("left out: make bench-scenarios runs it")
	}
	for i, s := range scenarios() {
		for j := -1; j < len(s.scripts); j++ {
			name := fmt.Sprintf("%d-%d", i, j+1)
			t.Run(name, func(t *testing.T) { s.run(t, j, filepath.Join(folder, name)) })
		}
	}
	t.Cleanup(func() { show(t, folder) })
}

// run has one tool see to a fresh world: reaperd for -1, else a script.
func (s scenario) run(t *testing.T, tool int, result string) {
	if s.containers == nil {
		world := s.processes()
		farm.Within(t, world, func(t *testing.T, live *farm.Live) {
			live.KillAll(t, world.Kill)
			s.measure(t, live, nil, tool, result)
		})
		return
	}
	leaks.WithEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		s.containers(t, live, engine)
		s.measure(t, live, engine, tool, result)
	})
}

func (s scenario) measure(t *testing.T, live *farm.Live, engine *farm.Engine, tool int, result string) {
	r := row{World: s.name, Tool: "reaperd"}
	if s.byDaemon && tool >= 0 {
		forget(t, live)
	}
	before := running(t, engine)
	r.Reaped, r.Missed, r.Wronged = live.Tally(func() {
		began := time.Now()
		if tool < 0 {
			s.reaperd(t, live)
		} else {
			r.Tool = s.scripts[tool].name()
			s.scripts[tool].run(t, live)
		}
		r.Seconds = time.Since(began).Seconds()
		settled(t)
	})
	for _, id := range running(t, engine) {
		if !slices.Contains(before, id) {
			r.Back++
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(result, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// reaperd sweeps once, or as a daemon until all that must go is gone.
func (s scenario) reaperd(t *testing.T, live *farm.Live) {
	if !s.byDaemon {
		live.Sweep(t)
		return
	}
	d := daemon.Start(t, live, daemon.Options{Policy: live.World.Rules, Args: []string{"--listen", ""}})
	forget(t, live)
	daemon.Gone(t, live, live.World.Reap...)
	d.AwaitMore(t, 3)
}

// forget has the gateway let go of the clients that must go.
func forget(t *testing.T, live *farm.Live) {
	t.Helper()
	var calls []string
	for _, name := range live.World.Reap {
		if strings.HasSuffix(name, "-client") {
			calls = append(calls, name)
		}
	}
	live.Forget(t, "gateway", calls...)
}

func (s script) run(t *testing.T, live *farm.Live) {
	path := live.Folder.Path("run", "cron.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n# "+string(s)+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "/bin/sh", path)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + live.Folder.Path("home"), "DOCKER_HOST=" + live.DockerHost()}
	if text, err := command.CombinedOutput(); err != nil {
		t.Logf("%s: %v\n%s", s.name(), err, text) // killing nobody is no error of theirs either
	}
}

// settled waits until what was told to end has had the time to, and what comes
// back to come back.
func settled(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Second)
	farm.Eventually(t, "the dust has settled", func() bool { return time.Now().After(deadline) })
}

func running(t *testing.T, engine *farm.Engine) []string {
	t.Helper()
	if engine == nil {
		return nil
	}
	return strings.Fields(engine.Docker(t, "ps", "-q", "--no-trunc"))
}

// show prints the rows of all runs.
func show(t *testing.T, folder string) {
	files, err := filepath.Glob(filepath.Join(folder, "*-*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "world\ttool\treaped\tmissed\twrongly killed\tcame back\tseconds")
	last := ""
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r row
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		world := r.World
		if world == last {
			world = ""
		}
		last = r.World
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%.1f\n", world, r.Tool, r.Reaped, r.Missed, r.Wronged, r.Back, r.Seconds)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Print(text.String())
}
