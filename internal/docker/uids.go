package docker

import (
	"bufio"
	"bytes"
	"io/fs"
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
	var uids []int
	add := func(uid int) {
		if uid != 0 && !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	if mode&0o200 != 0 {
		add(uid)
	}
	if mode&0o020 != 0 {
		members := membersOf(group, gid)
		for name, account := range accountsOf(passwd) {
			if account.gid == gid || slices.Contains(members, name) {
				add(account.uid)
			}
		}
	}
	slices.Sort(uids)
	return uids
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

type account struct{ uid, gid int }

// accountsOf reads /etc/passwd: name:password:uid:gid:…
func accountsOf(passwd []byte) map[string]account {
	accounts := map[string]account{}
	for fields := range fieldsOf(passwd, 4) {
		uid, err := strconv.Atoi(fields[2])
		gid, bad := strconv.Atoi(fields[3])
		if err == nil && bad == nil {
			accounts[fields[0]] = account{uid, gid}
		}
	}
	return accounts
}

// fieldsOf yields the lines of such a file that have at least so many fields.
func fieldsOf(file []byte, least int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		lines := bufio.NewScanner(bytes.NewReader(file))
		for lines.Scan() {
			if fields := strings.Split(lines.Text(), ":"); len(fields) >= least && !yield(fields) {
				return
			}
		}
	}
}
