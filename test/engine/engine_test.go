//go:build linux

package engine_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

// image is that of the containers; its program is the actor under python's name.
const image = "ghcr.io/enuno/unifi-mcp-server:latest"

// engine is a dockerd in the world's namespace.
type engine struct {
	live *farm.Live
	cli  string
}

// missing says what an engine needs and this machine has not.
func missing() string {
	for _, program := range []string{"dockerd", "docker"} {
		if _, err := exec.LookPath(program); err != nil {
			return "an engine needs " + program
		}
	}
	return ""
}

// start starts dockerd and imports the image. It ends with the namespace.
func start(t *testing.T, live *farm.Live) *engine {
	t.Helper()
	cli, err := exec.LookPath("docker")
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{live: live, cli: cli}
	folder := live.Folder
	log, err := os.Create(folder.Path("run", "dockerd.log"))
	if err != nil {
		t.Fatal(err)
	}
	daemon := exec.CommandContext(t.Context(), "dockerd", "--data-root", folder.Path("engine", "root"),
		"--exec-root", folder.Path("engine", "exec"), "--pidfile", folder.Path("engine", "pid"),
		"-H", live.DockerHost(), "--bridge", "none", "--iptables=false", "--ip-masq=false",
		"--log-level", "error")
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("dockerd: %s", tail(string(text), 15))
		}
	})
	farm.Eventually(t, "the engine answers", func() bool {
		return e.command("version").Run() == nil
	})
	e.load(t)
	return e
}

func tail(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

func (e *engine) command(args ...string) *exec.Cmd {
	command := exec.Command(e.cli, args...)
	command.Env = append(os.Environ(), "DOCKER_HOST="+e.live.DockerHost(), "HOME="+e.live.Folder.Path("home"))
	return command
}

// docker runs the command line tool and returns what it says.
func (e *engine) docker(t *testing.T, args ...string) string {
	t.Helper()
	text, err := e.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return strings.TrimSpace(string(text))
}

// load imports the image from the actor alone.
func (e *engine) load(t *testing.T) {
	t.Helper()
	program, err := os.ReadFile(farm.Program("actor"))
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	header := &tar.Header{Name: "usr/local/bin/python", Mode: 0o755, Size: int64(len(program))}
	if err := writer.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	command := e.command("import", "--change", `ENTRYPOINT ["/usr/local/bin/python","-m","src.main"]`, "-", image)
	command.Stdin = &archive
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("docker import: %v\n%s", err, text)
	}
}

// inside is what runs in a container: it answers pings, outlives the end of
// its input and does not hear SIGTERM, as a first process without --init.
func inside(name string) string {
	text, err := json.Marshal(actor.Part{Name: name, Does: actor.Server, IgnoreEOF: true, IgnoreTerm: true})
	if err != nil {
		panic(err) // strings and claims
	}
	return actor.EnvPart + "=" + string(text)
}

// client is the docker tool below a session: what runs inside is called name,
// the tool itself NAME-client.
func (e *engine) client(name string, args ...string) actor.Part {
	return actor.Part{
		Name: name + "-client", Exe: e.cli, Argv: append([]string{"docker"}, args...),
		Env: []string{"DOCKER_HOST=" + e.live.DockerHost(), "HOME=$W/home", inside(name)},
	}
}

// run is `docker run -i --rm` as a client configures it.
func (e *engine) run(name string, stream actor.Stream, flags ...string) actor.Part {
	args := slices.Concat([]string{"run", "-i", "--rm", "--network", "none"}, flags, []string{"-e", actor.EnvPart, image})
	part := e.client(name, args...)
	part.Stdin, part.Stdout = stream, stream
	return part
}

// wrapped is the same below npm and a shell: NAME-npm, NAME-sh, NAME-client.
func (e *engine) wrapped(name string, stream actor.Stream, flags ...string) actor.Part {
	inner := e.run(name, actor.Inherit, flags...)
	return actor.Part{
		Name: name + "-npm", Exe: "node", Argv: append([]string{"npm exec @enuno/unifi-mcp-server"}, make([]string, 40)...),
		Stdin: stream, Stdout: stream, Does: actor.Wrapper,
		Children: []actor.Part{{
			Name: name + "-sh", Exe: "sh", Argv: []string{"sh", "-c", strings.Join(inner.Argv, " ")}, Does: actor.Wrapper,
			Children: []actor.Part{inner},
		}},
	}
}

// chain are the processes of a wrapped client, as one tree.
func chain(name string) string { return name + "-npm " + name + "-sh " + name + "-client" }

// deafened gives a client no input: its stdin is /dev/null.
func deafened(part actor.Part) actor.Part {
	part.Stdin, part.Stdout = actor.Null, actor.File
	return part
}

func session(name string, children ...actor.Part) actor.Part {
	return actor.Part{
		Name: name, Exe: "claude", Stdin: actor.TTY, Stdout: actor.TTY, Setsid: true, Children: children,
	}
}

// exec is `docker exec -i CONTAINER … </dev/null`.
func (e *engine) exec(name, container string) actor.Part {
	return deafened(e.client(name, "exec", "-i", "-e", actor.EnvPart, container, "/usr/local/bin/python", "-m", "src.main"))
}

// detached starts a container that has no client.
func (e *engine) detached(t *testing.T, name string, flags ...string) {
	t.Helper()
	args := slices.Concat([]string{"run", "-d", "--network", "none"}, flags, []string{"-e", inside(name), image})
	e.docker(t, args...)
	e.adopt(t, name)
}

// up starts parts and waits for what runs in their containers.
func (e *engine) up(t *testing.T, part actor.Part, names ...string) {
	t.Helper()
	e.live.Start(t, []actor.Part{part})
	for _, name := range names {
		e.adopt(t, name)
	}
}

// adopt waits for the process of that name in a container and names it.
func (e *engine) adopt(t *testing.T, name string) {
	t.Helper()
	var found farm.Being
	farm.Eventually(t, name+" runs in a container", func() (there bool) {
		found, there = seek(name)
		return there
	})
	_, parent, _ := found.State() // with --init the first process is its parent
	for line := range strings.Lines(e.docker(t, append([]string{"inspect", "--format", "{{.State.Pid}} {{.Id}}"}, e.containers(t)...)...)) {
		first, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if first == strconv.Itoa(found.PID) || first == strconv.Itoa(parent) {
			found.Container = id
		}
	}
	e.live.Adopt(name, found)
}

func (e *engine) containers(t *testing.T) []string {
	t.Helper()
	return strings.Fields(e.docker(t, "ps", "-aq", "--no-trunc"))
}

// seek is the process that plays a part in a container.
func seek(name string) (farm.Being, bool) {
	want := inside(name)
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return farm.Being{}, false
	}
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), want) {
			continue
		}
		exe, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		if err != nil || filepath.Base(exe) != "python" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		mark, err := actor.StartOf(pid)
		return farm.Being{PID: pid, Start: mark}, err == nil
	}
	return farm.Being{}, false
}

func TestMain(m *testing.M) { farm.Main(m) }

// within runs body beside an engine, in a namespace.
func within(t *testing.T, world farm.World, body func(t *testing.T, e *engine)) {
	t.Helper()
	farm.Demand(t, missing())
	farm.Inside(t, world.First, func(t *testing.T) {
		live := farm.Raise(t, world)
		body(t, start(t, live))
	})
}

func TestOrphanedContainersGoWithTheirClients(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive used-1-npm", "alive used-2-client"},
		Reap: []string{
			"left-1", chain("left-1"), "left-2", "left-2-client", "left-3", chain("left-3"), // sessions killed
			"cut-1", "cut-2", // clients killed
			"exec-killed",
		},
		// The wrappers of a killed client end by themselves.
		Either: []string{"cut-1-npm", "cut-1-sh"},
	}
	within(t, world, func(t *testing.T, e *engine) {
		e.up(t, session("killed-1", e.wrapped("left-1", actor.Socket), e.run("left-2", actor.Pipe)), "left-1", "left-2")
		e.up(t, session("killed-2", e.wrapped("left-3", actor.Socket, "--init")), "left-3")
		e.up(t, session("alive", e.wrapped("used-1", actor.Socket), e.run("used-2", actor.Pipe)), "used-1", "used-2")
		e.up(t, session("cut", e.wrapped("cut-1", actor.Socket), e.run("cut-2", actor.Pipe)), "cut-1", "cut-2")

		e.detached(t, "service", "-l", "docker-mcp=true", "-l", "docker-mcp-tool-type=mcp", "-l", "docker-mcp-name=unifi", "-l", "docker-mcp-transport=stdio")
		e.detached(t, "composed", "-l", "com.docker.compose.project=unifi", "-l", "com.docker.compose.service=mcp", "-l", "com.docker.compose.oneoff=False")
		e.detached(t, "composed-i", "-i", "-l", "com.docker.compose.project=unifi", "-l", "com.docker.compose.service=open")
		for _, name := range []string{"dev-alive", "dev-killed", "dev-both"} {
			e.detached(t, name, "--name", name, "-l", "devcontainer.local_folder=/home/dev/"+name)
		}
		e.up(t, session("execs",
			e.exec("exec-alive", "dev-alive"), e.exec("exec-killed", "dev-killed"),
			e.exec("exec-both-alive", "dev-both"), e.exec("exec-both-killed", "dev-both")),
			"exec-alive", "exec-killed", "exec-both-alive", "exec-both-killed")
		// It starts after all others, so no container but its own can be its.
		e.up(t, session("quiet", deafened(e.run("no-input", actor.Null))), "no-input")

		e.live.KillAll(t, []string{"killed-1", "killed-2", "cut-1-client", "cut-2-client", "exec-killed-client", "exec-both-killed-client"})
		e.live.Check(t)
	})
}

func TestWhatCannotBeToldIsAmbiguous(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive used-client"},
		Reap:    []string{"early"},
		// Its container is kept; whether its client is has no proof either way.
		Either: []string{"left-client"},
		Findings: map[string]string{
			"no-input": "ambiguous", "cut": "ambiguous", "left": "ambiguous",
		},
	}
	within(t, world, func(t *testing.T, e *engine) {
		e.up(t, session("cut-off", e.run("early", actor.Pipe), e.run("cut-later", actor.Pipe)), "early", "cut-later")
		// Its container looks like one whose client died: each container of the
		// image that is younger than this client may be the one that it has.
		e.up(t, session("quiet", deafened(e.run("no-input", actor.Null))), "no-input")
		e.up(t, session("cut-off-2", e.run("cut", actor.Pipe)), "cut")
		e.up(t, session("killed", e.run("left", actor.Pipe)), "left")
		e.up(t, session("alive", e.run("used", actor.Pipe)), "used")
		e.live.KillAll(t, []string{"early-client", "cut-client", "killed"})
		e.live.Check(t)
	})
}
