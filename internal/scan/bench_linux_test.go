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

// cost is what something took: on the clock and of processor time, in
// nanoseconds. The loop in C has one thread; a look may have two, so that both
// are compared.
type cost struct{ Wall, CPU int64 }

// figures are what one farm measured; costs are medians.
type figures struct {
	Skip           string
	Loop           cost // the C loop over /proc/PID/stat
	First          cost // the first look of a new scanner
	Steady         cost // a later look
	Table          cost
	SteadyMallocs  uint64
	Processes      int
	Candidates     int
	CandidateCalls int64 // what asking the caller alone costs
}

// BenchmarkFirstScan2000 compares the first look at 2,000 processes, a
// twentieth of them servers, with a C loop that reads each one's stat:
// x-of-C is the quotient. Everybody's other ends are closed.
func BenchmarkFirstScan2000(b *testing.B) { report(b, first, "2000", "20") }

// BenchmarkFirstScan2000Held is the same with every other end held open by the
// parent, as a session does.
func BenchmarkFirstScan2000Held(b *testing.B) { report(b, first, "2000", "20", "hold") }

// BenchmarkFirstScan2000Stray is the same with every other end held by a
// bystander, so that the descriptors of all processes are walked.
func BenchmarkFirstScan2000Stray(b *testing.B) { report(b, first, "2000", "20", "stray") }

// BenchmarkSteadyScan2000 is a look at processes that have been seen before.
func BenchmarkSteadyScan2000(b *testing.B) { report(b, steady, "2000", "20") }

// BenchmarkSteadyScan2000Held is the same with the other ends held open.
func BenchmarkSteadyScan2000Held(b *testing.B) { report(b, steady, "2000", "20", "hold") }

// BenchmarkDaemonLook500 is what the daemon does every some seconds on a host
// of 500 processes with 50 servers in use.
func BenchmarkDaemonLook500(b *testing.B) { report(b, steady, "500", "10", "hold") }

// BenchmarkTable2000 is the bare table that acting code reads.
func BenchmarkTable2000(b *testing.B) {
	report(b, func(f figures) cost { return f.Table }, "2000", "20")
}

func first(f figures) cost  { return f.First }
func steady(f figures) cost { return f.Steady }

func report(b *testing.B, pick func(figures) cost, farm ...string) {
	needRoot(b)
	loop, farmer := compiled(b, "statloop.c"), compiled(b, "farm.c", "-static")
	for b.Loop() {
		f := runFarm(b, loop, farmer, farm)
		taken := pick(f)
		b.ReportMetric(float64(taken.Wall)/float64(f.Loop.Wall), "x-of-C")
		b.ReportMetric(float64(taken.CPU)/float64(f.Loop.CPU), "x-of-C-cpu")
		b.ReportMetric(float64(taken.Wall)/1e6, "ms-ours")
		b.ReportMetric(float64(taken.CPU)/1e6, "ms-ours-cpu")
		b.ReportMetric(float64(f.Loop.Wall)/1e6, "ms-C")
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
	var loops, firsts, steadies, tables []cost
	for range rounds {
		loop, err := plainLoop()
		if err != nil {
			return f, err
		}
		s, err := New(Options{Candidate: candidateLike})
		if err != nil {
			return f, err
		}
		s.services, s.young = noServices, 0
		runtime.GC()
		var look Look
		first, err := timed(func() (err error) { look, err = s.Processes(context.Background()); return err })
		if err != nil {
			return f, err
		}
		f.Processes = len(look.Processes)
		f.CandidateCalls, f.Candidates = asking(look)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		steady, err := timed(func() error { _, err := s.Processes(context.Background()); return err })
		runtime.ReadMemStats(&after)
		if err != nil {
			return f, err
		}
		f.SteadyMallocs = after.Mallocs - before.Mallocs
		table, err := timed(func() error { _, err := s.Table(); return err })
		if err != nil {
			return f, err
		}
		s.Close()
		loops, firsts = append(loops, loop), append(firsts, first)
		steadies, tables = append(steadies, steady), append(tables, table)
	}
	f.Loop, f.First, f.Steady, f.Table = median(loops), median(firsts), median(steadies), median(tables)
	return f, nil
}

func plainLoop() (c cost, err error) {
	out, err := exec.Command(os.Getenv("SCAN_TEST_LOOP"), "2").Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &c.Wall, &c.CPU)
	}
	return c, err
}

func timed(do func() error) (cost, error) {
	self := os.Getpid()
	from, used := time.Now(), processorTime(self)
	err := do()
	return cost{Wall: time.Since(from).Nanoseconds(), CPU: (processorTime(self) - used).Nanoseconds()}, err
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

func median(of []cost) cost {
	pick := func(by func(cost) int64) int64 {
		values := make([]int64, len(of))
		for i, c := range of {
			values[i] = by(c)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return cost{pick(func(c cost) int64 { return c.Wall }), pick(func(c cost) int64 { return c.CPU })}
}
