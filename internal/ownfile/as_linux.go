package ownfile

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// As runs do with a user's rights to files, and returns when it has: what the user
// could not open, do cannot. It reports whether do has those rights, or our own,
// where that is no root's or the right to change them is lacking (CAP_SETUID,
// CAP_SETGID).
//
// The rights of a thread are taken, and the thread is given up afterwards: no
// other goroutine ever runs with them.
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

// becomes gives the thread a user's rights to files. Whoever has another user id
// for files than root has none of root's rights to them (capabilities(7)).
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
	now, err := unix.SetfsuidRetUid(-1) // changes nothing and tells what it is
	return err == nil && now == uid
}

// setGroups sets the thread's further groups; the system call of [unix.Setgroups]
// sets those of all threads.
func setGroups(groups []uint32) bool {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(first), 0)
	return errno == 0
}

// nogroup is the group of a user whom the system does not know.
const nogroup = 65534

// groupsOf are a user's group and further groups.
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
