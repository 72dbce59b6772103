package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// figures are what one farm measured; times are medians in nanoseconds.
type figures struct {
	Skip           string
	Loop           int64 // the C loop over /proc/PID/stat
	First          int64 // the first look of a new scanner
	Steady         int64 // a later look
	SteadyMallocs  uint64
	Table          int64
	Processes      int
	Candidates     int
	CandidateCalls int64 // what asking the caller alone costs
}

// BenchmarkFirstScan2000 compares the first look at 2,000 processes, a
// twentieth of them servers, with a C loop that reads each one's stat:
// x-of-C is the quotient. Everybody's other ends are closed: there is no walk.
func BenchmarkFirstScan2000(b *testing.B) {
	report(b, func(f figures) (int64, string) { return f.First, "x-of-C" }, "2000")
}

// BenchmarkFirstScan2000Held is the same with every other end held open, so
// that all descriptors of all processes are walked for who holds them.
func BenchmarkFirstScan2000Held(b *testing.B) {
	report(b, func(f figures) (int64, string) { return f.First, "x-of-C" }, "2000", "hold")
}

// BenchmarkSteadyScan2000 is a look at processes that have been seen before.
func BenchmarkSteadyScan2000(b *testing.B) {
	report(b, func(f figures) (int64, string) { return f.Steady, "x-of-C" }, "2000")
}

// BenchmarkTable2000 is the bare table that acting code reads.
func BenchmarkTable2000(b *testing.B) {
	report(b, func(f figures) (int64, string) { return f.Table, "x-of-C" }, "2000")
}

func report(b *testing.B, pick func(figures) (int64, string), farm ...string) {
	needRoot(b)
	loop, farmer := compiled(b, "statloop.c"), compiled(b, "farm.c", "-static")
	for b.Loop() {
		f := runFarm(b, loop, farmer, farm)
		taken, unit := pick(f)
		b.ReportMetric(float64(taken)/float64(f.Loop), unit)
		b.ReportMetric(float64(taken)/1e6, "ms-ours")
		b.ReportMetric(float64(f.Loop)/1e6, "ms-C")
		b.ReportMetric(float64(f.SteadyMallocs), "mallocs-steady")
		b.ReportMetric(float64(f.CandidateCalls)/1e6, "ms-asking")
	}
}

// runFarm runs this binary as PID 1 of a PID namespace with a farm in it.
func runFarm(b *testing.B, loop, farmer string, arguments []string) figures {
	cmd := exec.Command(testBinary(b))
	cmd.Env = append(os.Environ(), role+"=farm", "SCAN_TEST_LOOP="+loop, "SCAN_TEST_FARM="+farmer+" "+strings.Join(arguments, " "))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.Output()
	if err != nil {
		b.Skipf("no PID namespace here: %v", err)
	}
	var f figures
	if err := json.Unmarshal(out, &f); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if f.Skip != "" {
		b.Skip(f.Skip)
	}
	return f
}

// measure is what the binary does in the namespace.
func measure() error {
	if err := privateProc(); err != nil {
		return json.NewEncoder(os.Stdout).Encode(figures{Skip: err.Error()})
	}
	farm := strings.Fields(os.Getenv("SCAN_TEST_FARM"))
	cmd := exec.Command(farm[0], farm[1:]...)
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	count, err := strconv.Atoi(farm[1])
	if err != nil {
		return err
	}
	if err := settled(count); err != nil {
		return err
	}
	f, err := compare()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// settled waits until all sleepers have become what they shall be.
func settled(count int) error {
	s, err := New(Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	s.services = noServices
	for range 1000 {
		look, err := s.Processes(context.Background())
		if err != nil {
			return err
		}
		there := 0
		for _, p := range look.Processes {
			if len(p.Argv) == 11 || candidateLike(&p) {
				there++
			}
		}
		if there == count {
			return nil
		}
	}
	return fmt.Errorf("the farm of %d did not come up", count)
}

func noServices(context.Context, bool) (map[int]string, error) { return nil, nil }

// candidateLike asks what a catalogue asks: is the program, or what it runs,
// named like an MCP server.
func candidateLike(p *inventory.Process) bool {
	for i, argument := range p.Argv {
		if i > 2 {
			break
		}
		name := filepath.Base(argument)
		if strings.HasPrefix(name, "mcp-server-") || strings.HasSuffix(name, "-mcp") || strings.Contains(argument, "/mcp-") || name == "mcp" || argument == "--mcp" {
			return true
		}
	}
	return filepath.Base(p.Exe) == "claude"
}

// compare measures the C loop and the scanner in turn, several rounds.
func compare() (figures, error) {
	const rounds = 9
	var f figures
	var loops, firsts, steadies, tables []int64
	for range rounds {
		out, err := exec.Command(os.Getenv("SCAN_TEST_LOOP"), "2").Output()
		if err != nil {
			return f, err
		}
		taken, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return f, err
		}
		loops = append(loops, taken)
		s, err := New(Options{Candidate: candidateLike})
		if err != nil {
			return f, err
		}
		s.services, s.young = noServices, 0
		runtime.GC()
		first, look, err := timed(s)
		if err != nil {
			return f, err
		}
		firsts = append(firsts, first)
		f.Processes = len(look.Processes)
		f.CandidateCalls, f.Candidates = asking(look)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		steady, _, err := timed(s)
		runtime.ReadMemStats(&after)
		if err != nil {
			return f, err
		}
		f.SteadyMallocs = after.Mallocs - before.Mallocs
		steadies = append(steadies, steady)
		from := time.Now()
		if _, err := s.Table(); err != nil {
			return f, err
		}
		tables = append(tables, time.Since(from).Nanoseconds())
		s.Close()
	}
	f.Loop, f.First, f.Steady, f.Table = median(loops), median(firsts), median(steadies), median(tables)
	return f, nil
}

func timed(s *Scanner) (int64, Look, error) {
	from := time.Now()
	look, err := s.Processes(context.Background())
	return time.Since(from).Nanoseconds(), look, err
}

func asking(look Look) (taken int64, candidates int) {
	from := time.Now()
	for i := range look.Processes {
		if candidateLike(&look.Processes[i]) {
			candidates++
		}
	}
	return time.Since(from).Nanoseconds(), candidates
}

func median(of []int64) int64 {
	slices.Sort(of)
	return of[len(of)/2]
}
