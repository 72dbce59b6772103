//go:build linux

package leaks_test

import (
	"encoding/json"
	"fmt"
	"os"
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
	t.Run("of names nobody has heard of", func(t *testing.T) {
		farm.Run(t, leaks.R3(leaks.Unheard(), 12))
	})
	t.Run("of the names in the report", func(t *testing.T) {
		farm.Run(t, leaks.R3(leaks.Reported(), 12))
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
		says(t, live.Tell(t, "scan", "--settle", "2s"), "11 older generations of 4 servers below codex")

		live.Check(t) // the shipped policy ends none

		live.Rule(leaks.With("duplicates"))
		live.World.Reap = older
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
	t.Run("that nothing names", func(t *testing.T) {
		world := leaks.R2()
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
	used := fmt.Sprintf("mcp-server %d claude-code %d holds its stdin",
		live.Being(t, "used").PID, live.Being(t, "alive").PID)
	says(t, live.Tell(t, "scan", "--settle", "2s"),
		"94 MCP servers: 1 in use, 93 orphaned. Would stop 93 and free ", // how many, and what they take
		used, // which one the session is connected to, and how that was told
		"93 × mcp-server node ~/dev/mcp-server/dist/index.js",
		"nobody alive holds the other end of its stdin", "nobody alive reads its stdout (all 93)", // what became of the others
		"started ",                       // when
		"reaperd explain", "reaperd pin", // and what can be done about one
	)
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
		"started count memory left by", " 23 ", " 24 ",
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
