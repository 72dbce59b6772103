//go:build linux

// Puppet is a process that does what a hostile user's program would: it has huge
// arguments, memory that never answers, or serves a file system that never does.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What a puppet does is in its environment.
const (
	does  = "PUPPET"       // orphan, stay, wall or files
	count = "PUPPET_COUNT" // of orphans
	words = "PUPPET_WORDS" // further arguments of each
	width = "PUPPET_WIDTH" // of a further argument, in bytes
	owner = "PUPPET_UID"
	place = "PUPPET_PLACE" // the file or folder of stay, wall and files
	ready = "PUPPET_READY" // a file that is written once all is up
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "puppet:", err)
		os.Exit(1)
	}
}

func run() error {
	switch os.Getenv(does) {
	case "orphan":
		return orphan()
	case "stay":
		return stay()
	case "wall":
		return serve(os.Getenv(place), false)
	case "files":
		return serve(os.Getenv(place), true)
	}
	return fmt.Errorf("%s=%q: unknown", does, os.Getenv(does))
}

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name)) // left out is 0
	return n
}

// orphan starts servers whose stdin and stdout nobody holds, and ends.
func orphan() error {
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &unlimited); err != nil { // a quarter of the stack may be arguments
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for range max(1, number(count)) {
		if err := abandon(program); err != nil {
			return err
		}
	}
	return done()
}

// abandon starts one server and lets go of it.
func abandon(program string) error {
	stdin, input, err := os.Pipe()
	if err != nil {
		return err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _, _, _, _ = stdin.Close(), input.Close(), output.Close(), stdout.Close() }()
	server := exec.Cmd{
		Path: program, Args: append([]string{"mcp-server-memory"}, os.Args[1:]...), Stdin: stdin, Stdout: stdout,
		Env: []string{does + "=stay", place + "=" + os.Getenv(place), "PATH=" + os.Getenv("PATH")},
	}
	for range number(words) {
		server.Args = append(server.Args, strings.Repeat("x", number(width)))
	}
	if uid := number(owner); uid != 0 {
		server.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return server.Start()
}

func done() error {
	if os.Getenv(ready) == "" {
		return nil
	}
	return os.WriteFile(os.Getenv(ready), nil, 0o644)
}

// stay does nothing for ever. With a place it first maps that file over the pages
// of its own arguments.
func stay() error {
	if file := os.Getenv(place); file != "" {
		if err := mapArguments(file); err != nil {
			return err
		}
	}
	for {
		_ = unix.Pause()
	}
}

// mapArguments puts a file's pages in the place of the whole pages in the middle
// of this process's arguments, as anybody may do with memory of their own.
func mapArguments(file string) error {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	const argStart, argEnd = 48 - 3, 49 - 3 // the third field is the first behind the name
	start, err := strconv.ParseUint(fields[argStart], 10, 64)
	if err != nil {
		return err
	}
	end, err := strconv.ParseUint(fields[argEnd], 10, 64)
	if err != nil {
		return err
	}
	page := uint64(os.Getpagesize())
	from, to := (start+page)/page*page, end/page*page
	if from >= to {
		return fmt.Errorf("arguments from %x to %x fill no page", start, end)
	}
	fd, err := unix.Open(file, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_MMAP, uintptr(from), uintptr(to-from), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_FIXED, uintptr(fd), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
