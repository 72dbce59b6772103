package docker

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
)

func TestWhereEveryRunnerMustBeVisible(t *testing.T) {
	local := access{endpoint: "unix:///var/run/docker.sock", unix: true, system: "linux", peer: true, running: 2, proven: 2, told: true}
	tests := []struct {
		name   string
		change func(*access)
		want   bool
		why    string // a part of it
	}{
		{"an engine on this host", func(a *access) {}, true, ""},
		{"one container ended while it was looked at", func(a *access) { a.proven = 1 }, true, ""},
		{"nothing runs", func(a *access) { a.running, a.proven = 0, 0 }, true, ""},
		{"nothing runs, and the listener is elsewhere", func(a *access) { a.running, a.proven, a.peer = 0, 0, false }, false, "the process that listens on /var/run/docker.sock"},
		{"the listener is elsewhere but the containers are here", func(a *access) { a.peer = false }, true, ""},
		{"a tunnel to another host", func(a *access) { a.proven = 0 }, false, "are not in this process table"},
		{"TCP", func(a *access) { a.unix, a.endpoint = false, "tcp://build:2375" }, false, "tcp://build:2375"},
		{"the engine listens for others too", func(a *access) { a.listens = "tcp://0.0.0.0:2375" }, false, "tcp://0.0.0.0:2375"},
		{"macOS, where the engine is in a machine", func(a *access) { a.system, a.proven, a.peer = "darwin", 0, false }, true, ""},
		{"macOS over TCP", func(a *access) { a.system, a.unix = "darwin", false }, false, "other hosts"},
		{"a sidecar inside Docker Desktop's machine: the containers are here and the clients are not", func(a *access) { a.machine = "Docker Desktop" }, false, "virtual machine of Docker Desktop"},
		{"nothing tells whether it is in a machine", func(a *access) { a.told = false }, false, "it cannot be told whether the engine runs in a virtual machine"},
		{"macOS, where nothing has to tell it", func(a *access) { a.system, a.told = "darwin", false }, true, ""},
		{"native macOS beside that machine", func(a *access) { a.system, a.proven, a.peer, a.machine = "darwin", 0, false, "Docker Desktop" }, true, ""},
		{"the door of the demo, and the containers are outside its world", func(a *access) { a.demo, a.proven = true, 0 }, true, ""},
		{"the demo's words from another host", func(a *access) { a.demo, a.unix, a.endpoint = true, false, "tcp://build:2375" }, false, "tcp://build:2375"},
		{"a system nobody knows", func(a *access) { a.system, a.proven = "freebsd", 0 }, false, "process table"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := local
			tt.change(&a)
			got, why := a.runnersVisible()
			if got != tt.want || !strings.Contains(why, tt.why) || got != (why == "") {
				t.Errorf("got %v, %q", got, why)
			}
		})
	}
}

func TestWhichMachineAnEngineRunsIn(t *testing.T) {
	for _, tt := range []struct{ operatingSystem, name, kernel, want string }{
		{"Docker Desktop", "docker-desktop", "6.10.14-linuxkit", "Docker Desktop"},
		{"", "", "6.10.14-linuxkit", "Docker Desktop"},
		{"OrbStack", "orbstack", "6.12.9-orbstack-00297", "OrbStack"},
		{"Ubuntu 24.04 LTS", "colima", "6.8.0-31-generic", "colima"},
		{"Ubuntu 24.04 LTS", "colima-work", "6.8.0-31-generic", "colima"},
		{"Rancher Desktop WSL Distribution", "pc", "5.15.153.1-microsoft-standard-WSL2", "Rancher Desktop"},
		{"Alpine Linux v3.20", "lima-rancher-desktop", "6.6.0", "Rancher Desktop"},
		{"Debian GNU/Linux 12 (bookworm)", "devbox", "6.1.0-18-amd64", ""},
		{"Ubuntu 24.04 LTS", "pc", "5.15.153.1-microsoft-standard-WSL2", ""},
		{"", "", "", ""},
	} {
		if got := machineOf(tt.operatingSystem, tt.name, tt.kernel); got != tt.want {
			t.Errorf("%q on %q, kernel %q: %q, want %q", tt.operatingSystem, tt.name, tt.kernel, got, tt.want)
		}
	}
}

// A proxy may refuse /info, and the machine's own files say the same.
func TestWhichMachineThisHostIs(t *testing.T) {
	const ubuntu = "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04 LTS\"\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
		told  bool
	}{
		{"a host", map[string]string{"1/root/etc/os-release": ubuntu, "1/root/etc/hostname": "devbox\n", "sys/kernel/hostname": "devbox\n"}, "", true},
		{"colima, seen from a container", map[string]string{"1/root/etc/os-release": ubuntu, "1/root/etc/hostname": "colima\n", "sys/kernel/hostname": "0a1b2c3d4e5f\n"}, "colima", true},
		{"colima, by the host's name alone", map[string]string{"sys/kernel/hostname": "colima\n", "self/root/.dockerenv": ""}, "colima", true},
		{"Rancher Desktop on WSL", map[string]string{"1/root/etc/os-release": "PRETTY_NAME='Rancher Desktop WSL Distribution'\n"}, "Rancher Desktop", true},
		{"Docker Desktop, by its kernel alone", map[string]string{"sys/kernel/osrelease": "6.10.14-linuxkit\n"}, "Docker Desktop", true},
		{"podman's machine", map[string]string{"1/root/etc/hostname": "localhost.localdomain\n", "1/root/etc/containers/podman-machine": "applehv\n"}, "podman machine", true},
		{"a user's reaperd, who may not look into process 1", map[string]string{"self/root/etc/os-release": ubuntu, "self/root/etc/hostname": "devbox\n"}, "", true},
		{"a container that may not", map[string]string{"self/root/etc/hostname": "0a1b2c3d4e5f\n", "self/root/.dockerenv": ""}, "", false},
		{"podman's container that may not", map[string]string{"self/root/etc/hostname": "box\n", "self/root/run/.containerenv": ""}, "", false},
		{"nothing can be read", nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newTable(t)
			for name, text := range tt.files {
				p.put(name, text)
			}
			if got, told := p.proc.machine(); got != tt.want || told != tt.told {
				t.Errorf("got %q, told %v", got, told)
			}
		})
	}
}

func TestWhichMountsHoldTheSocket(t *testing.T) {
	bind := func(source, destination string) container.MountPoint {
		return container.MountPoint{Type: mount.TypeBind, Source: source, Destination: destination}
	}
	links := map[string]string{"/var/run/docker.sock": "/run/docker.sock", "/srv/link": "/run/user/1000"}
	real := func(path string) string {
		if to, ok := links[path]; ok {
			return to
		}
		return path
	}
	tests := []struct {
		name   string
		mount  container.MountPoint
		socket string
		want   bool
	}{
		{"the socket", bind("/var/run/docker.sock", "/var/run/docker.sock"), "/var/run/docker.sock", true},
		{"the socket under another name outside", bind("/srv/s.sock", "/var/run/docker.sock"), "/var/run/docker.sock", true},
		{"the socket under another name inside", bind("/run/user/1000/docker.sock", "/engine"), "/var/run/docker.sock", true},
		{"podman's", bind("/run/podman/podman.sock", "/s"), "/run/podman/podman.sock", true},
		{"this engine's, whatever its name", bind("/srv/engine/s", "/s"), "/srv/engine/s", true},
		{"/run", bind("/run", "/host/run"), "/var/run/docker.sock", true},
		{"/var/run", bind("/var/run/", "/var/run"), "", true},
		{"the whole host", bind("/", "/host"), "", true},
		{"a directory above it", bind("/run/user", "/u"), "/run/user/1000/docker.sock", true},
		{"a link to a directory above it", bind("/srv/link", "/u"), "/run/user/1000/docker.sock", true},
		{"a directory beside it", bind("/run/udev", "/run/udev"), "/var/run/docker.sock", false},
		{"a project", bind("/home/dev/project", "/workspace"), "/var/run/docker.sock", false},
		{"a name that only begins alike", bind("/run/user/1000/docker", "/d"), "/run/user/1000/docker.sock", false},
		{"on macOS a home does not pass sockets on", bind("/Users/dev", "/home"), "", false},
		{"a volume is no directory of the host's", container.MountPoint{Type: mount.TypeVolume, Source: "/var/lib/docker/volumes/x/_data", Destination: "/data"}, "/var/lib/docker/volumes/x/_data/s", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := opens(tt.mount, tt.socket, real); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTCPAddressOfAnEngine(t *testing.T) {
	tests := []struct {
		argv, want string
	}{
		{"/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock", ""},
		{"dockerd -H unix:///var/run/docker.sock -H tcp://0.0.0.0:2375", "tcp://0.0.0.0:2375"},
		{"dockerd --host=tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375"},
		{"dockerd --host tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375"},
		{"dockerd -H=tcp://:2376 --tlsverify", "tcp://:2376"},
		{"dockerd -Htcp://:2376", "tcp://:2376"},
		{"podman system service --time=0 tcp://0.0.0.0:8080", "tcp://0.0.0.0:8080"},
		{"dockerd --log-opt syslog-address=tcp://logs:514 --registry-mirror=https://mirror", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := tcpAddress(hostArguments(strings.Fields(tt.argv))); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.argv, got, tt.want)
		}
	}
	if got := tcpAddress(configuredHosts([]byte(`{"log-driver":"local","hosts":["fd://","tcp://0.0.0.0:2375"]}`))); got != "tcp://0.0.0.0:2375" {
		t.Errorf("configuration: %q", got)
	}
	if got := tcpAddress(configuredHosts([]byte(`{"hosts":`))); got != "" {
		t.Errorf("broken configuration: %q", got)
	}
}

func TestWhereTheEnginesConfigurationIs(t *testing.T) {
	tests := []struct {
		argv string
		uid  int
		want string
	}{
		{"dockerd -H fd://", 0, "/etc/docker/daemon.json"},
		{"dockerd --config-file /srv/d.json", 0, "/srv/d.json"},
		{"dockerd --config-file=/srv/d.json", 1000, "/srv/d.json"},
		{"dockerd", 1000, ""},
	}
	for _, tt := range tests {
		if got := configFile(strings.Fields(tt.argv), tt.uid); got != tt.want {
			t.Errorf("%q of uid %d: %q, want %q", tt.argv, tt.uid, got, tt.want)
		}
	}
}

func TestEverySocketOfAnEngineIsKnown(t *testing.T) {
	n := &engine{endpoint: Endpoint{Host: "unix:///run/docker.sock"}}
	if got := n.sockets([]string{"fd://", "unix:///run/docker.sock", "unix:///srv/second.sock", "tcp://:2375"}); !slices.Equal(got, []string{"/run/docker.sock", "/srv/second.sock"}) {
		t.Errorf("it listens on %q", got)
	}
	if got := (&engine{endpoint: Endpoint{Host: "tcp://far:2375"}}).sockets(nil); got != nil {
		t.Errorf("an engine elsewhere has the sockets %q", got)
	}
}

func TestWhereAnEngineListens(t *testing.T) {
	tests := []struct {
		name  string
		world func(*table)
		pid   int
		want  string
	}{
		{"its arguments say so", func(p *table) {
			p.process(700, "dockerd", 1, "0::/")
			p.file(700, "cmdline", "dockerd\x00-H\x00tcp://0.0.0.0:2375\x00")
		}, 700, "tcp://0.0.0.0:2375"},
		{"its configuration says so", func(p *table) {
			p.process(700, "dockerd", 1, "0::/")
			p.file(700, "cmdline", "dockerd\x00--config-file=/d.json\x00")
			p.file(700, "root/d.json", `{"hosts":["tcp://0.0.0.0:2376"]}`)
		}, 700, "tcp://0.0.0.0:2376"},
		{"init opened the socket, the PID file names the engine", func(p *table) {
			p.process(1, "systemd", 0, "0::/")
			p.file(1, "root/var/run/docker.pid", "700")
			p.process(700, "dockerd", 1, "0::/")
			p.file(700, "cmdline", "dockerd\x00-H\x00fd://\x00-H\x00tcp://0.0.0.0:2375\x00")
		}, 1, "tcp://0.0.0.0:2375"},
		{"the PID file is of an engine that is gone", func(p *table) {
			p.process(1, "systemd", 0, "0::/")
			p.file(1, "root/var/run/docker.pid", "700")
			p.process(700, "bash", 1, "0::/")
			p.file(700, "cmdline", "bash\x00tcp://0.0.0.0:2375\x00")
		}, 1, ""},
		{"on its socket alone", func(p *table) {
			p.process(700, "dockerd", 1, "0::/")
			p.file(700, "cmdline", "dockerd\x00--config-file=/d.json\x00")
			p.file(700, "root/d.json", `{"hosts":["fd://"]}`)
		}, 700, ""},
		{"its arguments cannot be read", func(p *table) {}, 700, ""},
		{"nobody knows who listens", func(p *table) {}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newTable(t)
			tt.world(p)
			if got := (&engine{proc: p.proc, system: "linux"}).hosts(peer{pid: tt.pid}); tcpAddress(got) != tt.want {
				t.Errorf("listens on %q, want %q", got, tt.want)
			}
		})
	}
}
