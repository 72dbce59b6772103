//go:build linux

// ender tries to end one process, in each way that Linux has for a process with
// root's user and without root's rights, and prints what came of each. It is what
// the report-only profile is tested with.
package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func main() {
	pid, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	refused := true
	for _, way := range []struct {
		name string
		try  func(pid int) error
	}{
		{"kill", func(pid int) error { return unix.Kill(pid, unix.SIGKILL) }},
		{"tgkill", func(pid int) error { return unix.Tgkill(pid, pid, unix.SIGKILL) }},
		{"pidfd_send_signal", byHandle},
		{"ptrace", unix.PtraceAttach},
		{"prlimit64", func(pid int) error {
			return unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 0, Max: 0}, nil)
		}},
		{"fcntl F_SETOWN", func(pid int) error { return byOwner(unix.F_SETOWN, pid) }},
		{"fcntl F_SETSIG", func(int) error { return byOwner(unix.F_SETSIG, int(unix.SIGKILL)) }},
		{"fcntl with the bits above the command set", func(pid int) error { return byOwner(1<<32|unix.F_SETOWN, pid) }},
		{"ioctl FIOSETOWN", func(pid int) error { return bySocket(0x8901, pid) }},
		{"ioctl SIOCSPGRP", func(pid int) error { return bySocket(0x8902, pid) }},
	} {
		err := way.try(pid)
		refused = refused && err == unix.EPERM
		fmt.Printf("%s: %v\n", way.name, err)
	}
	if !refused {
		os.Exit(1)
	}
}

func byHandle(pid int) error {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	return unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0)
}

// byOwner gives a pipe a command of fcntl(2).
func byOwner(command, argument int) error {
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_FCNTL, uintptr(ends[0]), uintptr(command), uintptr(argument))
	if errno != 0 {
		return errno
	}
	return nil
}

// bySocket makes a process the one that gets a socket's signals.
func bySocket(command uint, pid int) error {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(socket, command, pid)
}
