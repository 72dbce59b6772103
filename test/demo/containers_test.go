//go:build linux

package demo_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/demo"
	"github.com/reaperd/reaperd/test/farm"
)

// withEngine runs body in a namespace with an engine that has a container of somebody
// else, which the demo neither shows nor ends.
func withEngine(t *testing.T, body func(t *testing.T, live *farm.Live, engine *farm.Engine)) {
	t.Helper()
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		engine.Detached(t, "stranger", "--name", "stranger")
		body(t, live, engine)
		if state := engine.Docker(t, "inspect", "--format", "{{.State.Status}}", "stranger"); state != "running" {
			t.Errorf("the container of somebody else is %s", state)
		}
	})
}

// beside is `reaperd demo` as a user of an engine starts it.
func beside(t *testing.T, host string, args ...string) *exec.Cmd {
	t.Helper()
	command := visit(t, 0, args...)
	command.Env = append(os.Environ(), "DOCKER_HOST="+host)
	return command
}

// cleared waits until the engine has neither containers nor images of any demo, and
// no process of it is left.
func cleared(t *testing.T, engine *farm.Engine) {
	t.Helper()
	farm.Eventually(t, "nothing of the demo is left in the engine", func() bool {
		return engine.Docker(t, "ps", "-aq", "--filter", "label=reaperd.demo") == "" &&
			engine.Docker(t, "images", "-q", "--filter", "label=reaperd.demo") == ""
	})
	farm.Eventually(t, "no process of the demo is left", func() bool {
		for _, line := range processes(t) {
			if strings.HasPrefix(line, "reaperd") || strings.HasPrefix(line, "docker run") {
				return false
			}
		}
		return true
	})
}

func TestTheDemoHasContainersWhereAnEngineAnswers(t *testing.T) {
	withEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		command := beside(t, live.DockerHost(), "--fast")
		command.Env = append(command.Env, "COLUMNS=80")
		var complaint bytes.Buffer
		command.Stderr = &complaint
		output, err := command.Output()
		said := string(output)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, said, complaint.String())
		}
		inOrder(t, said)
		for _, want := range []string{
			"Its containers are real", "8 MCP servers, all in use", "6 processes and a container live on",
			"3 MCP servers leaked", "ended: 3 servers stopped, ", "4 of 4 servers answer its call, the one in its container too",
		} {
			if !strings.Contains(onOneLine(said), want) {
				t.Errorf("it does not say %q:\n%s", want, said)
			}
		}
		if strings.Contains(said, "stranger") {
			t.Errorf("it shows a container of somebody else:\n%s", said)
		}
		isRecorded(t, said)
		cleared(t, engine)
	})
}

// isRecorded holds that the recording has the rows of the demo's screens, in the words of today. Other lines depend on
// how far the daemon is when a screen is shown.
func isRecorded(t *testing.T, said string) {
	t.Helper()
	recorded, rows := steady(demo.Recorded()), steady(said)
	if len(rows) < 6 {
		t.Errorf("only %d rows were found in\n%s", len(rows), said)
	}
	for row := range rows {
		if !recorded[row] {
			t.Errorf("the recording lacks a row of the demo: %q", row)
		}
	}
}

// steady are the headings of a demo's trees, the rows of what is in use and of what was left, and what the history says,
// with N for what is counted or measured.
func steady(said string) map[string]bool {
	rows, measured := regexp.MustCompile(`^(IN USE|LEAKED|Stop them|codex N|mcp-server-fetch N|N claude-code)`), regexp.MustCompile(`(demo-(claude|codex)-)[0-9a-f]+|[0-9][0-9:.-]*(ms|s|%| [kM]?B)?|–`)
	found := map[string]bool{}
	for line := range strings.Lines(said) {
		line = strings.Join(strings.Fields(measured.ReplaceAllString(line, "${1}N")), " ")
		if rows.MatchString(line) {
			found[line] = true
		}
	}
	return found
}

func TestNoContainerIsLeftWhereverTheDemoEnds(t *testing.T) {
	withEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
			for _, heading := range []string{"This is a world of its own", "2. The daemon starts", "4. The daemon has seen it too", "6. codex was left alone"} {
				command := beside(t, live.DockerHost(), "--fast")
				lines := begin(t, command)
				awaitLine(t, lines, heading)
				if err := command.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, lines)
				_ = command.Wait()
				cleared(t, engine)
			}
		}
	})
}

func TestAnEngineThatDiesTakesTheDemosWordNotItsPromise(t *testing.T) {
	withEngine(t, func(t *testing.T, live *farm.Live, engine *farm.Engine) {
		command := beside(t, live.DockerHost(), "--fast")
		var complaint bytes.Buffer
		command.Stderr = &complaint
		lines := begin(t, command)
		awaitLine(t, lines, "2. The daemon starts")
		engine.Docker(t, "rm", "-f", "demo-codex-"+markOf(t, engine))
		_, _ = io.Copy(io.Discard, lines)
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(complaint.String(), "the demo did not come out as told") {
			t.Errorf("exit %d, %s", code, complaint.String())
		}
		cleared(t, engine)
	})
}

// onOneLine undoes the breaks of lines, wherever they are.
func onOneLine(said string) string { return strings.Join(strings.Fields(said), " ") }

// markOf is what marks the containers of the demo that runs.
func markOf(t *testing.T, engine *farm.Engine) string {
	t.Helper()
	mark, _, _ := strings.Cut(engine.Docker(t, "ps", "--filter", "label=reaperd.demo", "--format", `{{.Label "reaperd.demo"}}`), "\n")
	return mark
}

func TestWithoutAnEngineTheDemoSaysSo(t *testing.T) {
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		silent, err := net.Listen("unix", t.TempDir()+"/silent.sock")
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		for _, c := range []struct{ name, host, why string }{
			{"nobody listens", "unix:///run/nobody.sock", "the engine at /run/nobody.sock does not answer: connect: no such file or directory"},
			{"one that does not answer", "unix://" + silent.Addr().String(), "/silent.sock did not answer within 5s"},
			{"one elsewhere", "tcp://127.0.0.1:1", "tcp://127.0.0.1:1 is not on this machine"},
		} {
			command := beside(t, c.host, "--fast")
			output, err := command.Output()
			said := onOneLine(string(output))
			if err != nil || !strings.Contains(said, "There are no containers in it: ") || !strings.Contains(said, c.why) || !strings.Contains(said, "3 of 3 servers answer") {
				t.Errorf("%s: %v\n%s", c.name, err, said)
			}
		}
		nothingLeft(t)
	})
}
