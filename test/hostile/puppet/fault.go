//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The requests to userfaultfd (include/uapi/linux/userfaultfd.h).
const (
	userModeOnly     = 1 // allowed to every user, whatever vm.unprivileged_userfaultfd is
	userfaultAPI     = 0xaa
	ioctlAPI         = 0xc018aa3f
	ioctlRegister    = 0xc020aa00
	registerMissing  = 1
	statArguments    = 48 // fields of /proc/self/stat: arg_start, arg_end, env_start, env_end
	statEnvironments = 51
)

// missMemory drops the pages with this process's arguments and environment and registers
// them with userfaultfd. Nothing ever serves them again.
func missMemory() error {
	from, to, err := argumentPages()
	if err != nil {
		return err
	}
	fault, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|userModeOnly, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("userfaultfd", errno)
	}
	api := [3]uint64{userfaultAPI}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fault, ioctlAPI, uintptr(unsafe.Pointer(&api))); errno != 0 {
		return os.NewSyscallError("userfaultfd api", errno)
	}
	register := [4]uint64{from, to - from, registerMissing}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fault, ioctlRegister, uintptr(unsafe.Pointer(&register))); errno != 0 {
		return os.NewSyscallError("userfaultfd register", errno)
	}
	if err := done(); err != nil { // later this program itself could wait for the page
		return err
	}
	_, _, errno = unix.RawSyscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
	if errno != 0 {
		return os.NewSyscallError("drop pages", errno)
	}
	return nil
}

// argumentPages returns the pages with the arguments and the environment.
func argumentPages() (from, to uint64, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest) // from the third field on
	if _, err := fmt.Sscan(fields[statArguments-3]+" "+fields[statEnvironments-3], &from, &to); err != nil {
		return 0, 0, fmt.Errorf("read /proc/self/stat: %w", err)
	}
	page := uint64(os.Getpagesize())
	return from &^ (page - 1), (to + page - 1) &^ (page - 1), nil
}
