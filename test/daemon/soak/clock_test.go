//go:build linux

package soak

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// clockFile contains the error of the stepped daemon's wall clock, in seconds.
const clockFile = "/run/clock-step"

// All namespaces of a host share its wall clock, so a test must not change it. The daemon
// is built with a clock of its own instead: time.Now adds the number in clockFile to the
// wall clock. Like a step of the host's clock, this leaves the monotonic clock alone.
const (
	clockRead = "sec, nsec, mono := runtimeNow()\n"
	// Timers call time.Now where the scheduler must not be told of a system call: only raw
	// calls are allowed.
	clockStep = `
var clockFile = []byte("` + clockFile + `\x00")

func clockStep() (seconds int64) {
	here := -100 // AT_FDCWD
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(here), uintptr(unsafe.Pointer(&clockFile[0])), 0, 0, 0, 0)
	if errno != 0 {
		return 0
	}
	var text [24]byte
	count, _, _ := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
	syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	n := min(int(count), len(text))
	sign := int64(1)
	for _, digit := range text[:max(0, n)] {
		switch {
		case digit == '-':
			sign = -1
		case digit >= '0' && digit <= '9':
			seconds = seconds*10 + int64(digit-'0')
		}
	}
	return sign * seconds
}
`
)

// buildStepped builds reaperd with that clock.
func buildStepped(t *testing.T, folder string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("left out: a daemon with a clock of its own is built with Go: %v", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Skipf("left out: a daemon with a clock of its own is built from Go's sources: %v", err)
	}
	changed := strings.Replace(string(text), clockRead, clockRead+"\tsec += clockStep()\n", 1)
	changed = strings.Replace(changed, "_ \"unsafe\"", "\"syscall\"\n\t\"unsafe\"", 1) + clockStep
	if strings.Count(changed, "clockStep()") != 2 {
		t.Fatal("time.Now is not what this test knows: the clock would not be stepped")
	}
	copied := filepath.Join(folder, "time.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: copied}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{copied: []byte(changed), filepath.Join(folder, "overlay.json"): overlay} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", filepath.Join(folder, "reaperd"), "github.com/reaperd/reaperd/cmd/reaperd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
}

// step sets the error of the daemon's wall clock.
func step(t *testing.T, seconds string) {
	t.Helper()
	if err := os.WriteFile(clockFile+".new", []byte(seconds), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(clockFile+".new", clockFile); err != nil {
		t.Fatal(err)
	}
}

// A step of the wall clock, back or forth, neither makes reaperd end a used server nor
// keep an orphan.
func TestAClockThatIsSteppedChangesNothing(t *testing.T) {
	if !full() {
		t.Skip("left out: it builds Go's standard library (make soak)")
	}
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		server := func(name string) actor.Part {
			return cast.Deaf(cast.Server(name, cast.NPX+"mcp-server-memory", actor.Socket))
		}
		live.Start(t, []actor.Part{cast.Claude("alive", server("alive-server"))})
		buildStepped(t, live.Folder.Path("run"))
		t.Setenv("FARM_PROGRAMS", live.Folder.Path("run"))
		d := daemon.Start(t, live, daemon.Options{Policy: strings.Replace(killing, "for: 0s", "for: 3s", 1)})
		for _, by := range []string{"86400", "-86400", "0", "3600", "-3600"} {
			name := "off-by-" + by
			live.Start(t, []actor.Part{cast.Claude(name, server(name+"-server"))})
			live.KillAll(t, []string{name})
			began := time.Now()
			step(t, by)
			took := daemon.Gone(t, live, name+"-server")
			d.AwaitMore(t, 3)
			daemon.Live(t, live, "alive", "alive-server")
			farm.Figure(t, "the wall clock stepped to %s s off: an orphan went after %s, 3 more sweeps within %s, the server in use lives", by, took.Round(10*time.Millisecond), time.Since(began).Round(10*time.Millisecond))
		}
	})
}
