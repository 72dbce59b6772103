package docker

import (
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// runnerUIDs are the users beside root who are known to be able to use the engine:
// the owner of its socket and the members of the socket's group, as far as this
// host's files list them. Only such a user's runner can have created a container.
func (n *engine) runnerUIDs() []int {
	info := n.socketInfo()
	if info == nil {
		return nil
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	passwd, _ := os.ReadFile("/etc/passwd")
	group, _ := os.ReadFile("/etc/group")
	return reaching(info.Mode(), int(owner.Uid), int(owner.Gid), passwd, group)
}

// reaching are the users beside root, ascending, who may write to a socket of that
// mode, owner and group, by /etc/passwd and /etc/group (passwd(5), group(5)).
func reaching(mode fs.FileMode, uid, gid int, passwd, group []byte) []int {
	reach := map[int]bool{}
	if mode&0o200 != 0 {
		reach[uid] = true
	}
	members := membersOf(group, gid)
	for fields := range fieldsOf(passwd, 4) { // name:password:uid:gid:…
		number, err := strconv.Atoi(fields[2])
		own, bad := strconv.Atoi(fields[3])
		if mode&0o020 != 0 && err == nil && bad == nil && (own == gid || slices.Contains(members, fields[0])) {
			reach[number] = true
		}
	}
	delete(reach, 0)
	return slices.Sorted(maps.Keys(reach))
}

// membersOf are the names that /etc/group lists for a group: name:password:gid:names.
func membersOf(group []byte, gid int) []string {
	for fields := range fieldsOf(group, 4) {
		if number, err := strconv.Atoi(fields[2]); err == nil && number == gid {
			return strings.Split(strings.TrimSpace(fields[3]), ",")
		}
	}
	return nil
}

// fieldsOf yields the lines of such a file that have at least so many fields.
func fieldsOf(file []byte, least int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(string(file)) {
			if fields := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(fields) >= least && !yield(fields) {
				return
			}
		}
	}
}
