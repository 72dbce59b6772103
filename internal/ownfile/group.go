package ownfile

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// othersCanWrite reports that somebody but the owner can write a file or folder. Some
// systems give each user a private group with write access: that does not count,
// except for root, whose group may have other members.
func (t Terms) othersCanWrite(info fs.FileInfo) bool {
	switch info.Mode().Perm() & 0o022 {
	case 0:
		return false
	case 0o020:
		return !(t.Folders == AllFolders && t.Owner > 0 && hasOwnGroup(info, t.Owner))
	}
	return true
}

func hasOwnGroup(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != uid {
		return false
	}
	owner, err := user.LookupId(strconv.Itoa(uid))
	if err != nil || owner.Gid != strconv.Itoa(int(stat.Gid)) {
		return false
	}
	groups, err := os.ReadFile("/etc/group")
	return err == nil && isOwnGroup(string(groups), owner.Username, owner.Gid)
}

// isOwnGroup reports that /etc/group has a group of the user's name without other
// members.
func isOwnGroup(groups, name, gid string) bool {
	own := false
	for line := range strings.Lines(groups) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 4 || fields[2] != gid {
			continue
		}
		if fields[0] != name || fields[3] != "" && fields[3] != name {
			return false
		}
		own = true
	}
	return own
}
