//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Of the world of the daemon: how many servers its session has, when the first of two
// windows begins and how long each is, and from which age on no process is young.
const (
	servers   = 9
	youngFrom = 5 * time.Second
	window    = 12 * time.Second
	grown     = 62 * time.Second
)

// place is a world: its programs, and what it has been told.
type place struct {
	folder string
	size   int
	loop   float64 // ms of processor time of the loop, when it was measured last
	rows   []row
}

func placeOf(args []string) (*place, error) {
	size, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, err
	}
	return &place{folder: args[0], size: size}, unix.Mount("proc", "/proc", "proc", 0, "")
}

// add adds a row with the ratio to the loop that was measured last.
func (p *place) add(r row) {
	r.Processes, r.Ratio = p.size, r.CPU/p.loop
	p.rows = append(p.rows, r)
}

// farm starts the processes, and waits until all are there.
func (p *place) farm(servers int, holder string) (end func(), err error) {
	cmd := exec.Command(p.folder+"/farm", strconv.Itoa(p.size), strconv.Itoa(servers), holder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	return endAll, nil
}

// endAll ends every process of this namespace but the first, which is this one: the
// namespace is its own.
func endAll() {
	if os.Getpid() != 1 {
		return
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil {
			return
		}
	}
}

// measureLoop has the loop make some passes with a pause before each; the median.
func (p *place) measureLoop(passes int, pause time.Duration) (err error) {
	p.loop, err = p.runLoop(passes, pause, "stat")
	return err
}

// runLoop is the median of some passes of the loop, in ms of processor time. reads
// is "stat", or "whole" and "all" for the loops that read more.
func (p *place) runLoop(passes int, pause time.Duration, reads string) (ms float64, err error) {
	out, err := exec.Command(p.folder+"/loop", strconv.Itoa(passes), strconv.Itoa(int(pause.Milliseconds())), reads).Output()
	if err != nil {
		return 0, fmt.Errorf("loop: %w", err)
	}
	lines := strings.Fields(string(out))
	nanoseconds, err := strconv.ParseFloat(lines[passes/2*2+1], 64)
	return nanoseconds / 1e6, err
}

// world measures the whole daemon, and what others take, among idle processes.
func world(args []string) error {
	p, err := placeOf(args)
	if err != nil {
		return err
	}
	if _, err := p.farm(servers, "session"); err != nil {
		return err
	}
	born := time.Now()
	daemon, err := p.startDaemon()
	if err != nil {
		return err
	}
	await(born.Add(youngFrom))
	if err := p.measureDaemon(daemon, "the whole daemon, all younger than a minute"); err != nil {
		return err
	}
	if err := p.measureOthers(); err != nil {
		return err
	}
	await(born.Add(grown))
	if err := p.measureDaemon(daemon, "the whole daemon"); err != nil {
		return err
	}
	p.rows[len(p.rows)-1].Calls = callsOf(daemon)
	return json.NewEncoder(os.Stdout).Encode(p.rows)
}

func await(at time.Time) { <-time.After(time.Until(at)) }

const policyText = "version: 1\nextends: builtin\nmode: report\nschedule: \"@every 1s\"\n"

// startDaemon starts a daemon that sweeps once a second, and returns its PID.
func (p *place) startDaemon() (int, error) {
	home, err := os.MkdirTemp(p.folder, "home-")
	if err != nil {
		return 0, err
	}
	policy := filepath.Join(home, "policies.yaml")
	if err := os.WriteFile(policy, []byte(policyText), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.Command(p.folder+"/reaperd", "run", "--policies", policy, "--listen", "")
	cmd.Env = []string{"HOME=" + home, "REAPERD_STATE_DIR=" + filepath.Join(home, "state"), "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}

// measureDaemon takes the processor time of the daemon over a window, with the loop
// beside it, a pass a second.
func (p *place) measureDaemon(pid int, what string) error {
	from, before := time.Now(), processorTime(pid)
	if err := p.measureLoop(int(window/time.Second), time.Second); err != nil {
		return err
	}
	used, sweeps := processorTime(pid)-before, time.Since(from).Seconds()
	p.rows = append(p.rows, row{Processes: p.size, What: "loop in C, a pass a second", CPU: p.loop, Ratio: 1})
	p.add(row{What: what + ", a sweep a second", CPU: used.Seconds() * 1000 / sweeps, Resident: residentOf(pid)})
	return nil
}

func processorTime(pid int) time.Duration {
	const scheduled = 2
	var ran unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &ran); err != nil {
		return 0
	}
	return time.Duration(ran.Nano())
}

// residentOf is the resident size of a process, in MB.
func residentOf(pid int) float64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kilobytes / 1024
}
