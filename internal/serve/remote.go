package serve

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Opens tells how the address of a visit is used. Who came over ssh has his browser on another machine.
func Opens(listens net.Addr) []string { return opens(listens, cameOver("/proc", os.Getpid())) }

func opens(listens net.Addr, came string) []string {
	lines := []string{"opens once; Ctrl-C ends it"}
	address, isTCP := listens.(*net.TCPAddr)
	if came != "" && isTCP {
		lines = append(lines, "over ssh, run this on your own machine first, and then open the address there:",
			fmt.Sprintf("    ssh -N -L %d:%s %s", address.Port, address, came), "or with the name that you came by, in place of that address")
	}
	return lines
}

// cameOver is how somebody came to this host over ssh, as words for ssh: "-p 2222 ann@10.0.0.5"; empty if
// nobody did. sudo and su drop what tells it: then the processes above this one, which started them, still
// have it, as far as they may be read.
func cameOver(proc string, self int) string {
	given := environment(os.Environ())
	for pid, steps := self, 0; steps < mostParents; steps++ {
		if came := given.cameOver(); came != "" {
			return came
		}
		if pid = parentOf(proc, pid); pid <= 1 {
			break
		}
		text, _ := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "environ")) // not that of another user
		given = strings.Split(string(text), "\x00")
	}
	return ""
}

// mostParents is how far above a program its login is looked for.
const mostParents = 32

// environment are the words NAME=VALUE of a process.
type environment []string

func (e environment) get(name string) string {
	for _, word := range e {
		if value, found := strings.CutPrefix(word, name+"="); found {
			return value
		}
	}
	return ""
}

// cameOver is [cameOver] by one process's environment (SSH_CONNECTION in ssh(1)).
func (e environment) cameOver() string {
	ends := strings.Fields(e.get("SSH_CONNECTION")) // the client's address and port, and this host's
	if len(ends) != 4 {
		return ""
	}
	host, err := netip.ParseAddr(ends[2])
	port, badPort := strconv.ParseUint(ends[3], 10, 16)
	if err != nil || badPort != nil {
		return ""
	}
	came := host.String()
	if user := cmp.Or(e.get("LOGNAME"), e.get("USER")); user != "" {
		came = human.Shell(human.Safe(user) + "@" + came)
	}
	if port != 22 {
		came = fmt.Sprintf("-p %d %s", port, came)
	}
	return came
}

// parentOf is the parent of a process; 0 if it cannot be read.
func parentOf(proc string, pid int) int {
	text, _ := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(text)) {
		if number, found := strings.CutPrefix(line, "PPid:"); found {
			parent, _ := strconv.Atoi(strings.TrimSpace(number))
			return parent
		}
	}
	return 0
}
