//go:build linux

package deploy_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// The live tests bring up an engine in PID, mount and network namespaces of
// their own, where "the host" of a container is that namespace: compose files
// run there as they are.

func TestMain(m *testing.M) {
	if os.Getenv("REAPERD_TEST_DEPLOY") == "1" {
		farm.Main(m)
	}
	os.Exit(m.Run())
}

// The images of the live tests.
const (
	image       = "reaperd:test"
	serverImage = "ghcr.io/enuno/unifi-mcp-server:latest"
	proxyImage  = "wollomatic/socket-proxy:1.12.2" // as in the compose files
	agentImage  = "gateway:test"
)

const engineSocket = "/run/docker.sock"

// engine is a dockerd of the namespace, with a copy of the compose files.
type engine struct {
	live  *farm.Live
	files string
}

// beside runs body in namespaces of its own beside an engine.
func beside(t *testing.T, body func(t *testing.T, e *engine)) {
	t.Helper()
	slow(t)
	for program, from := range map[string]string{"dockerd": "docker.io", "docker": "docker.io", "docker-compose": "docker-compose"} {
		tool(t, program, "Debian: "+from)
	}
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		e := &engine{live: farm.Raise(t, farm.World{})}
		e.start(t)
		body(t, e)
	})
}

func (e *engine) start(t *testing.T) {
	t.Helper()
	folder := e.live.Folder
	log, err := os.Create(folder.Path("run", "dockerd.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+engineSocket)
	t.Setenv("DOCKER_BUILDKIT", "0")
	t.Setenv("COMPOSE_PROJECT_NAME", "test")
	t.Setenv("REAPERD_IMAGE", image)
	t.Setenv("GATEWAY_IMAGE", agentImage)
	daemon := exec.CommandContext(context.WithoutCancel(t.Context()), "dockerd", "--data-root", folder.Path("engine", "root"),
		"--exec-root", folder.Path("engine", "exec"), "--pidfile", folder.Path("engine", "pid"),
		"-H", "unix://"+engineSocket, "--bridge", "none", "--iptables=false", "--ip-masq=false", "--log-level", "error")
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil { // it ends with the namespace
		t.Fatal(err)
	}
	farm.Eventually(t, "the engine answers", func() bool { return exec.Command("docker", "version").Run() == nil })
	e.files = folder.Path("compose")
	run(t, "cp", "-r", "compose", e.files)
}

// build builds the image as `make image` does, and returns its size.
func (e *engine) build(t *testing.T) int {
	t.Helper()
	run(t, "image/build.sh", image)
	size, err := strconv.Atoi(strings.TrimSpace(run(t, "docker", "image", "inspect", "--format", "{{.Size}}", image)))
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// imported makes an image of programs: path inside → path of the program here.
func imported(t *testing.T, name string, programs map[string]string, changes ...string) {
	t.Helper()
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, path := range slices.Sorted(keys(programs)) {
		data, err := os.ReadFile(programs[path])
		if err != nil {
			t.Fatal(err)
		}
		header := &tar.Header{Name: path, Mode: 0o755, Size: int64(len(data))}
		if err := writer.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	args := []string{"import"}
	for _, change := range changes {
		args = append(args, "--change", change)
	}
	cmd := exec.CommandContext(t.Context(), "docker", append(args, "-", name)...)
	cmd.Stdin = &archive
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("docker import %s: %v\n%s", name, err, said)
	}
}

func keys[V any](of map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range of {
			if !yield(key) {
				return
			}
		}
	}
}

func (e *engine) compose(t *testing.T, file string, args ...string) string {
	t.Helper()
	return runIn(t, e.files, "docker-compose", append([]string{"-f", file}, args...)...)
}

// up starts a compose file and waits until reaperd's own health check says yes.
func (e *engine) up(t *testing.T, file string) {
	t.Helper()
	e.compose(t, file, "up", "-d")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(e.compose(t, file, "logs", "--no-color", "--tail=40"))
		}
	})
	farm.Eventually(t, "reaperd is well", func() bool {
		return exec.Command("docker", "exec", container(t, "reaperd"), "/reaperd", "health").Run() == nil
	})
}

// container is the id of a service's container, whatever compose calls it.
func container(t *testing.T, service string) string {
	t.Helper()
	return strings.TrimSpace(run(t, "docker", "ps", "-aq", "--no-trunc", "--filter", "label=com.docker.compose.service="+service))
}

// quick makes a folder's policy that of a test: the built-in rules, sooner.
func (e *engine) quick(t *testing.T, folder, more string) {
	t.Helper()
	text := "version: 1\nextends: builtin\nschedule: \"@every 2s\"\n" + more
	load(t, folder, []byte(text))
	if err := os.WriteFile(filepath.Join(e.files, folder, "policies.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const soon = `rules:
  - {name: orphaned-servers, for: 3s, grace: 1s}
  - {name: orphaned-containers, for: 3s, grace: 1s}
`

// lone is the environment of what runs in a container of a session's server: it
// outlives the end of its input and does not hear SIGTERM.
func lone(name string) string {
	text, err := json.Marshal(actor.Part{Name: name, Does: actor.Server, IgnoreEOF: true, IgnoreTerm: true})
	if err != nil {
		panic(err) // strings and claims
	}
	return actor.EnvPart + "=" + string(text)
}

// session is a client with a server of its own, NAME-server, and one in a
// container, NAME-inside, behind `docker run`, NAME-client.
func session(t *testing.T, name string) actor.Part {
	t.Helper()
	return actor.Part{
		Name: name, Exe: "claude", Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true,
		Children: []actor.Part{
			{
				Name: name + "-server", Exe: "node", Argv: []string{"node", "/usr/lib/node_modules/.bin/mcp-server-filesystem", "/home/dev"},
				Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Server, IgnoreEOF: true,
			},
			{
				Name: name + "-client", Exe: tool(t, "docker", "Debian: docker.io"),
				Argv:  []string{"docker", "run", "-i", "--rm", "--network", "none", "-e", actor.EnvPart, serverImage},
				Env:   []string{"DOCKER_HOST=unix://" + engineSocket, "HOME=$W/home", lone(name + "-inside")},
				Stdin: actor.Pipe, Stdout: actor.Pipe,
			},
		},
	}
}

// sessions starts sessions and waits for what runs in their containers.
func (e *engine) sessions(t *testing.T, names ...string) {
	t.Helper()
	imported(t, serverImage, map[string]string{"usr/local/bin/python": farm.Program("actor")}, `ENTRYPOINT ["/usr/local/bin/python","-m","src.main"]`)
	for _, name := range names {
		e.live.Start(t, []actor.Part{session(t, name)})
		farm.Eventually(t, name+"-inside runs", func() bool {
			found, there := seek("python", lone(name+"-inside"))
			if there {
				e.live.Adopt(name+"-inside", found)
			}
			return there
		})
	}
}

// seek is the process of a program that has that entry in its environment.
func seek(program, entry string) (farm.Being, bool) {
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return farm.Being{}, false
	}
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), entry) {
			continue
		}
		exe, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		if err != nil || filepath.Base(exe) != program {
			continue
		}
		return being(filepath.Base(filepath.Dir(path)))
	}
	return farm.Being{}, false
}

func being(pid string) (farm.Being, bool) {
	number, err := strconv.Atoi(pid)
	if err != nil {
		return farm.Being{}, false
	}
	mark, err := actor.StartOf(number)
	return farm.Being{PID: number, Start: mark}, err == nil
}

// all are the processes of a session but for itself.
func all(name string) []string { return []string{name + "-server", name + "-client", name + "-inside"} }

func (e *engine) alive(t *testing.T, names ...string) (alive []string) {
	t.Helper()
	for _, name := range names {
		if e.live.Being(t, name).Alive() {
			alive = append(alive, name)
		}
	}
	return alive
}

// get is the body of a page of the namespace's own loopback.
func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s (%v)\n%s", url, response.Status, err, body)
	}
	return string(body)
}

// sweeps is how many sweeps the sidecar has made.
func sweeps(t *testing.T) (count float64) {
	t.Helper()
	for line := range strings.Lines(get(t, "http://127.0.0.1:9723/metrics")) {
		if strings.HasPrefix(line, "reaperd_sweeps_total{") {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
			if err != nil {
				t.Fatal(err)
			}
			count += value
		}
	}
	return count
}

// reaps kills one of two sessions, and holds that all of it goes and that
// nothing of the other does, for some sweeps more.
func (e *engine) reaps(t *testing.T) {
	t.Helper()
	e.live.KillAll(t, []string{"killed"})
	began := time.Now()
	farm.Eventually(t, "what the dead session left is gone", func() bool { return len(e.alive(t, all("killed")...)) == 0 })
	farm.Figure(t, "gone %s after its session", time.Since(began).Round(100*time.Millisecond))
	before := sweeps(t)
	farm.Eventually(t, "it has swept three times more", func() bool { return sweeps(t) >= before+3 })
	if kept := e.alive(t, append(all("live"), "live")...); len(kept) != 4 {
		t.Errorf("of the live session only %v are left", kept)
	}
}

func (e *engine) memory(t *testing.T) {
	t.Helper()
	farm.Figure(t, "sidecar: %s", strings.TrimSpace(run(t, "docker", "stats", "--no-stream", "--format", "{{.MemUsage}}, {{.PIDs}} threads", container(t, "reaperd"))))
}

func TestTheImageIsSmallAndHealthyAndPullsNothing(t *testing.T) {
	beside(t, func(t *testing.T, e *engine) {
		size := e.build(t)
		farm.Figure(t, "image: %.1f MB", float64(size)/1e6)
		if size >= 20_000_000 {
			t.Errorf("the image has %d bytes, want less than 20 MB", size)
		}
		if images := strings.Fields(run(t, "docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}}")); slices.ContainsFunc(images, func(name string) bool { return name != image && !strings.HasPrefix(name, "<none>") }) {
			t.Errorf("images are %v, want its own alone", images)
		}
		var labels map[string]string
		if err := json.Unmarshal([]byte(run(t, "docker", "image", "inspect", "--format", "{{json .Config.Labels}}", image)), &labels); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"title", "description", "source", "licenses", "version", "revision"} {
			if labels["org.opencontainers.image."+label] == "" {
				t.Errorf("no label %s in %v", label, labels)
			}
		}
		licences := filepath.Join(t.TempDir(), "licenses")
		run(t, "docker", "create", "--name", "read", image)
		run(t, "docker", "cp", "read:/licenses", licences)
		run(t, "docker", "rm", "read")
		if others := run(t, "gzip", "-dc", filepath.Join(licences, "third-party-licences.txt.gz")); !strings.Contains(others, "github.com/docker/docker ") {
			t.Error("the licence of Docker's module is not in the image")
		}
		if _, err := os.Stat(filepath.Join(licences, "LICENSE")); err != nil {
			t.Error(err)
		}
		// Without the host's process table it says so, and which key brings it.
		if said := run(t, "docker", "run", "--rm", "--network", "none", image, "doctor"); !strings.Contains(said, "pid: host") {
			t.Errorf("doctor does not name the missing key:\n%s", said)
		}
		// The engine's own health check, only more often.
		run(t, "docker", "run", "-d", "--name", "well", "--network", "none", "--health-interval", "1s", image)
		farm.Eventually(t, "the engine calls it healthy", func() bool {
			return strings.TrimSpace(run(t, "docker", "inspect", "--format", "{{.State.Health.Status}}", "well")) == "healthy"
		})
		began := time.Now()
		run(t, "docker", "stop", "-t", "30", "well")
		if code := strings.TrimSpace(run(t, "docker", "inspect", "--format", "{{.State.ExitCode}}", "well")); code != "0" {
			t.Errorf("told to end, it ended with %s", code)
		}
		farm.Figure(t, "ended %s after it was told to", time.Since(began).Round(100*time.Millisecond))
	})
}

func TestTheSidecarReapsOnTheHost(t *testing.T) {
	beside(t, func(t *testing.T, e *engine) {
		e.build(t)
		e.quick(t, "policy", soon)
		e.sessions(t, "live", "killed")
		e.up(t, "compose.yaml")
		e.reaps(t)
		e.memory(t)
		asks(t)
	})
}

// asks has a user of the host ask the sidecar's daemon, by the host's own program.
func asks(t *testing.T) {
	t.Helper()
	status := exec.CommandContext(t.Context(), farm.Program("reaperd"), "status")
	status.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: cast.Ordinary, Gid: cast.Ordinary}}
	status.Env = []string{"HOME=/"}
	if said, err := status.CombinedOutput(); err != nil || !strings.Contains(string(said), "Acting on this host (") {
		t.Errorf("a user of the host asks: %v\n%s", err, said)
	}
}

// stand makes an image of one of the programs in compose/testdata.
func (e *engine) stand(t *testing.T, name, image string) {
	t.Helper()
	program := e.live.Folder.Path(name)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./compose/testdata/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, said)
	}
	imported(t, image, map[string]string{name: program}, fmt.Sprintf("ENTRYPOINT [%q]", "/"+name))
}

// proxied builds the stand-in for the proxy.
func (e *engine) proxied(t *testing.T) {
	t.Helper()
	e.stand(t, "socket-proxy", proxyImage)
}

func TestTheSidecarReapsBehindTheProxy(t *testing.T) {
	beside(t, func(t *testing.T, e *engine) {
		e.build(t)
		e.proxied(t)
		e.quick(t, "policy", soon)
		e.sessions(t, "live", "killed")
		e.up(t, "compose.socket-proxy.yaml")
		e.reaps(t)
		e.memory(t)

		volume := strings.TrimSpace(run(t, "docker", "volume", "ls", "-q", "--filter", "label=com.docker.compose.volume=proxy"))
		socket := filepath.Join(strings.TrimSpace(run(t, "docker", "volume", "inspect", "--format", "{{.Mountpoint}}", volume)), "docker.sock")
		sent := []string{
			"POST /v1.41/containers/create", "POST /v1.41/containers/reaperd/stop", "POST /v1.41/containers/" + strings.Repeat("0", 64) + "/exec",
			"GET /v1.41/images/json", "DELETE /v1.41/containers/reaperd", "PUT /v1.41/containers/" + strings.Repeat("0", 64) + "/archive",
		}
		refusedAll(t, socket, sent)
		// What reaperd itself asks for in vain is one thing.
		info := regexp.MustCompile(`^GET /v1\.[0-9]+/info$`)
		for line := range strings.Lines(run(t, "docker", "logs", container(t, "docker-proxy"))) {
			what, refused := strings.CutPrefix(strings.TrimSpace(line), "refused ")
			if refused && !slices.Contains(sent, what) && !info.MatchString(what) {
				t.Errorf("also refused: %s", what)
			}
		}
	})
}

// refusedAll sends requests through the proxy, and holds that each is refused
// and logged.
func refusedAll(t *testing.T, socket string, requests []string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	for _, line := range requests {
		method, path, _ := strings.Cut(line, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, "http://proxy"+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s, want it refused", line, response.Status)
		}
	}
	log := run(t, "docker", "logs", container(t, "docker-proxy"))
	for _, line := range requests {
		if !strings.Contains(log, "refused "+line+"\n") {
			t.Errorf("the log does not say: refused %s", line)
		}
	}
}

// inSidecar runs reaperd's tool in the sidecar and returns its stdout and exit code.
func inSidecar(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "docker", append([]string{"exec", container(t, "reaperd"), "/reaperd"}, args...)...)
	var said, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &talk
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	if talk.Len() > 0 {
		t.Logf("%v: %s", args, talk.String())
	}
	return said.String(), cmd.ProcessState.ExitCode()
}

func TestReportOnlyCannotEndWhatItIsToldToEnd(t *testing.T) {
	beside(t, func(t *testing.T, e *engine) {
		e.build(t)
		e.proxied(t)
		e.quick(t, "policy", soon)
		e.sessions(t, "live", "killed")
		e.up(t, "compose.report-only.yaml")
		e.live.KillAll(t, []string{"killed"})

		// It sees all there is to see …
		var report farm.Report
		farm.Eventually(t, "it would reap the server and the container", func() bool {
			said, _ := inSidecar(t, "scan", "--settle", "4s", "-o", "json")
			if err := json.Unmarshal([]byte(said), &report); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			var would int
			for _, target := range report.Targets {
				if target.Decision == "reap" {
					would++
				}
			}
			return would >= 3 // server, container, its client
		})
		// … and ends nothing, however it is told to.
		said, code := inSidecar(t, "sweep", "--yes", "--mode", "enforce", "--settle", "4s", "-o", "json")
		if code != 4 {
			t.Errorf("exit code %d, want 4: acts failed\n%s", code, said)
		}
		// Nor does anything else that runs as it does, in whichever way.
		e.stand(t, "ender", "test/ender")
		victim := strconv.Itoa(e.live.Being(t, "live-server").PID)
		said = run(t, "docker", "run", "--rm", "--network", "none", "--pid", "host", "--cap-drop", "ALL",
			"--cap-add", "SYS_PTRACE", "--cap-add", "DAC_READ_SEARCH", "--security-opt", "no-new-privileges:true",
			"--security-opt", "seccomp="+filepath.Join(e.files, "seccomp.report-only.json"), "test/ender", victim)
		t.Logf("what refused to end process %s:\n%s", victim, said)
		if left := e.alive(t, append(all("killed"), all("live")...)...); len(left) != 6 {
			t.Errorf("only %v are left", left)
		}
	})
}

// copies are the gateway's servers, oldest first.
func copies() (found []farm.Being) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	for _, path := range lines {
		if text, err := os.ReadFile(path); err != nil || string(text) != "/usr/local/bin/dialpad-messaging\x00" {
			continue
		}
		if one, there := being(filepath.Base(filepath.Dir(path))); there && one.Alive() {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b farm.Being) int { return a.PID - b.PID })
	return found
}

// agent is the image of a gateway that has started three copies of one server, of which the newest works.
func (e *engine) agent(t *testing.T) {
	t.Helper()
	gateway := actor.Part{Name: "gateway"}
	for i := range 3 {
		gateway.Children = append(gateway.Children, actor.Part{
			Name: fmt.Sprintf("copy-%d", i), Exe: "usr/local/bin/dialpad-messaging", Argv: []string{"/usr/local/bin/dialpad-messaging"},
			Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server, Busy: i == 2,
		})
	}
	text, err := json.Marshal(gateway)
	if err != nil {
		t.Fatal(err)
	}
	program := farm.Program("actor")
	imported(t, agentImage, map[string]string{
		"world/bin/node": program, "world/usr/local/bin/dialpad-messaging": program, "world/run/.keep": "/dev/null", "tmp/.keep": "/dev/null",
	},
		`ENTRYPOINT ["/world/bin/node","dist/index.js","gateway","--bind","lan","--port","18789"]`,
		"ENV "+actor.EnvPart+"='"+string(text)+"'", "ENV "+actor.EnvFolder+"=/world")
}

func TestBesideAGatewayTheOldCopiesGoAndAnAlertFires(t *testing.T) {
	beside(t, func(t *testing.T, e *engine) {
		tool(t, "prometheus", "Debian: prometheus")
		e.build(t)
		e.agent(t)
		const policy = `
servers:
  - {name: dialpad, match: {argv: ["/usr/local/bin/dialpad-messaging"]}}
rules:
  - {name: duplicates, match: {kind: server, finding: duplicate, idle_for: 3s}, for: 2s, grace: 1s, action: terminate, keep_newest: 1}
`
		e.quick(t, "policy-gateway", policy)
		e.compose(t, "compose.gateway.yaml", "up", "-d", "gateway")
		farm.Eventually(t, "three copies are up", func() bool { return len(copies()) == 3 })
		newest := copies()[2]
		gateway, there := seek("node", actor.EnvFolder+"=/world")
		if !there {
			t.Fatal("no gateway")
		}
		e.up(t, "compose.gateway.yaml")
		farm.Eventually(t, "the old copies are gone", func() bool { return len(copies()) <= 1 })
		if left := copies(); len(left) != 1 || left[0] != newest {
			t.Errorf("left are %v, want the newest, %v", left, newest)
		}
		if !gateway.Alive() {
			t.Error("the gateway is gone")
		}
		e.memory(t)
		e.alerts(t, policy)
	})
}

// alerts has a real Prometheus scrape the sidecar as its files say, and breaks
// and mends what two of the alerts watch.
func (e *engine) alerts(t *testing.T, policy string) {
	t.Helper()
	const at = "http://127.0.0.1:9090"
	e.prometheus(t, at)
	farm.Eventually(t, "Prometheus has found and scraped it", func() bool { return value(t, at, `up{job="reaperd"}`) == "1" })

	e.quick(t, "policy-gateway", policy)
	broken := filepath.Join(e.files, "policy-gateway", "policies.yaml")
	if err := os.WriteFile(broken, []byte("version: 1\nrulez: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	farm.Eventually(t, "ReaperdPolicyRefused fires", func() bool { return firing(t, at, "ReaperdPolicyRefused") })
	e.quick(t, "policy-gateway", policy)
	farm.Eventually(t, "ReaperdPolicyRefused is resolved", func() bool { return !firing(t, at, "ReaperdPolicyRefused") })

	run(t, "docker", "stop", container(t, "reaperd"))
	farm.Eventually(t, "ReaperdDown fires", func() bool { return firing(t, at, "ReaperdDown") })
	run(t, "docker", "start", container(t, "reaperd"))
	farm.Eventually(t, "ReaperdDown is resolved", func() bool {
		return !firing(t, at, "ReaperdDown") && value(t, at, `up{job="reaperd"}`) == "1"
	})
}

// prometheus starts one on the shipped files, with minutes made seconds. It
// ends with the namespace.
func (e *engine) prometheus(t *testing.T, at string) {
	t.Helper()
	folder := e.live.Folder.Path("prometheus")
	run(t, "cp", "-r", "prometheus", folder)
	for name, faster := range map[string]*strings.Replacer{
		"prometheus.yml":    strings.NewReplacer("_interval: 30s", "_interval: 1s"),
		"reaperd.rules.yml": strings.NewReplacer("for: 5m", "for: 2s", "for: 10m", "for: 2s", "[5m]", "[4s]"),
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(faster.Replace(string(read(t, path)))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The host's job has nothing to scrape here.
	if err := os.Remove(filepath.Join(folder, "targets/hosts.yml")); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "prometheus", "--config.file", filepath.Join(folder, "prometheus.yml"),
		"--storage.tsdb.path", filepath.Join(folder, "data"), "--web.listen-address", strings.TrimPrefix(at, "http://"))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("prometheus:\n%s", read(t, log.Name()))
		}
	})
	farm.Eventually(t, "Prometheus is ready", func() bool {
		response, err := http.Get(at + "/-/ready")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// value is that of an expression with one result; without one it is empty.
func value(t *testing.T, at, expression string) string {
	t.Helper()
	var answer struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/v1/query", nil)
	if err != nil {
		t.Fatal(err)
	}
	query := request.URL.Query()
	query.Set("query", expression)
	request.URL.RawQuery = query.Encode()
	if err := json.Unmarshal([]byte(get(t, request.URL.String())), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Data.Result) != 1 {
		return ""
	}
	text, _ := answer.Data.Result[0].Value[1].(string)
	return text
}

func firing(t *testing.T, at, alert string) bool {
	t.Helper()
	return value(t, at, `ALERTS{alertstate="firing",alertname="`+alert+`"}`) == "1"
}
