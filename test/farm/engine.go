//go:build linux

package farm

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Image is the image of the containers. Its program is the actor, named python.
const Image = "ghcr.io/enuno/unifi-mcp-server:latest"

// Engine is a dockerd in the world's namespace.
type Engine struct {
	live   *Live
	cli    string
	daemon *exec.Cmd
}

// NoEngine names the things that an engine needs and this machine lacks; "" if there are
// none.
func NoEngine() string {
	for _, program := range []string{"dockerd", "docker"} {
		if _, err := exec.LookPath(program); err != nil {
			return "an engine needs " + program
		}
	}
	return ""
}

// StartEngine starts dockerd and imports the image. dockerd ends with the namespace.
func StartEngine(t *testing.T, live *Live) *Engine {
	t.Helper()
	cli, err := exec.LookPath("docker")
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{live: live, cli: cli}
	e.Begin(t)
	e.load(t)
	return e
}

// Begin starts dockerd, also again after [Engine.Stop]. Running containers stay.
func (e *Engine) Begin(t *testing.T) {
	t.Helper()
	folder := e.live.Folder
	log, err := os.OpenFile(folder.Path("run", "dockerd.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	e.daemon = exec.CommandContext(t.Context(), "dockerd", "--data-root", folder.Path("engine", "root"),
		"--exec-root", folder.Path("engine", "exec"), "--pidfile", folder.Path("engine", "pid"),
		"-H", e.live.DockerHost(), "--bridge", "none", "--iptables=false", "--ip-masq=false",
		"--live-restore", "--log-level", "error")
	e.daemon.Stdout, e.daemon.Stderr = log, log
	if err := e.daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("dockerd: %s", tail(string(text), 15))
		}
		_ = log.Close()
	})
	Eventually(t, "the engine answers", func() bool {
		return e.command("version").Run() == nil
	})
}

// Stop ends dockerd. Its containers run on.
func (e *Engine) Stop(t *testing.T) {
	t.Helper()
	e.signal(t, unix.SIGTERM)
	if err := e.daemon.Wait(); err != nil {
		t.Fatalf("stop the engine: %v", err)
	}
}

// Hang makes dockerd accept connections and answer none, until [Engine.Wake].
func (e *Engine) Hang(t *testing.T) {
	t.Helper()
	e.signal(t, unix.SIGSTOP)
}

// Wake ends a hang.
func (e *Engine) Wake(t *testing.T) {
	t.Helper()
	e.signal(t, unix.SIGCONT)
}

func (e *Engine) signal(t *testing.T, signal unix.Signal) {
	t.Helper()
	if err := e.daemon.Process.Signal(signal); err != nil {
		t.Fatalf("signal the engine: %v", err)
	}
}

func tail(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

func (e *Engine) command(args ...string) *exec.Cmd {
	command := exec.Command(e.cli, args...)
	command.Env = append(os.Environ(), "DOCKER_HOST="+e.live.DockerHost(), "HOME="+e.live.Folder.Path("home"))
	return command
}

// Docker runs the command line tool and returns its output.
func (e *Engine) Docker(t *testing.T, args ...string) string {
	t.Helper()
	text, err := e.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return strings.TrimSpace(string(text))
}

// load imports the image, which contains the actor alone.
func (e *Engine) load(t *testing.T) {
	t.Helper()
	program, err := os.ReadFile(Program("actor"))
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
	command := e.command("import", "--change", `ENTRYPOINT ["/usr/local/bin/python","-m","src.main"]`, "-", Image)
	command.Stdin = &archive
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("docker import: %v\n%s", err, text)
	}
}

// Contained is the environment of the part in a container: it answers pings, outlives the
// end of its input and ignores SIGTERM, like a first process without --init.
func Contained(name string) string {
	text, err := json.Marshal(actor.Part{Name: name, Does: actor.Server, IgnoreEOF: true, IgnoreTerm: true})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return actor.EnvPart + "=" + string(text)
}

// Client plays the docker tool below a session. The part in the container is called name,
// the tool NAME-client.
func (e *Engine) Client(name string, args ...string) actor.Part {
	return actor.Part{
		Name: name + "-client", Exe: e.cli, Argv: append([]string{"docker"}, args...),
		Env: []string{"DOCKER_HOST=" + e.live.DockerHost(), "HOME=$W/home", Contained(name)},
	}
}

// Plugin plays a plugin of the docker tool, below the tool that runs it, as `docker mcp gateway run` runs
// docker-mcp. The tool is NAME-cli.
func (e *Engine) Plugin(t *testing.T, plugin actor.Part, args ...string) actor.Part {
	t.Helper()
	folder := e.live.Folder.Path("home", ".docker", "cli-plugins")
	err := os.MkdirAll(folder, 0o755)
	if path := filepath.Join(folder, plugin.Exe); err == nil {
		if _, missing := os.Stat(path); missing != nil {
			err = duplicate(Program("actor"), path)
		}
	}
	text, unfit := json.Marshal(plugin)
	if err = errors.Join(err, unfit); err != nil {
		t.Fatal(err)
	}
	return actor.Part{
		Name: plugin.Name + "-cli", Exe: e.cli, Argv: append([]string{"docker"}, args...), Stdin: actor.Pipe, Stdout: actor.Pipe,
		Env: []string{
			"DOCKER_HOST=" + e.live.DockerHost(), "HOME=$W/home", "DOCKER_CONFIG=$W/home/.docker",
			actor.EnvPart + "=" + string(text), actor.EnvFolder + "=$W",
		},
		Children: []actor.Part{plugin},
	}
}

// Run is `docker run -i --rm`, as clients configure it.
func (e *Engine) Run(name string, stream actor.Stream, flags ...string) actor.Part {
	args := slices.Concat([]string{"run", "-i", "--rm", "--network", "none"}, flags, []string{"-e", actor.EnvPart, Image})
	part := e.Client(name, args...)
	part.Stdin, part.Stdout = stream, stream
	return part
}

// Detached starts a container without a client.
func (e *Engine) Detached(t *testing.T, name string, flags ...string) {
	t.Helper()
	args := slices.Concat([]string{"run", "-d", "--network", "none"}, flags, []string{"-e", Contained(name), Image})
	e.Docker(t, args...)
	e.Adopt(t, name)
}

// Up starts parts and waits for the parts in their containers.
func (e *Engine) Up(t *testing.T, part actor.Part, names ...string) {
	t.Helper()
	e.live.Start(t, []actor.Part{part})
	for _, name := range names {
		e.Adopt(t, name)
	}
}

// Adopt waits for the process of that name in a container and names it.
func (e *Engine) Adopt(t *testing.T, name string) {
	t.Helper()
	var found Being
	Eventually(t, name+" runs in a container", func() (there bool) {
		found, there = seek(name)
		return there
	})
	_, parent, _ := found.State() // with --init, the first process is its parent
	for line := range strings.Lines(e.firsts(t)) {
		first, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if first == strconv.Itoa(found.PID) || first == strconv.Itoa(parent) {
			found.Container = id
		}
	}
	e.live.Adopt(name, found)
}

// firsts lists the first processes of all containers, as lines "PID ID". It ignores the
// tool's error about a container that has vanished meanwhile.
func (e *Engine) firsts(t *testing.T) string {
	t.Helper()
	text, err := e.command(append([]string{"inspect", "--format", "{{.State.Pid}} {{.Id}}"}, e.containers(t)...)...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("docker inspect: %v", err)
	}
	return string(text)
}

func (e *Engine) containers(t *testing.T) []string {
	t.Helper()
	return strings.Fields(e.Docker(t, "ps", "-aq", "--no-trunc"))
}

// seek finds the process that plays a part in a container.
func seek(name string) (Being, bool) {
	plays := func(variable string) bool { return strings.HasPrefix(variable, actor.EnvPart+`={"name":"`+name+`"`) }
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return Being{}, false
	}
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(strings.Split(string(text), "\x00"), plays) {
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
		return Being{PID: pid, Start: mark}, err == nil
	}
	return Being{}, false
}

// AwaitHangup waits until no one holds the stdin of these containers. A docker run needs a
// moment to hear of the end of its session and to pass it on to the engine; a look within
// that moment sees a container in use.
func (l *Live) AwaitHangup(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		being := l.Being(t, name)
		Eventually(t, "nobody holds the stdin of "+name, func() bool { return !being.isHeld() })
	}
}

// isHeld reports that a process has the write end of the pipe on this one's stdin.
func (b Being) isHeld() bool {
	stdin, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(b.PID), "fd/0"))
	if err != nil || !strings.HasPrefix(stdin, "pipe:") {
		return false
	}
	descriptors, err := filepath.Glob("/proc/[0-9]*/fd/*")
	return err == nil && slices.ContainsFunc(descriptors, func(path string) bool {
		link, err := os.Readlink(path)
		return err == nil && link == stdin && isWriteEnd(path)
	})
}

// isWriteEnd reports that a descriptor, such as /proc/12/fd/3, is open for writing.
func isWriteEnd(descriptor string) bool {
	info, err := os.ReadFile(strings.Replace(descriptor, "/fd/", "/fdinfo/", 1))
	if err != nil {
		return false
	}
	_, flags, _ := strings.Cut(string(info), "flags:")
	flags, _, _ = strings.Cut(strings.TrimSpace(flags), "\n")
	mode, err := strconv.ParseInt(flags, 8, 64)
	return err == nil && mode&unix.O_ACCMODE != unix.O_RDONLY
}
