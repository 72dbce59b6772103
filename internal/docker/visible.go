package docker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
)

// access holds the facts that decide whether every runner of an engine's
// containers must be a process of this table. If one could be elsewhere, a container
// without a visible runner is no orphan.
type access struct {
	endpoint string
	unix     bool
	system   string // as runtime.GOOS
	// peer means that the process that listens at the endpoint is in this PID
	// namespace.
	peer bool
	// running counts the running containers; proven counts those whose first process
	// is in this table, under its PID and with the container's cgroup.
	running, proven int
	// machine is the virtual machine that the engine runs in; "" is none. Seen from
	// Linux it is this machine, and the runners are outside it.
	machine string
	// told means that a virtual machine would have been recognised.
	told bool
	// demo means that `reaperd demo` itself serves the endpoint, from this PID
	// namespace.
	demo bool
	// listens is a TCP address of the engine; "" is none.
	listens string
}

// runnersVisible decides whether every runner must be in this table;
// why is the reason against it.
//
//   - A TCP endpoint has runners anywhere.
//   - Behind the door of `reaperd demo` are only the containers that were started
//     through it, which only processes of its own PID namespace can do.
//   - On macOS the engine (Docker Desktop, colima, OrbStack, Rancher) is in a virtual
//     machine and the runners are native processes: all of them are in the table.
//   - On Linux the containers' PIDs must be this table's. They are not if the listener
//     only forwards to an engine elsewhere: an ssh tunnel, WSL's proxy, Docker Desktop's
//     forwarder, an engine inside a container. If no container runs, the listener decides.
//   - Inside such a virtual machine (a sidecar of Docker Desktop's engine) the containers'
//     PIDs are this table's and the runners' are not. The engine says that it is one; if a
//     proxy denies the question, the host's own files say it.
//   - podman's own commands do not use the socket, but run on this host as docker's do;
//     its service is one more local engine.
//   - Whoever reaches the engine's TCP port may be anywhere. A container with the engine's
//     socket is one more client of it, whose connections tell what it may have.
func (a access) runnersVisible() (visible bool, why string) {
	switch {
	case !a.unix:
		return false, "what starts containers over " + a.endpoint + " may run on other hosts"
	case a.demo:
		return true, ""
	case a.system != "darwin" && a.machine != "":
		return false, "the engine runs in the virtual machine of " + a.machine + ", and what starts containers runs outside it; run reaperd there"
	case a.system != "darwin" && a.running > 0 && a.proven == 0:
		return false, "the containers' processes are not in this process table; run reaperd where the engine runs (in a container: with the host's PID namespace)"
	case a.system != "darwin" && a.running == 0 && !a.peer:
		return false, "the process that listens on " + strings.TrimPrefix(a.endpoint, "unix://") + " is not in this process table"
	case a.system != "darwin" && !a.told:
		return false, "it cannot be told whether the engine runs in a virtual machine, with docker run outside: allow GET /info, or reading what belongs to process 1 (CAP_SYS_PTRACE)"
	case a.listens != "":
		return false, "the engine also listens on " + a.listens
	}
	return true, ""
}

// sameClock reports that the engine uses this host's clock: its containers run here
// or, if none runs, it listens here itself, or it is behind the door of the demo and
// in no virtual machine. An engine in a virtual machine has its own clock.
func (a access) sameClock() bool {
	if a.demo {
		return a.told && a.machine == ""
	}
	return a.unix && a.system == "linux" && (a.proven > 0 || a.running == 0 && a.peer)
}

// access gathers the facts.
func (n *engine) access(peer peer, who identity, all []seen) access {
	_, unix := n.endpoint.socket()
	a := access{
		endpoint: n.endpoint.Host,
		unix:     unix,
		system:   n.system,
		peer:     n.proc.visible(peer.pid),
		demo:     peer.pid == 1 && n.proc.sameProgram(peer.pid),
	}
	if !unix {
		return a
	}
	a.machine, a.told = n.proc.machine()
	a.machine, a.told = cmp.Or(who.machine, a.machine), a.told || who.answered
	for i := range all {
		c := &all[i].container
		if !c.Running() {
			continue
		}
		a.running++
		if n.proc.isContainer(c.PID, c.ID) {
			a.proven++
		}
	}
	a.listens = tcpAddress(n.hosts(peer))
	return a
}

// hasSocket reports a container that was given the engine's socket. If it could not
// be inspected, the mounts in the list decide.
func (n *engine) hasSocket(socket string, s *seen) bool {
	if n.system == "darwin" {
		socket = "" // it is a path of this host, and mounts have paths of the virtual machine
	}
	mounts := s.mounts
	if mounts == nil {
		mounts = s.listed.Mounts
	}
	for _, m := range mounts {
		if opens(m, socket, realPath) {
			return true
		}
	}
	return false
}

// opens reports a mount that holds an engine's socket: the socket itself, by its name
// on either side, or a directory that contains it. socket is the endpoint's path
// here; "" if it does not name a path of the engine's host.
func opens(m container.MountPoint, socket string, real func(string) string) bool {
	for _, path := range []string{m.Source, m.Destination} {
		if strings.HasSuffix(path, "docker.sock") || strings.HasSuffix(path, "podman.sock") {
			return true
		}
	}
	if m.Type != mount.TypeBind {
		return false
	}
	switch source := filepath.Clean(m.Source); source {
	case "/", "/run", "/var/run":
		return true
	default:
		return socket != "" && contains(real(source), real(socket))
	}
}

// contains reports that path is dir or lies below it.
func contains(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below)
}

// realPath resolves as many links as possible.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// hosts are the addresses on which the engine listens, as far as its arguments and its
// configuration tell them.
func (n *engine) hosts(peer peer) []string {
	if n.system == "darwin" {
		return nil
	}
	pid := n.daemon(peer)
	if pid == 0 {
		return nil
	}
	argv := n.proc.argv(pid)
	if argv == nil {
		return nil
	}
	hosts := hostArguments(argv)
	if config, err := n.proc.readRooted(pid, configFile(argv, peer.uid)); err == nil {
		hosts = append(hosts, configuredHosts(config)...)
	}
	return hosts
}

// sockets are the paths of the unix sockets among an engine's addresses, with the one at
// which it was asked.
func (n *engine) sockets(hosts []string) []string {
	own, unix := n.endpoint.socket()
	if !unix {
		return nil
	}
	paths := []string{own}
	for _, host := range hosts {
		if path, unix := strings.CutPrefix(host, "unix://"); unix && realPath(path) != realPath(own) {
			paths = append(paths, path)
		}
	}
	return paths
}

// daemon is the engine's PID: the process that listens or, if that is init (socket
// activation), the PID in dockerd's PID file. 0 is unknown.
func (n *engine) daemon(peer peer) int {
	if peer.pid > 1 {
		return peer.pid
	}
	if peer.pid == 0 {
		return 0
	}
	data, err := n.proc.readRooted(peer.pid, "/var/run/docker.pid")
	if err != nil {
		return 0
	}
	var pid int
	if _, err := fmt.Sscan(string(data), &pid); err != nil || string(n.proc.stat(pid).Comm) != "dockerd" {
		return 0
	}
	return pid
}

// hostArguments are the addresses in an engine's arguments: dockerd's -H and --host in
// every spelling, and podman's plain argument.
func hostArguments(argv []string) (hosts []string) {
	for _, argument := range argv {
		for _, flag := range []string{"--host=", "-H=", "-H"} {
			argument = strings.TrimPrefix(argument, flag)
		}
		if strings.HasPrefix(argument, "tcp://") || strings.HasPrefix(argument, "unix://") {
			hosts = append(hosts, argument)
		}
	}
	return hosts
}

// tcpAddress is the first TCP address among some; "" is none.
func tcpAddress(hosts []string) string {
	for _, host := range hosts {
		if strings.HasPrefix(host, "tcp://") {
			return host
		}
	}
	return ""
}

// configFile is the file that dockerd reads its configuration from: the one in its
// arguments, else the system's. For a rootless dockerd it is not known, and "".
func configFile(argv []string, uid int) string {
	for i, argument := range argv {
		if path, ok := strings.CutPrefix(argument, "--config-file="); ok {
			return path
		}
		if argument == "--config-file" && i+1 < len(argv) {
			return argv[i+1]
		}
	}
	if uid != 0 {
		return ""
	}
	return "/etc/docker/daemon.json"
}

// configuredHosts are the addresses in dockerd's configuration.
func configuredHosts(config []byte) []string {
	var daemon struct {
		Hosts []string `json:"hosts"`
	}
	if err := json.Unmarshal(config, &daemon); err != nil {
		return nil
	}
	return hostArguments(daemon.Hosts)
}

// machineOf names the virtual machine that an engine with this operating system, name
// and kernel runs in; "" if it is none that is known. The products that run
// containers on macOS and Windows name themselves in one of the three.
func machineOf(operatingSystem, name, kernel string) string {
	operatingSystem, name, kernel = strings.ToLower(operatingSystem), strings.ToLower(name), strings.ToLower(kernel)
	switch {
	case strings.Contains(operatingSystem, "docker desktop"), strings.Contains(kernel, "linuxkit"), name == "docker-desktop":
		return "Docker Desktop"
	case strings.Contains(operatingSystem, "orbstack"), strings.Contains(kernel, "orbstack"), name == "orbstack":
		return "OrbStack"
	case strings.Contains(operatingSystem, "rancher desktop"), name == "lima-rancher-desktop", name == "rancher-desktop":
		return "Rancher Desktop"
	case name == "colima", strings.HasPrefix(name, "colima-"):
		return "colima"
	case strings.HasPrefix(name, "lima-"):
		return "lima"
	case strings.HasPrefix(name, "podman-machine"):
		return "podman machine"
	}
	return ""
}
