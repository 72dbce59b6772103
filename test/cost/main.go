//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// roles are what this program does when it runs itself in a namespace.
var roles = map[string]func([]string) error{"world": world, "scan": scanOnly, "once": once}

func main() {
	if len(os.Args) > 1 {
		if role, known := roles[os.Args[1]]; known {
			exitOn(role(os.Args[2:]))
			return
		}
	}
	sizes := flag.String("sizes", "2000,10000", "how many idle `PROCESSES`, one world each")
	out := flag.String("o", "", "also write the table to `FILE`, below its line \"<!-- bench -->\"")
	flag.Parse()
	exitOn(bench(*sizes, *out))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func bench(sizes, file string) error {
	if os.Geteuid() != 0 {
		return errors.New("needs root: the worlds are PID namespaces")
	}
	folder, err := os.MkdirTemp("", "reaperd-cost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := build(folder); err != nil {
		return err
	}
	var rows []row
	for _, text := range strings.Split(sizes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || size < 1 {
			return fmt.Errorf("sizes %q: want numbers of processes", sizes)
		}
		more, err := measure(folder, size)
		if err != nil {
			return fmt.Errorf("world of %d processes: %w", size, err)
		}
		rows = append(rows, more...)
	}
	printTable(os.Stdout, rows)
	if file == "" {
		return nil
	}
	return writeTable(file, rows)
}

// measure measures the daemon and, in a world of its own while the daemon's processes
// grow old, the scanner.
func measure(folder string, size int) ([]row, error) {
	type measured struct {
		rows []row
		err  error
	}
	daemon := make(chan measured, 1)
	go func() {
		rows, err := inNamespace(folder, "world", size)
		daemon <- measured{rows, err}
	}()
	await(time.Now().Add(youngFrom + window + time.Duration(size)*time.Millisecond))
	scanned, err := inNamespace(folder, "scan", size)
	whole := <-daemon
	return append(whole.rows, scanned...), errors.Join(whole.err, err)
}

// build makes the programs: reaperd, the loop, and the farm under both its names.
func build(folder string) error {
	for _, command := range [][]string{
		{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", folder + "/reaperd", "./cmd/reaperd"},
		{"cc", "-O2", "-o", folder + "/loop", "test/cost/c/loop.c"},
		{"cc", "-O2", "-static", "-o", folder + "/farm", "test/cost/c/farm.c"},
		{"cp", folder + "/farm", folder + "/claude"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return nil
}

// inNamespace runs this program as PID 1 of a namespace, and reads the rows that it
// prints. With it everything ends that it started.
func inNamespace(folder, role string, size int) ([]row, error) {
	cmd := exec.Command("/proc/self/exe", role, folder, strconv.Itoa(size))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var rows []row
	return rows, json.Unmarshal(out, &rows)
}

// row is one line of the table. What is zero was not measured.
type row struct {
	Processes int
	What      string
	CPU       float64 // ms a look
	Ratio     float64 // to the loop in C of the same run
	Allocs    float64 // a look
	Calls     float64 // system calls a look
	Resident  float64 // MB
}

func printTable(w io.Writer, rows []row) {
	fmt.Fprintf(w, "| processes | what | ms a look | × C loop | allocations | system calls | resident |\n|---:|---|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(w, "| %d | %s | %.2f | %.2f | %s | %s | %s |\n", r.Processes, r.What, r.CPU, r.Ratio, figure(r.Allocs, ""), figure(r.Calls, ""), figure(r.Resident, " MB"))
	}
}

func figure(value float64, unit string) string {
	if value == 0 {
		return ""
	}
	return strconv.FormatFloat(value, 'f', 0, 64) + unit
}

const tableMark = "<!-- bench -->\n"

// writeTable replaces what stands behind the mark of a file.
func writeTable(file string, rows []row) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, _, found := strings.Cut(string(text), tableMark)
	if !found {
		return fmt.Errorf("%s: no line %q", filepath.Base(file), strings.TrimSpace(tableMark))
	}
	var table strings.Builder
	table.WriteString(before + tableMark + "\n")
	printTable(&table, rows)
	return os.WriteFile(file, []byte(table.String()), 0o644)
}
