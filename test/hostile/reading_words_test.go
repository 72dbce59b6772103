//go:build linux

package hostile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// readingUnit is the environment and the memory, in kB, that the shipped unit gives the daemon.
const (
	readingUnit     = "GOMEMLIMIT=96MiB"
	readingUnitMost = 128 << 10
)

// A user has many sessions, each in a folder with a file that costs its reader many times its size. The daemon stays
// within its unit's memory, says of which files it knows nothing, and another user's orphan goes in time.
func TestHugeConfigurationsOfOneUserCostOthersNothing(t *testing.T) {
	for _, row := range []struct {
		says, file string
		sessions   int
		text       func(i int) string
	}{
		{"60 files of 3.5 MB with 46,000 servers", ".mcp.json", 60, func(i int) string { return readingMany(i, 46_000) }},
		{"60 files of 200 kB with 3,000 servers", ".mcp.json", 60, func(i int) string { return readingMany(i, 3_000) }},
		{"20 files with commands of 60,000 words", ".mcp.json", 20, func(int) string {
			return `{"mcpServers": {"x": {"command": "` + strings.Repeat("a ", 60_000) + `"}, "y": {"command": "` + strings.Repeat("b ", 60_000) + `"}}}`
		}},
		{"20 files of YAML with 500 times the same long arguments", ".continue/mcpServers/x.yaml", 20, func(int) string {
			text := "x: &a " + strings.Repeat("y", 100_000) + "\nl: &l [" + strings.Repeat("*a,", 250) + "]\nmcpServers:\n"
			for n := range 500 {
				text += fmt.Sprintf("  s%d:\n    command: z%[1]d\n    args: *l\n", n)
			}
			return text
		}},
	} {
		t.Run(row.says, func(t *testing.T) {
			readingWithin(t, func(t *testing.T, live *farm.Live) {
				var sessions []actor.Part
				for i := range row.sessions {
					session := cast.Claude(fmt.Sprintf("many-%d", i))
					session.UID, session.Cwd = cast.Ordinary, fmt.Sprintf("src/%d", i)
					sessions = append(sessions, session)
					readingWrite(t, live.Folder.Path(session.Cwd, row.file), row.text(i))
				}
				live.Start(t, append(sessions, readingServer("bob")))
				d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy, Env: []string{readingUnit}})
				live.KillAll(t, []string{"bob"})
				took := daemon.Gone(t, live, "bob-server")
				d.AwaitMore(t, 3)
				figures := daemon.FiguresOf(t, d.PID())
				farm.Figure(t, "%s: another user's orphan is gone %s after its session; %s", row.says, took.Round(10*time.Millisecond), figures)
				if figures.Peak > readingUnitMost {
					t.Errorf("the daemon held %d kB, and its unit kills it at %d", figures.Peak, readingUnitMost)
				}
				if _, out, _ := d.Run(t, "doctor"); !strings.Contains(out, live.Folder.Path("src")) {
					t.Errorf("doctor does not say which files are not used:\n%.2000s", out)
				}
			})
		})
	}
}

// readingMany is a configuration with so many servers.
func readingMany(i, count int) string {
	var text strings.Builder
	text.WriteString(`{"mcpServers": {`)
	for n := range count {
		fmt.Fprintf(&text, `"s%d-%d": {"command": "/opt/x%d/s", "args": ["%d", "--quietly", "all"]},`, i, n, i, n)
	}
	return strings.TrimSuffix(text.String(), ",") + "}}"
}

func readingConfigure(t *testing.T, folder, text string) {
	t.Helper()
	readingWrite(t, filepath.Join(folder, ".mcp.json"), text)
}

func readingWrite(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// readingJob is a job without a telling name, and its command line.
func readingJob(name string) (actor.Part, string) {
	return cast.Deaf(cast.Server(name, "/opt/queue/worker.js", actor.Pipe, "--queue", "mail")), "node /opt/queue/worker.js --queue mail"
}

// A user's session opens in a cloned repository, whose .mcp.json names the command of a job of that user. The job has lost
// its launcher and the other ends of its stdio. It is no server; what the session has started by that file is one.
func TestAClonedRepositoryMakesNoServerOfAJob(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		readingConfigure(t, live.Folder.Path("clone"), `{"mcpServers": {
			"job": {"command": "node", "args": ["/opt/queue/worker.js", "--queue", "mail"]},
			"own": {"command": "node", "args": ["/opt/queue/other.js"]}}}`)
		job, _ := readingJob("job")
		launched := cast.Launched(job)
		own := cast.Deaf(cast.Server("own", "/opt/queue/other.js", actor.Pipe))
		session, killed := cast.Claude("session"), cast.Claude("killed", own)
		session.Cwd, killed.Cwd, launched.UID, session.UID, killed.UID = "clone", "clone", cast.Ordinary, cast.Ordinary, cast.Ordinary
		live.Start(t, []actor.Part{launched, session, killed})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		d.AwaitMore(t, 3)
		live.KillAll(t, []string{"killed"})
		daemon.Gone(t, live, "own")
		d.AwaitMore(t, 4)
		if !live.Being(t, "job").Alive() {
			t.Error("the job was ended, because a repository's file names its command")
		}
	})
}

// In a container, the host's number of a user plays a session that runs the command of that user's job on the host.
func TestAContainerMakesNoServerOfTheHosts(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		e := farm.StartEngine(t, live)
		job, command := readingJob("job")
		launched := cast.Launched(job)
		launched.UID = cast.Ordinary
		live.Start(t, []actor.Part{launched})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		e.Docker(t, "tag", farm.Image, "acme/agents:1") // no name of a server's
		e.Docker(t, "run", "-d", "--network", "none", "--user", fmt.Sprint(cast.Ordinary), "-v", farm.Program("puppet")+":/claude:ro", "--entrypoint", "/claude",
			"-e", "PUPPET=session", "-e", "PUPPET_RUNS="+command, "acme/agents:1")
		farm.Eventually(t, "the session in the container has a server", func() bool { return readingPlays(t, command) > 1 })
		d.AwaitMore(t, 8)
		if !live.Being(t, "job").Alive() {
			t.Error("the host's job was ended, because a container runs its command below a session")
		}
		if _, report := d.Get(t, "/v1/account"); !strings.Contains(report, "worker.js") {
			t.Errorf("the session in the container has no server: the test shows nothing\n%.2000s", report)
		}
	})
}

// readingPlays counts the processes with a command line.
func readingPlays(t *testing.T, command string) int {
	t.Helper()
	return len(actingThat(t, func(argv []string) bool { return strings.Join(argv, " ") == command }))
}

// Another user is configured to use the port at which a client of somebody else's listens: that client stays a client, and what it
// started its servers.
func TestAnotherUsersAddressMakesNoServerOfAClient(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		home := readingUser(t, live, cast.Ordinary)
		gateway := cast.Session("victim", "openclaw", cast.Deaf(cast.Server("served", "$W/home/dev/mcp-server/dist/index.js", actor.Socket)))
		gateway.Listen = "tcp"
		live.Start(t, []actor.Part{gateway})
		port := readingPort(t, live.Being(t, "victim").PID)
		file := filepath.Join(home, ".claude.json")
		text := fmt.Sprintf(`{"mcpServers": {"x": {"url": "http://127.0.0.1:%d/"}}}`, port)
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chown(file, cast.Ordinary, cast.Ordinary)); err != nil {
			t.Fatal(err)
		}
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		d.AwaitMore(t, 2)
		state := d.Does(t, "scan", "-o", "json")
		if !strings.Contains(state, `"kind":"server"`) || strings.Contains(state, `"name":"x"`) {
			t.Errorf("a client is another user's server:\n%.3000s", state)
		}
	})
}

// readingPort is the TCP port at which a process listens.
func readingPort(t *testing.T, pid int) (port int) {
	t.Helper()
	farm.Eventually(t, "it listens", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 3 && fields[3] == "0A" {
				_, err := fmt.Sscanf(fields[1], "0100007F:%X", &port)
				return err == nil
			}
		}
		return false
	})
	return port
}
