//go:build linux

package leaks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/leaks"
)

func TestMain(m *testing.M) { farm.MainOf(m, 6) }

// in runs body in a world of its own, once its killed are dead.
func in(t *testing.T, world farm.World, body func(t *testing.T, live *farm.Live)) {
	t.Helper()
	farm.Within(t, world, func(t *testing.T, live *farm.Live) {
		live.KillAll(t, world.Kill)
		body(t, live)
	})
}

// of is the target of a part, which must be there.
func of(t *testing.T, live *farm.Live, report *farm.Report, name string) farm.Target {
	t.Helper()
	target, ok := report.Of(live.Being(t, name))
	if !ok {
		t.Errorf("%s: in no target", name)
	}
	return target
}

// counted are the targets of a finding.
func counted(report *farm.Report, finding string) (count int) {
	for _, target := range report.Targets {
		if target.Finding == finding {
			count++
		}
	}
	return count
}

// says checks that a text for people has all these parts, however it is broken
// into lines.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(flat, part) {
			t.Errorf("not said: %q", part)
		}
	}
	if t.Failed() {
		t.Logf("said:\n%s", text)
	}
}

func TestR3ServersThatALiveDaemonDropped(t *testing.T) {
	t.Parallel()
	t.Run("of names that are only likely to be servers', which wait for ten minutes at rest", func(t *testing.T) {
		world := leaks.R3(leaks.Unheard(), 12)
		dropped := world.Reap
		world.Reap = nil
		farm.Within(t, world, func(t *testing.T, live *farm.Live) {
			live.Check(t)
			report := live.Scan(t, "--settle", "2s")
			for _, name := range dropped {
				if target := of(t, live, report, name); target.Finding != "disconnected" || target.Decision != "pending" || !strings.Contains(target.Reason, "at rest for 10m") {
					t.Errorf("%s: want it pending until it has been at rest, got %v", name, target)
				}
			}
		})
	})
	t.Run("of the names in the report, which the client is configured with", func(t *testing.T) {
		farm.Within(t, leaks.R3(leaks.Reported(), 12), func(t *testing.T, live *farm.Live) {
			write(t, live, "home/.codex/config.toml", leaks.Codex)
			live.Check(t)
		})
	})
}

func TestR3GenerationsThatALiveDaemonStillHolds(t *testing.T) {
	servers := leaks.Reported()
	older := leaks.Older(servers, 12)
	in(t, leaks.R3Held(servers, 12), func(t *testing.T, live *farm.Live) {
		report := live.Scan(t)
		for _, name := range older {
			if target := of(t, live, report, name); target.Finding != "duplicate" || target.Decision != "keep" || target.Action != "report" {
				t.Errorf("%s: want a duplicate that is only reported, got %v", name, target)
			}
		}
		if count := counted(report, "duplicate"); count != len(older) {
			t.Errorf("%d duplicates, want %d: the newest and what works are none", count, len(older))
		}
		live.Check(t) // the shipped policy ends none

		// No rule ends them either: codex does not start a server again that has ended.
		live.Rule(leaks.With("duplicates"))
		served(t, live)
	})
}

func TestR3ServersOfUnheardNamesAreNeverDuplicates(t *testing.T) {
	servers := leaks.Unheard()
	world := leaks.R3Held(servers, 3)
	world.Rules = leaks.Everything()
	in(t, world, served)
}

func TestR2CopiesOfANativeServer(t *testing.T) {
	t.Parallel()
	t.Run("that the client's configuration names", func(t *testing.T) {
		in(t, leaks.R2(), func(t *testing.T, live *farm.Live) {
			write(t, live, "home/.openclaw/openclaw.json", leaks.OpenClaw)
			report := live.Scan(t, "--settle", "1s")
			for _, name := range []string{"left-1", "held", "used"} {
				if target := of(t, live, report, name); target.Name != "dialpad" || !strings.Contains(target.Recognised, "configuration") {
					t.Errorf("%s: want it known by configuration as dialpad, got %q: %s", name, target.Name, target.Recognised)
				}
			}
			live.Check(t)
		})
	})
	t.Run("that a file of the gateway's folder names, and the rule for duplicates ends older ones", func(t *testing.T) {
		world := leaks.R2()
		world.Rules = leaks.With("duplicates")
		world.Answers = []string{"gateway used"}
		world.Reap = append(world.Reap, "held")
		in(t, world, func(t *testing.T, live *farm.Live) {
			write(t, live, "home/openclaw/openclaw.json", leaks.OpenClaw)
			served(t, live)
		})
	})
	t.Run("that nothing names: those that were let go of are only likely to be servers", func(t *testing.T) {
		world := leaks.R2()
		world.Reap = nil
		world.Rules = leaks.Everything() // by shape alone the held one is never a duplicate
		in(t, world, func(t *testing.T, live *farm.Live) {
			report := live.Scan(t, "--settle", "1s")
			if target := of(t, live, report, "used"); target.Name != "dialpad-messaging" || !strings.Contains(target.Recognised, "holds its stdin and its stdout") {
				t.Errorf("used: want it known by shape, got %q: %s", target.Name, target.Recognised)
			}
			served(t, live)
		})
	})
}

func write(t *testing.T, live *farm.Live, path, text string) {
	t.Helper()
	path = live.Folder.Path(path)
	if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestR4NinetyFourCopies(t *testing.T) {
	world := leaks.R4(94)
	farm.Within(t, world, func(t *testing.T, live *farm.Live) {
		before := live.Tell(t, "snapshot")
		live.KillAll(t, world.Kill)
		asked(t, live)
		since(t, live, before)
		live.Check(t)
	})
}

// asked compares what a scan answers with what the reporter asked.
func asked(t *testing.T, live *farm.Live) {
	t.Helper()
	used := fmt.Sprintf("claude-code %d holds its stdin", live.Being(t, "alive").PID)
	says(t, live.Tell(t, "scan", "--settle", "2s"),
		"93 MCP servers leaked, ", "; 1 in use.", // how many, and what they take
		"mcp-server × 93", "s old", // what they are, and since when
		fmt.Sprintf("claude-code %d", live.Being(t, "alive").PID), // who has the other
		"reaperd explain PID", "reaperd pin NAME", // and what can be done about one
	)
	says(t, live.Tell(t, "explain", "--settle", "2s", strconv.Itoa(live.Being(t, "used").PID)), used)
	says(t, live.Tell(t, "explain", "--settle", "2s", strconv.Itoa(live.Being(t, "copy-01").PID)),
		"nobody alive holds the other end of its stdin", "nobody alive reads its stdout")
}

// since replays the world as it would be if its copies had started in the
// course of days, with a look from the time when their clients lived.
func since(t *testing.T, live *farm.Live, before string) {
	t.Helper()
	args := []string{"scan"}
	for number, text := range []string{before, live.Tell(t, "snapshot"), live.Tell(t, "snapshot")} {
		path := live.Folder.Path("run", fmt.Sprintf("snapshot-%d.json", number))
		if err := os.WriteFile(path, aged(t, text, parents(t, before)), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--snapshot", path)
	}
	says(t, live.Tell(t, args...),
		"ended ", "mcp-server × 23", "mcp-server × 24",
		fmt.Sprintf("claude-code %d", live.Being(t, "killed-1").PID), fmt.Sprintf("claude-code %d", live.Being(t, "killed-2").PID),
		fmt.Sprintf("claude-code %d", live.Being(t, "killed-3").PID), fmt.Sprintf("run-tests %d", live.Being(t, "tests").PID))
}

// parents are the parents of all processes of a snapshot.
func parents(t *testing.T, text string) map[int]int {
	t.Helper()
	of := map[int]int{}
	for _, process := range processes(t, text)["processes"].([]any) {
		fields := process.(map[string]any)
		parent, _ := fields["ppid"].(float64)
		of[int(fields["pid"].(float64))] = int(parent)
	}
	return of
}

func processes(t *testing.T, text string) map[string]any {
	t.Helper()
	var snapshot map[string]any
	if err := json.Unmarshal([]byte(text), &snapshot); err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return snapshot
}

// aged has the children of each client start as many days ago as the client's
// PID says.
func aged(t *testing.T, text string, parent map[int]int) []byte {
	t.Helper()
	snapshot := processes(t, text)
	for _, process := range snapshot["processes"].([]any) {
		fields := process.(map[string]any)
		at, err := time.Parse(time.RFC3339, fields["started_at"].(string))
		if err != nil {
			t.Fatal(err)
		}
		days := parent[int(fields["pid"].(float64))]
		fields["started_at"] = at.AddDate(0, 0, -days).Format(time.RFC3339Nano)
	}
	data, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
