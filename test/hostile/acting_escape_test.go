//go:build linux

package hostile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
)

// stormPatience is the time limit for three thousand processes on two busy processors.
const stormPatience = 3 * time.Minute

// actingEscapes starts servers that do onTerm when they get SIGTERM, and waits until
// reaperd has acted on each. It returns the live processes among those that they started.
func actingEscapes(t *testing.T, live *farm.Live, d *daemon.Daemon, name string, number int, onTerm, mark string) []farm.Being {
	t.Helper()
	script := live.Folder.Path("bin", name+".sh")
	text := fmt.Sprintf("trap '%s' TERM\nwhile :; do sleep 1; done\n", onTerm)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d.Does(t, "pause", "1h") // on a busy machine the first would be gone before the last is up
	servers := actingOrphans(t, live, actingCrowdOf{name, actingCrowd, number, "/bin/sh", "exec $P $W/bin/" + name + ".sh"})
	d.Does(t, "resume")
	farm.EventuallyWithin(t, stormPatience, "the servers are gone", func() bool { return actingAlive(servers) == 0 })
	farm.EventuallyWithin(t, stormPatience, "all acts are over", func() bool { return len(actingJournalled(d)) >= 2*number })
	d.AwaitNoAct(t)
	return actingMarked(t, mark)
}

// A tree starts processes when it gets SIGTERM, and the first process adopts them. They
// go with the tree: reaperd freezes and kills them without asking.
func TestNothingIsLeftOfWhatForksAwayWhenItIsAskedToEnd(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, onTerm string
		runs, each   int
	}{
		{"forks", `(exec sleep 86401) & exit`, 50, 1},
		{"twice", `( (trap "" TERM; exec sleep 86401) & ) & exit`, 50, 1},
		{"leads", `(setsid sleep 86401 &) & exit`, 50, 1},
		{"storm", `i=0; while [ $i -lt 60 ]; do i=$((i+1)); ( (exec sleep 86401) & ); done; exit`, 50, 60},
		{"stormleads", `i=0; while [ $i -lt 60 ]; do i=$((i+1)); ( setsid sleep 86401 & ); done; exit`, 10, 60},
	} {
		t.Run(row.name, func(t *testing.T) {
			farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
				d := daemon.Start(t, live, daemon.Options{Policy: actingPolicy("5s")})
				left := actingEscapes(t, live, d, row.name, row.runs, row.onTerm, "86401")
				farm.Figure(t, "%s: %d runs of %d: %d survivors", row.name, row.runs, row.each, len(left))
				if len(left) > 0 {
					t.Errorf("%d of %d live", len(left), row.runs*row.each)
					for _, being := range left {
						t.Log(survivor(being))
					}
					for _, line := range actingJournalled(d) {
						if !strings.Contains(line, `"result":"exited"`) && !strings.Contains(line, `"result":"killed"`) && strings.Contains(line, `"result":`) {
							t.Log(line)
						}
					}
				}
			})
		})
	}
}

// survivor describes a process that should be gone, from its files in /proc.
func survivor(being farm.Being) string {
	text := being.String()
	for _, file := range []string{"stat", "status", "cgroup"} {
		content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", being.PID, file))
		text += "\n" + strings.TrimSpace(string(content))
	}
	for _, fd := range []int{0, 1, 2} {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", being.PID, fd))
		text += fmt.Sprintf("\nfd %d: %s %v", fd, to, err)
	}
	return text
}
