//go:build linux

package farm_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

//go:embed agent.bash
var agentScript []byte

//go:embed server.sh
var serverScript []byte

// endsSessions is a policy that ends orphaned sessions, which the shipped one only reports.
const endsSessions = farm.Impatient + "  - {name: orphaned-sessions, action: terminate, for: 1s, grace: 1s}\n"

// runner plays a task of an IDE, or a supervisor, that starts an agent over pipes.
func runner(agent actor.Part) actor.Part {
	agent.Stdin, agent.Stdout, agent.Setsid = actor.Pipe, actor.Pipe, true
	return actor.Part{
		Name: "runner", Exe: "task-runner", Argv: []string{"task-runner", "--task", "work"},
		Stdin: actor.Null, Stdout: actor.File, Setsid: true, Children: []actor.Part{agent},
	}
}

// orphan returns a session that is killed and whose server must go. It shows that the
// sweep acted, and did not merely leave everything alone.
func orphan() actor.Part { return cast.Claude("killed", cast.Memory("left", actor.Socket)) }

// swept makes reaperd sweep a world three times, and compares the world with its row after
// each sweep. The orphans go in the first. The policy of the last sweep also ends what
// other policies only report.
func swept(t *testing.T, live *farm.Live) {
	t.Helper()
	for _, rules := range []string{farm.Impatient, farm.Impatient, endsSessions} {
		live.Rule(rules)
		live.Check(t)
		live.World.Reap = nil
	}
}

// An unknown agent works on after the task runner that started it was killed. It is then
// below the first process, and nobody holds the other ends of its stdio.
func TestAnUnknownAgentAtWorkKeepsItsServers(t *testing.T) {
	agent := runner(actor.Part{
		Name: "agent", Exe: "brand-new-agent", Argv: []string{"brand-new-agent", "--work"},
		Children: []actor.Part{cast.Memory("memory", actor.Pipe), cast.UVX("git", "mcp-server-git", actor.Socket)},
	})
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live := farm.Raise(t, farm.World{
			Parts:   []actor.Part{agent, orphan()},
			Parents: map[string]string{"agent": "init", "memory-npm": "agent", "git-uv": "agent"},
			Answers: []string{"agent memory-npm", "agent git-uv"},
			Reap:    []string{cast.Chain("left")},
		})
		live.KillAll(t, []string{"runner", "killed"})
		swept(t, live)
		live.Unknown(t, live.Scan(t), "agent")
	})
}

// The same with a script. It and its servers are shells, which differ only in their
// arguments.
func TestAScriptAtWorkKeepsItsServers(t *testing.T) {
	const bash = "/bin/bash"
	if _, err := os.Stat(bash); err != nil {
		farm.Demand(t, "the script needs "+bash)
	}
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		write(t, live.Folder.Path("home", "agent", "work.bash"), agentScript)
		for _, name := range []string{"mcp-server-memory", "mcp-server-time"} {
			write(t, live.Folder.Path("home", "servers", name), serverScript)
		}
		live.World = farm.World{
			Parts: []actor.Part{runner(actor.Part{
				Name: "agent", Exe: bash, Argv: []string{"bash", "$W/home/agent/work.bash", "$W"},
			}), orphan()},
			Parents: map[string]string{"agent": "init", "memory": "agent", "time": "agent"},
			Reap:    []string{cast.Chain("left")},
		}
		live.Start(t, live.World.Parts)
		adoptServers(t, live)
		live.KillAll(t, []string{"runner", "killed"})
		swept(t, live)
		live.AwaitRounds(t, "agent")
		live.Unknown(t, live.Scan(t), "agent")
	})
}

// adoptServers names the two servers that the script has started.
func adoptServers(t *testing.T, live *farm.Live) {
	t.Helper()
	text, err := live.Folder.Await("agent.servers", actor.Patience)
	if err != nil {
		t.Fatal(err)
	}
	for i, number := range strings.Fields(text) {
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		start, err := actor.StartOf(pid)
		if err != nil {
			t.Fatal(err)
		}
		live.Adopt([]string{"memory", "time"}[i], farm.Being{PID: pid, Start: start})
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
