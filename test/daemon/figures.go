//go:build linux

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Figures are a process's use of resources, as the kernel counts it.
type Figures struct {
	RSS, Peak int // kB
	Threads   int
	Files     int // open descriptors
	Zombies   int // dead children that it has not waited for
	CPU       time.Duration
}

func (f Figures) String() string {
	return fmt.Sprintf("rss %d kB, peak %d kB, %d threads, %d descriptors, %d zombies, cpu %s", f.RSS, f.Peak, f.Threads, f.Files, f.Zombies, f.CPU)
}

// FiguresOf measures a process from outside.
func FiguresOf(t *testing.T, pid int) Figures {
	t.Helper()
	folder := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(folder + "/status")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	return Figures{
		RSS: field(string(status), "VmRSS:"), Peak: field(string(status), "VmHWM:"), Threads: field(string(status), "Threads:"),
		Files: len(files), Zombies: zombiesOf(t, pid), CPU: CPU(t, pid),
	}
}

// field returns a number of /proc/PID/status.
func field(status, name string) int {
	_, rest, _ := strings.Cut(status, "\n"+name)
	number, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	number, _, _ = strings.Cut(number, " ")
	value, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return value
}

// CPU returns the processor time of all threads of a process, to the nanosecond. It reads
// the process's clock (clock_getcpuclockid(3)).
func CPU(t *testing.T, pid int) time.Duration {
	t.Helper()
	const scheduled = 2
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &now); err != nil {
		t.Fatalf("read the processor clock of %d: %v", pid, err)
	}
	return time.Duration(now.Nano())
}

func zombiesOf(t *testing.T, pid int) (count int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range processes {
		number, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if fields, err := actor.StatOf(number); err == nil && fields[0] == "Z" && fields[1] == strconv.Itoa(pid) {
			count++
		}
	}
	return count
}

// sum adds the samples of a metric in the text format.
func sum(text, name string, labels []string) (total float64) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest == "" || rest[0] != '{' && rest[0] != ' ' || !hasAll(rest, labels) {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(strings.TrimSpace(rest), ' ')+1:]), 64)
		if err == nil {
			total += value
		}
	}
	return total
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
