package docker

import (
	"io/fs"
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/inventory"
)

// denied says that an endpoint refuses this user, and what lets him ask.
func denied(e Endpoint) trouble {
	return trouble{"permission denied on " + strings.TrimPrefix(e.Host, "unix://"), admission(e), []inventory.Gap{inventory.GapDenied}}
}

// admission is what lets this user ask the engine of an endpoint that refuses him.
func admission(e Endpoint) string {
	path, unix := e.socket()
	info, err := os.Stat(path)
	own, ownErr := user.LookupId(strconv.Itoa(os.Geteuid()))
	if !unix || err != nil || ownErr != nil || runtime.GOOS != "linux" {
		return joining(0, "", "")
	}
	return joining(info.Mode(), groupOf(info), own.Username)
}

// joining is the command that brings a user into the group of a socket, if that group may ask there.
func joining(mode fs.FileMode, group, name string) string {
	if mode.Perm()&0o060 != 0o060 || group == "" || group == "root" {
		return "run as root"
	}
	return "sudo usermod -aG " + group + " " + name + ", then log in again"
}

// groupOf is the name of a file's group; empty if it has none.
func groupOf(info fs.FileInfo) string {
	row, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return ""
	}
	group, err := user.LookupGroupId(strconv.Itoa(int(row.Gid)))
	if err != nil {
		return ""
	}
	return group.Name
}
