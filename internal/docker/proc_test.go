package docker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// table is a process table on disk.
type table struct {
	t    *testing.T
	proc procfs
}

func newTable(t *testing.T) *table {
	t.Helper()
	return &table{t: t, proc: procfs(t.TempDir())}
}

func (p *table) file(pid int, name, content string) {
	p.t.Helper()
	p.put(filepath.Join(strconv.Itoa(pid), name), content)
}

func (p *table) put(path, content string) {
	p.t.Helper()
	path = filepath.Join(string(p.proc), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *table) process(pid int, comm string, parent int, cgroup string) {
	p.file(pid, "stat", fmt.Sprintf("%d (%s) S %d 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0", pid, comm, parent))
	p.file(pid, "cgroup", cgroup+"\n")
	p.file(pid, "cmdline", "")
}

// fd opens a descriptor; flags are octal as in fdinfo, 1 is write only.
func (p *table) fd(pid, fd int, target, flags string) {
	p.t.Helper()
	n := strconv.Itoa(fd)
	p.file(pid, "fdinfo/"+n, "pos:\t0\nflags:\t"+flags+"\nmnt_id:\t14\n")
	dir := filepath.Join(string(p.proc), strconv.Itoa(pid), "fd")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, n)); err != nil {
		p.t.Fatal(err)
	}
}

const (
	readOnly  = "0100000"
	writeOnly = "0100001"
)

func id(digit string) string { return strings.Repeat(digit, 64) }

func TestWhoWritesToAContainersStdin(t *testing.T) {
	scope := "0::/system.slice/docker-" + id("a") + ".scope"
	tests := []struct {
		name  string
		world func(*table)
		want  inventory.Peer
	}{
		{"the shim holds the write end for a client", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[39278]", readOnly)
			p.fd(80, 251, "pipe:[33606]", writeOnly)
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerOpen},
		{"the shim dropped it at the end of input", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[39278]", readOnly)
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerClosed},
		{"holding the read end is not writing", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[33606]", readOnly)
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerClosed},
		{"podman's conmon holds it, one generation further up", func(p *table) {
			p.process(80, "conmon", 1, "0::/user.slice")
			p.fd(80, 9, "pipe:[33606]", "02000001")
			p.process(85, "crun) S 1 (", 80, scope)
			p.process(90, "node", 85, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerOpen},
		{"another process has the PID now", func(p *table) {
			p.process(80, "bash", 1, "0::/user.slice")
			p.process(90, "vim", 80, "0::/user.slice/session-1.scope")
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerUnknown},
		{"the PID is another container's", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[39278]", readOnly)
			p.process(90, "node", 80, "0::/system.slice/docker-"+id("b")+".scope")
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerUnknown},
		{"nothing that keeps it is above it", func(p *table) {
			p.process(80, "bash", 1, "0::/user.slice")
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerUnknown},
		{"a terminal is no pipe", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[39278]", readOnly)
			p.process(90, "bash", 80, scope)
			p.fd(90, 0, "/dev/pts/0", "02")
		}, inventory.PeerUnknown},
		{"the shim's descriptors cannot be read", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerUnknown},
		{"a descriptor of the shim makes no sense", func(p *table) {
			p.process(80, "containerd-shim", 1, "0::/system.slice/docker.service")
			p.fd(80, 14, "pipe:[39278]", "no number")
			p.process(90, "node", 80, scope)
			p.fd(90, 0, "pipe:[33606]", "00")
		}, inventory.PeerUnknown},
		{"nothing stands in the table", func(p *table) {}, inventory.PeerUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTable(t)
			tt.world(p)
			reader := (&engine{proc: p.proc}).newStdinReader()
			if got := reader.peer(id("a"), 90); got != tt.want {
				t.Errorf("stdin is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhoseProcessItIs(t *testing.T) {
	tests := []struct {
		name, cgroup string
		want         bool
	}{
		{"version 1, cgroupfs", "9:name=systemd:/docker/" + id("a") + "\n0::/docker/" + id("a"), true},
		{"version 2, systemd", "0::/system.slice/docker-" + id("a") + ".scope", true},
		{"seen from another container", "0::/../docker-" + id("a") + ".scope", true},
		{"podman, rootless", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id("a") + ".scope/container", true},
		{"another container", "0::/system.slice/docker-" + id("b") + ".scope", false},
		{"a short id proves nothing", "0::/system.slice/docker-" + id("a")[:12] + ".scope", false},
		{"a host process", "0::/init.scope", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTable(t)
			p.process(90, "node", 1, tt.cgroup)
			if got := p.proc.isContainer(90, id("a")); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheDemosDoorIsThisProgramAsTheFirstProcess(t *testing.T) {
	root := t.TempDir()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for process, program := range map[string]string{"self": own, "1": own, "2": "/bin/sh", "3": "/nowhere"} {
		if err := os.MkdirAll(filepath.Join(root, process), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(root, process, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	for pid, want := range map[int]bool{1: true, 2: false, 3: false, 4: false, 0: false} {
		if got := procfs(root).sameProgram(pid); got != want {
			t.Errorf("process %d: %v", pid, got)
		}
	}
	// No other process but the first is a door, and no other program.
	for _, row := range []struct {
		listener int
		want     bool
	}{{1, true}, {2, false}, {0, false}} {
		n := &engine{endpoint: Endpoint{Host: "unix:///run/engine.sock"}, proc: procfs(root), system: "linux"}
		if a := n.access(peer{pid: row.listener}, identity{answered: true}, nil); a.demo != row.want {
			t.Errorf("process %d listens: %v", row.listener, a.demo)
		}
	}
}
