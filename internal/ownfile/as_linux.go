package ownfile

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// As runs do with a user's rights to files, and waits for it: do cannot open what the
// user cannot open. asUser tells do whether that worked. It does not for a reaperd
// that is not root, or that lacks CAP_SETUID and CAP_SETGID; do then has reaperd's
// own rights.
//
// The rights are those of one thread, which ends afterwards: no other goroutine ever
// runs with them.
func As(uid int, do func(asUser bool)) {
	if uid == os.Geteuid() {
		do(true)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		do(becomes(uid))
	}()
	<-done
}

// becomes gives the thread a user's rights to files. A thread whose file system user
// is not root has none of root's rights to files (capabilities(7)).
func becomes(uid int) bool {
	group, groups := groupsOf(uid)
	if !setGroups(groups) {
		return false
	}
	if _, err := unix.SetfsgidRetGid(group); err != nil {
		return false
	}
	if _, err := unix.SetfsuidRetUid(uid); err != nil {
		return false
	}
	now, err := unix.SetfsuidRetUid(-1) // changes nothing and returns the present value
	return err == nil && now == uid
}

// setGroups sets the thread's supplementary groups. [unix.Setgroups] would set those
// of all threads.
func setGroups(groups []uint32) bool {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(first), 0)
	return errno == 0
}

// nogroup is the group of a user that the system does not know.
const nogroup = 65534

// groupsOf are a user's group and supplementary groups.
func groupsOf(uid int) (group int, groups []uint32) {
	known, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return nogroup, nil
	}
	if group, err = strconv.Atoi(known.Gid); err != nil {
		return nogroup, nil
	}
	all, err := known.GroupIds()
	if err != nil {
		return group, nil
	}
	for _, text := range all {
		if id, err := strconv.ParseUint(text, 10, 32); err == nil {
			groups = append(groups, uint32(id))
		}
	}
	return group, groups
}
