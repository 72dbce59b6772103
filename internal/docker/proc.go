package docker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
)

// procfs reads facts about containers' processes. Its value is where proc is mounted.
// Outside Linux there is no proc, and nothing can be told.
type procfs string

// path is a path below proc.
func (p procfs) path(names ...string) string {
	return filepath.Join(append([]string{string(p)}, names...)...)
}

func (p procfs) exists(names ...string) bool {
	_, err := os.Stat(p.path(names...))
	return err == nil
}

func (p procfs) read(pid int, name string) ([]byte, error) {
	return readAtMost(p.path(strconv.Itoa(pid), name))
}

// maxProcFile is how much of one file of a process is read, in bytes: a process can
// make some of them as long as it likes.
const maxProcFile = 1 << 20

// readAtMost reads a file. A file longer than maxProcFile is an error.
func readAtMost(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxProcFile+1))
	if err == nil && len(data) > maxProcFile {
		err = fmt.Errorf("read %s: longer than %d MiB", path, maxProcFile>>20)
	}
	return data, err
}

// machine names the virtual machine that this host is, as [machineOf] does; "" is
// none. It reads the files from which an engine would tell. told is false if the
// host's files cannot be reached, so that "" proves nothing.
func (p procfs) machine() (name string, told bool) {
	line := func(names ...string) string {
		data, _ := os.ReadFile(p.path(names...))
		return strings.TrimSpace(string(data))
	}
	root, told := p.hostRoot()
	system := prettyName(line(root, "etc", "os-release"))
	kernel := line("sys", "kernel", "osrelease")
	for _, host := range []string{line("sys", "kernel", "hostname"), line(root, "etc", "hostname")} {
		if name := machineOf(system, host, kernel); name != "" {
			return name, true
		}
	}
	if told && p.exists(root, "etc", "containers", "podman-machine") {
		return "podman machine", true
	}
	return "", told
}

// hostRoot is the root directory of the host's first process, relative to proc. If
// that may not be entered, it is this process's own root, unless this process is in a
// container.
func (p procfs) hostRoot() (root string, reached bool) {
	if p.exists("1", "root", "etc") {
		return "1/root", true
	}
	return "self/root", p.exists("self", "root", "etc") && !p.exists("self", "root", ".dockerenv") && !p.exists("self", "root", "run", ".containerenv")
}

// prettyName is the system's name in os-release(5). Engines report it as their
// operating system.
func prettyName(release string) string {
	for line := range strings.Lines(release) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// readRooted reads a file as a process sees it, through its root, else as this
// process sees it.
func (p procfs) readRooted(pid int, path string) ([]byte, error) {
	data, err := p.read(pid, filepath.Join("root", path))
	if err == nil {
		return data, nil
	}
	return readAtMost(path)
}

// visible reports that the process is in this table.
func (p procfs) visible(pid int) bool { return pid > 0 && p.exists(strconv.Itoa(pid)) }

// sameProgram reports whether a process runs the very file that this process runs.
// Of PID 1 it is true in the world of `reaperd demo`, and in a container that starts
// reaperd first, where nobody calls reaperd an engine.
func (p procfs) sameProgram(pid int) bool {
	its, err := os.Stat(p.path(strconv.Itoa(pid), "exe"))
	if err != nil {
		return false
	}
	own, err := os.Stat(p.path("self", "exe"))
	return err == nil && os.SameFile(its, own)
}

// isContainer reports that the process is one of the container's: its cgroup names
// the container's full id. The forms differ by cgroup driver, version and namespace
// ("/docker/ID", "docker-ID.scope", "/../docker-ID.scope", "libpod-ID.scope").
func (p procfs) isContainer(pid int, id string) bool {
	if pid <= 0 || !inventory.IsContainerID(id) {
		return false
	}
	cgroup, err := p.read(pid, "cgroup")
	return err == nil && bytes.Contains(cgroup, []byte(id))
}

// maxClimb bounds the walk from a container's first process to its shim,
// which is its parent.
const maxClimb = 4

// shim is the PID of the process above a container's first process: containerd-shim,
// or podman's conmon. 0 is none.
func (p procfs) shim(pid int) int {
	for range maxClimb {
		process := p.stat(pid)
		switch {
		case isShim(string(process.Comm)):
			return pid
		case process.PPID <= 1:
			return 0
		}
		pid = process.PPID
	}
	return 0
}

// stat is a process's row of the table; zero if it cannot be read.
func (p procfs) stat(pid int) procstat.Stat {
	line, _ := p.read(pid, "stat")
	row, _ := procstat.Parse(line)
	return row
}

// owner is the user of a process.
func (p procfs) owner(pid int) (uid int, known bool) {
	info, err := os.Stat(p.path(strconv.Itoa(pid)))
	if err != nil || pid <= 0 {
		return 0, false
	}
	row, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(row.Uid), true
}

// isShim reports a shim by its comm, which the kernel cuts to 15 bytes.
func isShim(comm string) bool {
	return strings.HasPrefix(comm, "containerd-shim") || comm == "conmon"
}

// argv is a process's argument vector; nil if it cannot be read.
func (p procfs) argv(pid int) []string {
	data, err := p.read(pid, "cmdline")
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// stdinPipe is the kernel's name of the pipe on a process's stdin, such as
// "pipe:[39278]"; "" if stdin is no pipe.
func (p procfs) stdinPipe(pid int) (string, error) {
	link, err := os.Readlink(p.path(strconv.Itoa(pid), "fd", "0"))
	if err != nil || !strings.HasPrefix(link, "pipe:[") {
		return "", err
	}
	return link, nil
}

// writeEnds are the pipes of which a process has the write end open.
func (p procfs) writeEnds(pid int) (map[string]bool, error) {
	dir := p.path(strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	ends := make(map[string]bool)
	for _, entry := range entries {
		link, err := os.Readlink(filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // closed since the directory was read
		}
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(link, "pipe:[") {
			continue
		}
		info, err := p.read(pid, filepath.Join("fdinfo", entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		writable, err := parseWritable(info)
		if err != nil {
			return nil, fmt.Errorf("read descriptor %s of process %d: %w", entry.Name(), pid, err)
		}
		if writable {
			ends[link] = true
		}
	}
	return ends, nil
}

// parseWritable reads from /proc/PID/fdinfo/N whether the descriptor is open
// for writing: its flags are octal, as given to open(2).
func parseWritable(fdinfo []byte) (bool, error) {
	for line := range strings.Lines(string(fdinfo)) {
		value, ok := strings.CutPrefix(line, "flags:")
		if !ok {
			continue
		}
		flags, err := strconv.ParseUint(strings.TrimSpace(value), 8, 64)
		if err != nil {
			return false, err
		}
		const accessMode, readOnly = 0o3, 0
		return flags&accessMode != readOnly, nil
	}
	return false, errors.New("no flags in its fdinfo")
}

// stdinReader finds out whether containers' stdins are held. It reads each shim once.
type stdinReader struct {
	proc  procfs
	shims map[int]map[string]bool // nil value: could not be read
}

// peer says whether the shim of a running container still holds the write end of its
// stdin. If it does, the runner may still write; if not, the input has ended; if that
// cannot be seen, it is unknown. The container's PID counts only if its cgroup names
// the container, before and after the reading.
func (r *stdinReader) peer(id string, pid int) inventory.Peer {
	if !r.proc.isContainer(pid, id) {
		return inventory.PeerUnknown
	}
	pipe, err := r.proc.stdinPipe(pid)
	if err != nil || pipe == "" {
		return inventory.PeerUnknown
	}
	ends := r.ends(r.proc.shim(pid))
	if ends == nil || !r.proc.isContainer(pid, id) {
		return inventory.PeerUnknown
	}
	if ends[pipe] {
		return inventory.PeerOpen
	}
	return inventory.PeerClosed
}

func (r *stdinReader) ends(shim int) map[string]bool {
	if shim == 0 {
		return nil
	}
	ends, known := r.shims[shim]
	if !known {
		ends, _ = r.proc.writeEnds(shim)
		r.shims[shim] = ends
	}
	return ends
}
