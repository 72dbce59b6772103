package ownfile

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// othersCanWrite reports whether anybody but the owner can write a file or folder.
// Some systems give each user a group of their own and let it write all that the
// user makes: that is nobody else, but for root, whose group may hold others.
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

// isOwnGroup finds in /etc/group whether a group bears the user's name and holds
// nobody else.
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
