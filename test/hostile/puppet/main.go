//go:build linux

// Puppet plays a hostile user's program: it has huge arguments or unreadable memory, or
// serves a file system that never answers.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The environment variables that tell a puppet what to do.
const (
	does  = "PUPPET"       // orphan, stay, session, wall or files
	count = "PUPPET_COUNT" // how many orphans
	words = "PUPPET_WORDS" // how many further arguments each of them has
	width = "PUPPET_WIDTH" // the length of a further argument, in bytes
	owner = "PUPPET_UID"
	place = "PUPPET_PLACE" // the file or folder of stay, wall and files
	fault = "PUPPET_FAULT" // not empty: each registers its memory with userfaultfd
	reads = "PUPPET_READS" // not empty: each reads its file in place, and cannot be killed from then on
	runs  = "PUPPET_RUNS"  // the command line of what session starts
	ready = "PUPPET_READY" // a file that the puppet writes when everything is up
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
	case "session":
		return session()
	case "wall":
		return serve(os.Getenv(place), false)
	case "files":
		return serve(os.Getenv(place), true)
	}
	return fmt.Errorf("%s=%q: unknown", does, os.Getenv(does))
}

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name)) // 0 if it is not set
	return n
}

// orphan starts servers whose stdin and stdout have no other end, and ends.
func orphan() error {
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &unlimited); err != nil { // arguments may take a quarter of the stack
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for i := range max(1, number(count)) {
		if err := abandon(program, i); err != nil {
			return err
		}
	}
	for i := range number(count) {
		if err := await(i); err != nil {
			return err
		}
	}
	return done()
}

// session plays a client: it starts one process with a command line, and holds its stdin and stdout.
func session() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := &exec.Cmd{Path: program, Args: strings.Fields(os.Getenv(runs)), Env: []string{does + "=stay"}}
	if _, err := command.StdinPipe(); err != nil {
		return err
	}
	if _, err := command.StdoutPipe(); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	return command.Wait()
}

// await waits until a server is about to lock its memory, if it has to lock it.
func await(i int) error {
	if os.Getenv(place) == "" && os.Getenv(fault) == "" {
		return nil
	}
	for {
		_, err := os.Stat(fmt.Sprintf("%s.%d", os.Getenv(ready), i))
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		runtime.Gosched()
	}
}

// abandon starts one server and closes the other ends of its streams. Each server has a
// file of its own.
func abandon(program string, i int) error {
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
		Env: []string{does + "=stay", "PATH=" + os.Getenv("PATH")},
	}
	if os.Getenv(reads) != "" {
		server.Env = append(server.Env, reads+"=yes")
	}
	if folder := os.Getenv(place); folder != "" {
		server.Env = append(server.Env, fmt.Sprintf("%s=%s/%d", place, folder, i), fmt.Sprintf("%s=%s.%d", ready, os.Getenv(ready), i))
	}
	if os.Getenv(fault) != "" {
		server.Env = append(server.Env, fault+"=yes", fmt.Sprintf("%s=%s.%d", ready, os.Getenv(ready), i))
	}
	for range number(words) {
		server.Args = append(server.Args, strings.Repeat("a=b ", number(width)/4+1)[:number(width)])
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

// stay does nothing for ever. With PUPPET_PLACE or PUPPET_FAULT it first makes its memory
// unreadable.
func stay() error {
	if os.Getenv(fault) != "" {
		if err := missMemory(); err != nil {
			return err
		}
	}
	switch file := os.Getenv(place); {
	case os.Getenv(reads) != "":
		return waitInKernel(file)
	case file != "":
		if err := lockMemory(file); err != nil {
			return err
		}
	}
	for {
		_ = unix.Pause()
	}
}

// waitInKernel reads a file that never answers. A process that waits for a FUSE file system
// which has taken its request ends only when the answer comes, not when it is killed.
func waitInKernel(file string) error {
	fd, err := unix.Open(file, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if err := done(); err != nil {
		return err
	}
	_, err = unix.Read(fd, make([]byte, 1))
	return err
}

// lockMemory makes every reader of this process's arguments or environment wait for ever.
// Any user can do that with a process of their own. One thread reads a page of the file
// through /proc/self/mem and holds the memory's lock until the file system answers. Another
// thread wants to change the memory; everyone who comes later waits behind it. (Mapping the
// file over the arguments is not enough: Linux reads arguments and environment only from
// anonymous memory.)
func lockMemory(file string) error {
	fd, err := unix.Open(file, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	page, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	memory, err := unix.Open("/proc/self/mem", unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if err := done(); err != nil { // later it would get no memory
		return err
	}
	reads := make(chan int)
	go func() {
		runtime.LockOSThread()
		reads <- unix.Gettid()
		_, _ = unix.Pread(memory, make([]byte, 1), int64(uintptr(unsafe.Pointer(&page[0]))))
	}()
	for thread := <-reads; !waits(thread); {
		runtime.Gosched()
	}
	_, _, _ = unix.RawSyscall6(unix.SYS_MMAP, 0, uintptr(os.Getpagesize()), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON, ^uintptr(0), 0)
	return nil
}

// waits reports whether a thread of this process waits in the kernel for an answer.
func waits(thread int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", thread))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	where, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", thread))
	return (state[0] == 'D' || state[0] == 'S') && strings.HasPrefix(string(where), fmt.Sprint(unix.SYS_PREAD64)+" ")
}
