//go:build linux

package farm_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// TestReusedPID gives the PID of a process that reaperd is about to end to a stranger, at
// the two moments when only the comparison of identities protects the stranger.
func TestReusedPID(t *testing.T) {
	victims := func() actor.Part {
		return cast.Claude("killed",
			cast.Stubborn(cast.Deaf(cast.Server("victim", cast.NPX+"mcp-server-memory", actor.Socket))),
			cast.Memory("memory", actor.Socket))
	}
	runAll(t, []farm.World{{
		Name:   "the PID is reused between the two looks",
		Settle: 10 * time.Second, // the stranger has that long to come
		Parts:  []actor.Part{victims()},
		Kill:   []string{"killed"},
		Either: []string{"victim"},
		Reap:   []string{cast.Chain("memory")},
		During: func(t *testing.T, live *farm.Live) {
			settling(t, live)
			replace(t, live, "victim")
			if !sweeping(t, live) {
				t.Error("reaperd ended before the stranger was there")
			}
		},
	}, {
		Name:   "the PID is reused between SIGTERM and SIGKILL",
		Parts:  []actor.Part{victims()},
		Kill:   []string{"killed"},
		Either: []string{"victim"},
		Reap:   []string{cast.Chain("memory")},
		Rules:  strings.ReplaceAll(farm.Impatient, "grace: 1s", "grace: 5s"),
		During: func(t *testing.T, live *farm.Live) {
			if _, err := live.Folder.Await("victim.term", actor.Patience); err != nil {
				t.Fatal(err)
			}
			replace(t, live, "victim")
		},
	}})
}

// settling waits until reaperd has looked once and waits for its second look.
func settling(t *testing.T, live *farm.Live) {
	t.Helper()
	pid, err := live.Folder.Await("reaperd.pid", actor.Patience)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	quiet := 0
	farm.Eventually(t, "reaperd has read and waits", func() bool {
		counts, err := os.ReadFile(filepath.Join("/proc", pid, "io"))
		if err != nil {
			t.Fatalf("reaperd ended before it waited: %v", err)
		}
		if text := string(counts); text != last {
			last, quiet = text, 0
		}
		quiet++
		return quiet > 30 && reads(last) > 1000
	})
}

// sweeping reports whether reaperd still runs.
func sweeping(t *testing.T, live *farm.Live) bool {
	t.Helper()
	text, err := live.Folder.Read("reaperd.pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := actor.StatOf(pid)
	return err == nil && fields[0] != "Z"
}

// reads returns how many characters a process has read.
func reads(counts string) int {
	first, _, _ := strings.Cut(strings.TrimPrefix(counts, "rchar: "), "\n")
	number, _ := strconv.Atoi(first)
	return number
}

// replace ends a part and gives its PID to a stranger.
func replace(t *testing.T, live *farm.Live, name string) {
	t.Helper()
	victim := live.Being(t, name)
	live.KillAll(t, []string{name})
	farm.Eventually(t, name+" was waited for", func() bool {
		_, _, exists := victim.State()
		return !exists
	})
	for attempt := range 20 {
		stranger := "stranger-" + strconv.Itoa(attempt)
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(victim.PID-1)), 0); err != nil {
			t.Fatal(err)
		}
		part := cast.Session(stranger, "make")
		part.Argv = []string{"make", "release"}
		live.Start(t, []actor.Part{part})
		if live.Being(t, stranger).PID == victim.PID {
			return
		}
		live.Dismiss(t, stranger)
	}
	t.Fatalf("no stranger got PID %d", victim.PID)
}
