//go:build linux

package engine_test

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/client"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// A program that nobody knows is connected to the engine, and may be attached to what a
// killed session left: engines do not tell. So that stays, scan says for whom, and the policy
// can say that the program only watches.
func TestAProgramThatWatchesTheEngine(t *testing.T) {
	within(t, farm.World{Answers: []string{"alive used-client"}}, func(t *testing.T, e *engine) {
		e.Up(t, session("killed", e.Run("left", actor.Pipe)), "left")
		e.Up(t, session("alive", e.Run("used", actor.Pipe)), "used")
		watching, err := net.Dial("unix", strings.TrimPrefix(e.live.DockerHost(), "unix://"))
		if err != nil {
			t.Fatal(err)
		}
		defer watching.Close()
		e.live.KillAll(t, []string{"killed", "left-client"})
		e.live.AwaitHangup(t, "left")
		e.live.World.Findings = map[string]string{"left": "ambiguous"}
		e.live.Check(t)
		left := e.live.Being(t, "left").Container[:12]
		for _, args := range [][]string{{"scan"}, {"scan", "-o", "json"}, {"explain", left}, {"explain", left, "-o", "json"}} {
			told := strings.Join(strings.Fields(e.live.Tell(t, append(args, "--settle", "1s")...)), " ")
			if !strings.Contains(told, "engine.test") || !strings.Contains(told, "trust: [{name: engine.test,") {
				t.Errorf("%s names neither the program nor the remedy:\n%s", args, told)
			}
		}
		e.live.Rule(farm.Impatient + "trust:\n  - {name: tests, match: {exe: engine.test}}\n")
		e.live.World.Findings, e.live.World.Reap = nil, []string{"left"}
		e.live.Check(t)
	})
}

// Programs have containers over the API, one of which a program has finished writing to,
// beside docker runs that began with them and were killed. There are as many closed inputs as
// there are dead runs; one of them waits for an answer.
func TestABatchOverTheAPIBesideKilledRuns(t *testing.T) {
	within(t, farm.World{Answers: []string{"alive used-client"}}, func(t *testing.T, e *engine) {
		reach := []client.Opt{client.WithHost(e.live.DockerHost())}
		e.Up(t, session("killed", e.Run("left", actor.Pipe), e.Run("left-too", actor.Pipe)), "left", "left-too")
		waiting, writing := e.attached(t, "waiting", reach), e.attached(t, "writing", reach)
		e.Up(t, session("alive", e.Run("used", actor.Pipe)), "used")
		if err := waiting.stream.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		e.live.KillAll(t, []string{"killed", "left-client", "left-too-client"})
		e.live.AwaitHangup(t, "left", "left-too", "waiting")
		e.live.World.Either = []string{"left", "left-too"}
		e.live.Check(t)
		writing.answers(t)
	})
}

// A server that a docker exec runs is the docker exec's client's: of several in one container
// each goes with its own, whatever a person does there. A container that is started without -i and not
// detached is its docker run's, too, and so is one that compose started once.
func TestServersGoWithTheirClientsHoweverTheyRun(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive kept-client"},
		Reap:    []string{"gone", "gone-client", "cut", "mute", "mute-client", "once", "once-client"},
	}
	within(t, world, func(t *testing.T, e *engine) {
		e.configured(t, `{"mcpServers": {"app": {"command": "docker", "args": ["exec", "-i", "-e", "FARM_PART", "app", "/usr/local/bin/python", "-m", "src.main"]},
			"mute": {"command": "docker", "args": ["run", "--rm", "--network", "none", "-e", "FARM_PART", "`+farm.Image+`"]}}}`)
		e.Detached(t, "app", "--name", "app")
		serve := func(name string) actor.Part {
			part := e.Client(name, "exec", "-i", "-e", actor.EnvPart, "app", "/usr/local/bin/python", "-m", "src.main")
			part.Stdin, part.Stdout = actor.Pipe, actor.Pipe
			return part
		}
		mute := e.Client("mute", "run", "--rm", "--network", "none", "-e", actor.EnvPart, farm.Image)
		mute.Stdin, mute.Stdout = actor.Pipe, actor.Pipe
		once := e.Run("once", actor.Pipe, "-l", "com.docker.compose.project=p", "-l", "com.docker.compose.service=db", "-l", "com.docker.compose.oneoff=True")
		shell := e.Client("shell", "exec", "-i", "-e", actor.EnvPart, "app", "/usr/local/bin/python", "-i")
		shell.Stdin, shell.Stdout = actor.TTY, actor.TTY
		e.Up(t, cast.Shell("person", shell), "shell")
		e.Up(t, session("killed", serve("gone"), mute, once), "gone", "mute", "once")
		e.Up(t, session("alive", serve("kept")), "kept")
		e.Up(t, session("cutting", serve("cut")), "cut")
		e.live.KillAll(t, []string{"killed", "cut-client"})
		e.live.Check(t)
	})
}

// What is used without its docker run stays: what was created and then started, what somebody has
// started again, what somebody calls at a port of the host's, and what lends its namespaces to
// another. A plain orphan goes, and so does one that lends them to another orphan.
func TestContainersThatAreUsedWithoutTheirDockerRuns(t *testing.T) {
	world := farm.World{
		Answers: []string{"alive used-client", "alive joined-client", "caller called"},
		Reap:    []string{"left", "left-client", "first", "first-client", "second", "second-client"},
	}
	within(t, world, func(t *testing.T, e *engine) {
		mute := func(name string, flags ...string) actor.Part {
			part := e.Client(name, slices.Concat([]string{"run", "--rm", "-e", actor.EnvPart}, flags, []string{farm.Image})...)
			part.Stdin, part.Stdout = actor.Pipe, actor.Pipe
			return part
		}
		serve := mute("called", "-e", actor.EnvFolder, "-v", string(e.live.Folder)+":"+string(e.live.Folder), "--network", "host")
		serve.Env[2] = actor.EnvPart + `={"name":"called","does":"server","listen":"tcp","ignore_eof":true,"ignore_term":true}`
		serve.Env = append(serve.Env, actor.EnvFolder+"=$W")
		of := func(name string) string { return "container:" + e.live.Being(t, name).Container }
		e.Docker(t, "create", "--network", "none", "--name", "made", "-e", farm.Contained("made"), farm.Image)
		e.Docker(t, "start", "made")
		e.Adopt(t, "made")
		e.Up(t, session("killed", serve, e.Run("lent", actor.Pipe, "--name", "lent"), e.Run("first", actor.Pipe, "--ipc", "shareable"), e.Run("left", actor.Pipe)), "called", "lent", "first", "left")
		e.live.Start(t, []actor.Part{{Name: "caller", Exe: "dashboard", Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Does: actor.Client, Calls: "called"}})
		e.Up(t, session("alive", e.Run("joined", actor.Pipe, "--pid", of("lent")), e.Run("used", actor.Pipe)), "joined", "used")
		e.Up(t, session("also-killed", e.Run("second", actor.Pipe, "--ipc", of("first"))), "second")
		e.live.KillAll(t, []string{"called-client", "killed", "also-killed"})
		e.live.Check(t)
	})
}

// configured writes the configuration of a client.
func (e *engine) configured(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(e.live.Folder.Path("home", ".claude.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Of containers that have exited, those that Docker named and whose run is gone are left over.
// What somebody named comes back, and its volume with it.
func TestExitedContainersThatSomebodyComesBackTo(t *testing.T) {
	rules := farm.Impatient + "  - {name: exited-leftovers, for: 1s}\n"
	within(t, farm.World{Rules: rules}, func(t *testing.T, e *engine) {
		ends := []string{"run", "-i", "--network", "none", "-e", actor.EnvPart + `={"does":"server"}`}
		e.Docker(t, append(ends, farm.Image)...)
		e.Docker(t, append(ends, "--name", "notes", "-v", "/data", farm.Image)...)
		e.Docker(t, "create", "-i", "--network", "none", farm.Image)
		e.live.Sweep(t)
		if left := strings.Fields(e.Docker(t, "ps", "-a", "--format", "{{.Names}}")); len(left) != 2 || !slices.Contains(left, "notes") {
			t.Errorf("left are %q, want what somebody named and what has never run", left)
		}
		if volumes := e.Docker(t, "volume", "ls", "-q"); len(strings.Fields(volumes)) != 1 {
			t.Errorf("volumes left: %q, want that of the named one", volumes)
		}
	})
}
