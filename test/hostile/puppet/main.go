//go:build linux

// Puppet is a process that does what a hostile user's program would: it has huge
// arguments, memory that never answers, or serves a file system that never does.
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

// What a puppet does is in its environment.
const (
	does  = "PUPPET"       // orphan, stay, wall or files
	count = "PUPPET_COUNT" // of orphans
	words = "PUPPET_WORDS" // further arguments of each
	width = "PUPPET_WIDTH" // of a further argument, in bytes
	owner = "PUPPET_UID"
	place = "PUPPET_PLACE" // the file or folder of stay, wall and files
	fault = "PUPPET_FAULT" // not empty: the memory of each is userfaultfd's
	reads = "PUPPET_READS" // not empty: each reads its file of place, and cannot be killed then
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

// await waits until a server is about to lock its memory, if it is to.
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

// abandon starts one server and lets go of it. Each has a file of its own.
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

// stay does nothing for ever. With a place, or a fault, it first makes its memory
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

// waitInKernel reads a file that never answers: who waits for a file system in user
// space that has taken the question ends when it answers, and not when it is killed.
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

// lockMemory makes whoever reads this process's arguments or environment wait for
// ever, as anybody may do to processes of their own. One thread reads a page of the
// file through /proc/self/mem, which holds the lock of the memory until the file
// system answers; another wants to change the memory, and whoever comes after it
// has to wait for it. (To map the file over the arguments is not enough: Linux
// reads arguments and environment out of anonymous memory alone.)
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
	if err := done(); err != nil { // later no memory can be had for it
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
