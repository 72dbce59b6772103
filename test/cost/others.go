//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"github.com/shirou/gopsutil/v3/process"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/scan"
)

// others are what looks at a process table, by the name in the table.
var others = []struct{ name, what string }{
	{"procfs", "prometheus/procfs: AllProcs, Stat, CmdLine"},
	{"gopsutil", "gopsutil v3: Ppid, CreateTime, Cmdline, Status, MemoryInfo, Times, Uids"},
}

// measureOthers measures ps and the libraries against the loop.
func (p *place) measureOthers() error {
	if err := p.measureLoop(9, 0); err != nil {
		return err
	}
	p.rows = append(p.rows, row{Processes: p.size, What: "loop in C", CPU: p.loop, Ratio: 1})
	whole, err := p.runLoop(9, 0, "whole")
	if err != nil {
		return err
	}
	p.add(row{What: "loop in C that also reads owner, exe and cmdline", CPU: whole})
	all, err := p.runLoop(9, 0, "all")
	if err != nil {
		return err
	}
	p.add(row{What: "loop in C that also reads owner, exe, cmdline and descriptors", CPU: all})
	ps := exec.Command("ps", "-eo", "pid,ppid,pgid,sid,uid,lstart,stat,comm,args,time,rss")
	if err := ps.Run(); err == nil {
		p.add(row{What: "ps -eo pid,ppid,…,args,time,rss", CPU: float64((ps.ProcessState.UserTime() + ps.ProcessState.SystemTime()).Microseconds()) / 1000})
	}
	for _, other := range others {
		r, err := p.runOnce(other.name)
		if err != nil {
			return err
		}
		r.What = other.what
		p.add(r)
	}
	return nil
}

// scanOnly measures the scanner alone, whoever holds the pipes of its servers: a
// twentieth of the processes, of many a tenth.
func scanOnly(args []string) error {
	p, err := placeOf(args)
	if err != nil {
		return err
	}
	holders, servers := []string{"session", "nobody", "bystander"}, p.size/20
	if p.size > 2000 {
		holders, servers = holders[:1], p.size/10
	}
	for _, holder := range holders {
		end, err := p.farm(servers, holder)
		if err != nil {
			return err
		}
		if err := p.measureLoop(9, 0); err != nil {
			return err
		}
		for _, name := range []string{"first", "steady"} {
			r, err := p.runOnce(name)
			if err != nil {
				return err
			}
			r.What = fmt.Sprintf("reaperd's scanner, %s look; %d servers whose pipes are held by %s", name, servers, holder)
			p.add(r)
		}
		end()
	}
	return json.NewEncoder(os.Stdout).Encode(p.rows)
}

// runOnce has a process of its own look some times, and once more under strace.
func (p *place) runOnce(name string) (r row, err error) {
	out, err := exec.Command("/proc/self/exe", "once", name, "3").Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, err
	}
	if p.size <= 2000 {
		self, err := os.Executable() // to strace, /proc/self/exe is strace
		if err != nil {
			return r, err
		}
		r.Calls = max(0, straced(self, "once", name, "2")-straced(self, "once", name, "1"))
	}
	return r, nil
}

// straced is how many system calls a command makes; 0 where strace is not there.
func straced(command ...string) float64 {
	log, err := os.CreateTemp("", "calls-")
	if err != nil {
		return 0
	}
	defer os.Remove(log.Name())
	if err := exec.Command("strace", append([]string{"-f", "-c", "-o", log.Name()}, command...)...).Run(); err != nil {
		return 0
	}
	return total(log.Name())
}

// total is the number of calls in a summary of strace.
func total(file string) float64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 4 && fields[len(fields)-1] == "total" {
			calls, _ := strconv.ParseFloat(fields[len(fields)-3], 64)
			if len(fields) == 5 {
				calls, _ = strconv.ParseFloat(fields[3], 64)
			}
			return calls
		}
	}
	return 0
}

// callsOf is how many system calls a daemon makes a second.
func callsOf(pid int) float64 {
	const seconds = 6
	log := filepath.Join(os.TempDir(), "calls-of-"+strconv.Itoa(pid))
	defer os.Remove(log)
	cmd := exec.Command("strace", "-f", "-c", "-o", log, "-p", strconv.Itoa(pid))
	if err := cmd.Start(); err != nil {
		return 0
	}
	await(time.Now().Add(seconds * time.Second))
	_ = cmd.Process.Signal(unix.SIGINT)
	_ = cmd.Wait()
	return total(log) / seconds
}

// once looks as often as it is told, and prints what a look took.
func once(args []string) error {
	times, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	look, done, err := looker(args[0])
	if err != nil {
		return err
	}
	defer done()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from := processorTime(os.Getpid())
	for range times {
		if err := look(); err != nil {
			return err
		}
	}
	used := processorTime(os.Getpid()) - from
	runtime.ReadMemStats(&after)
	return json.NewEncoder(os.Stdout).Encode(row{CPU: used.Seconds() * 1000 / float64(times), Allocs: float64(after.Mallocs-before.Mallocs) / float64(times)})
}

func looker(name string) (look func() error, done func(), err error) {
	switch name {
	case "gopsutil":
		process.EnableBootTimeCache(true)
		return lookWithGopsutil, func() {}, nil
	case "procfs":
		return lookWithProcfs, func() {}, nil
	case "first":
		return func() error {
			s, err := newScanner()
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Processes(context.Background())
			return err
		}, func() {}, nil
	}
	s, err := newScanner()
	if err != nil {
		return nil, nil, err
	}
	look = func() error { _, err := s.Processes(context.Background()); return err }
	for range 3 {
		if err := look(); err != nil {
			return nil, nil, err
		}
	}
	return look, func() { s.Close() }, nil
}

// selection is the daemon's, under one catalogue for ever.
type selection struct{ *graph.Selection }

func (selection) Version() uint64 { return 1 }

func newScanner() (*scan.Scanner, error) {
	rule := graph.NewSelection(catalogue.Remember(catalogue.New()), func(*inventory.Process) bool { return false }).After(nil)
	return scan.New(scan.Options{Candidate: rule.Candidate, Selection: selection{rule}})
}

func lookWithGopsutil() error {
	all, err := process.Processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		_, _ = p.Ppid()
		_, _ = p.CreateTime()
		_, _ = p.Cmdline()
		_, _ = p.Status()
		_, _ = p.MemoryInfo()
		_, _ = p.Times()
		_, _ = p.Uids()
	}
	return nil
}

func lookWithProcfs() error {
	all, err := procfs.AllProcs()
	if err != nil {
		return err
	}
	for _, p := range all {
		_, _ = p.Stat()
		_, _ = p.CmdLine()
	}
	return nil
}
