package simulate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// How many worlds a run has, unless REAPERD_SIMULATE_WORLDS says; the first seed
// is REAPERD_SIMULATE_SEED, or 0. REAPERD_SIMULATE_MANNER makes them all of one manner.
// REAPERD_SIMULATE_OUT is where failures are saved, left out a folder of its own.
const (
	worlds        = 1_200
	worldsInShort = 400
	shards        = 8
	shown         = 2     // failures of one property about one kind
	inTime        = 0.999 // of the provable orphans without a container
	inTimeToo     = 0.995 // of those with one
)

// TestMain collects garbage late: worlds are nothing but garbage soon.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

func number(t *testing.T, variable string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q: want a number", variable, text)
	}
	return n
}

// campaign is many histories, and what came of them.
type campaign struct {
	judge *Judge
	only  manner
	mutex sync.Mutex
	tally Tally
	found map[string][]finding
}

type finding struct {
	script  Script
	failure Failure
}

func (c *campaign) play(seed uint64) {
	script := Write(seed, c.only)
	tally, failures := c.judge.Play(script)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.tally.add(tally)
	for _, f := range failures {
		f.Snapshots = nil // shrinking makes them anew
		key := f.Property + ", " + f.Policy + ": " + f.Kind
		c.found[key] = append(c.found[key], finding{script, f})
		slices.SortStableFunc(c.found[key], func(a, b finding) int { return int(int64(a.script.Seed) - int64(b.script.Seed)) })
		c.found[key] = c.found[key][:min(shown, len(c.found[key]))]
	}
}

func TestHistories(t *testing.T) {
	count := uint64(worlds)
	if testing.Short() {
		count = worldsInShort
	}
	count = number(t, "REAPERD_SIMULATE_WORLDS", count)
	first := number(t, "REAPERD_SIMULATE_SEED", 0)
	c := &campaign{judge: newJudge(t), only: manner(os.Getenv("REAPERD_SIMULATE_MANNER")), tally: newTally(), found: map[string][]finding{}}
	if c.only != "" && !slices.ContainsFunc(events(), func(e event) bool { return e.manner == c.only }) &&
		!slices.ContainsFunc(scenes(), func(s scene) bool { return s.manner == c.only }) {
		t.Fatalf("no manner %q", c.only)
	}
	t.Run("worlds", func(t *testing.T) {
		for shard := range uint64(shards) {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for seed := first + shard; seed < first+count; seed += shards {
					c.play(seed)
				}
			})
		}
	})
	t.Log(c.tally.String())
	c.report(t)
}

// report shrinks what failed, saves it, and fails the test for it; for orphans
// that were left over only where they are more than a few.
func (c *campaign) report(t *testing.T) {
	t.Helper()
	if len(c.found) == 0 {
		return
	}
	folder := os.Getenv("REAPERD_SIMULATE_OUT")
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "reaperd-simulate-"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	few := c.tally.inTime(isContainer) >= inTimeToo && c.tally.inTime(func(kind string) bool { return !isContainer(kind) }) >= inTime
	for _, key := range slices.Sorted(maps.Keys(c.found)) {
		for _, f := range c.found[key] {
			script, failure := c.judge.Shrink(f.script, f.failure)
			say := t.Errorf
			if f.failure.Property == InTime && few {
				say = t.Logf
			}
			say("%s\n    %s\n    %s\n    saved: %s", key, failure.Text, script, save(t, folder, script, failure))
		}
	}
}

// isContainer reports a kind of server that runs in a container.
func isContainer(kind string) bool {
	return slices.Contains([]string{"docker", "one-off", "exec", "compose exec"}, kind)
}

func save(t *testing.T, folder string, s Script, f Failure) string {
	t.Helper()
	fixture, err := NewFixture(s, f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(fixture)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, fixture.Name+".json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSavedWorldsComeOutRight replays what failed once and was saved for good.
func TestSavedWorldsComeOutRight(t *testing.T) {
	judge := newJudge(t)
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no saved worlds: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var fixture Fixture
			if err := json.Unmarshal(data, &fixture); err != nil {
				t.Fatal(err)
			}
			wrong, err := judge.Replay(fixture)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range wrong {
				t.Errorf("%s (%s)", text, fixture.Note)
			}
		})
	}
}
