package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TestTheLineThatTeachesAClient: what reaperd tells a person to write must match
// the process that it is about (test/farm has live ones read it).
func TestTheLineThatTeachesAClient(t *testing.T) {
	for _, row := range []struct {
		name, exe string
		argv      []string
		want      string
	}{
		{"a program is known by its executable", "/opt/agent/bin/MyAgent", []string{"MyAgent", "--work"}, `exe: ["MyAgent"]`},
		{"an executable that was replaced has its name", "/opt/my-agent (deleted)", []string{"my-agent"}, `exe: ["my-agent"]`},
		{"where the executable cannot be read its own word serves", "", []string{"/opt/my-agent", "run"}, `exe: ["my-agent"]`},
		{"a script is an argument of its shell", "/usr/bin/bash", []string{"bash", "/home/dev/work.bash", "on"}, `argv: ["/home/dev/work.bash"]`},
		{"a script is an argument of its interpreter", "/usr/bin/node", []string{"node", "--no-warnings", "agent.mjs"}, `argv: ["agent.mjs"]`},
		{"a module is one too", "/usr/bin/python3.13", []string{"python3", "-m", "my.agent"}, `argv: ["my.agent"]`},
		{"a shell's line holds the program", "/usr/bin/bash", []string{"bash", "-c", "my-agent --work; true"}, `argv: ["*my-agent*"]`},
		{"what would be a glob is written out", "/opt/a[1]*", []string{"a"}, `exe: ["a\\[1]\\*"]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := teach(&inventory.Process{Exe: row.exe, Argv: row.argv}, "me")
			if !strings.Contains(got, `sessions: [{name: "me", match: {`+row.want+`}}]`) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// TestAShellAmongItsServers: while a shell reads a server's answer or writes to a server, that
// server's pipe is its own stdin or stdout. Whoever else holds an end may speak to it.
func TestAShellAmongItsServers(t *testing.T) {
	for _, row := range []struct {
		name, agent string // STDIN STDOUT of the agent
		want        bool   // it is reported
	}{
		{"between two questions", "p1! p2!", true},
		{"while it reads", "p4@31 p2!", true},
		{"while it writes", "p1! p3@31", true},
		{"somebody else speaks to it", "p1@40 p2!", false},
		{"somebody else listens to it", "p1! p2@40", false},
		{"somebody else speaks to it too", "p4@31,40 p2!", false},
	} {
		g := correlate(t, 0, `
			1  0  1  0 null null init
			30 1  30 10 `+row.agent+` bash work.bash
			31 30 30 11 p3@30 p4@30 sh mcp-memory
			32 30 30 12 p5@30 p6@30 sh mcp-time
			40 1  40 1 null null something
		`)
		got := false
		for _, target := range g.Targets {
			switch {
			case target.Kind == KindSession:
				got = true
			case target.Finding != FindingNone:
				t.Errorf("%s: server %s is %s", row.name, target.ID, target.Finding)
			}
		}
		if got != row.want {
			t.Errorf("%s: reported %v", row.name, got)
		}
	}
}

// TestWhatIsASession: an adapter and its agent are one, and a helper is none unless it has
// servers itself.
func TestWhatIsASession(t *testing.T) {
	const init = "1 0 1 0 null null init\n"
	for _, c := range []struct{ name, world, want string }{
		{"an adapter and its agent", init + `
			10 1  10 1 tty tty editor
			17 10 17 2 pa@10 pb@10 adapter
			29 17 17 3 pc@17 pd@17 claude
			58 29 17 4 se@29 sf@29 node /x/x-mcp`, "adapter 17+29"},
		{"a helper above a session, and one in reserve", init + `
			20 1  20 1 null null claude --helper --daemon
			21 20 21 2 null null claude --helper
			22 21 22 3 tty  tty  claude
			23 20 23 4 null null claude --helper`, "claude 22"},
		{"a helper below its session is a part of it", init + `
			44 1  44 1 tty tty claude
			45 44 44 2 pa@44 pb@44 claude --helper`, "claude 44+45"},
		{"a helper that has a server", init + `
			20 1  20 1 null null claude --helper --daemon
			58 20 20 4 se@20 sf@20 node /x/x-mcp`, "claude 20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range correlate(t, 0, c.world).Sessions {
				name := fmt.Sprintf("%s %d", s.Name, s.Process.PID)
				for _, member := range s.Members[1:] {
					name += fmt.Sprintf("+%d", member.PID)
				}
				got = append(got, name)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

func TestWhatAClientLeavesBehindIsReported(t *testing.T) {
	const init = "1 0 1 0 null null init\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"the agent of an adapter that was killed", `
			17 1  17 2 tty   tty   adapter
			29 17 17 3 pc@17 pd@17 claude`, `
			29 1  17 3 pc!   pd!   claude`, "29 orphaned gone"},
		{"an agent that was never seen below one works on", `
			29 1  29 3 pc! pd! claude`, `
			29 1  29 3 pc! pd! claude`, ""},
		{"a helper that has lost its client", `
			20 1  20 1 null null claude --helper --daemon
			21 20 21 2 null null claude --helper`, `
			21 1  21 2 null null claude --helper`, "21 orphaned gone"},
		{"a daemon that waits for clients", `
			20 1  20 1 null null claude --helper --daemon`, `
			20 1  20 1 null null claude --helper --daemon`, ""},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, init+c.before, init+c.after), c.want) })
	}
}

// TestANameStays: a launcher that dies, or a new title, takes no server's name.
func TestANameStays(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  codex
		56 44 44 2 sa@44 sb@44 npm exec x-mcp # configured=graph
		58 56 44 3 sa@44 sb@44 node /x/x-mcp`
	const after = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  codex
		58 1  44 3 sa@44 sb@44 node /x/x-mcp`
	for i, world := range []string{before, after} {
		if got := correlate(t, time.Minute, before, world).Targets[0].Name; got != "graph" {
			t.Errorf("look %d: it is called %q", i+1, got)
		}
	}
}

// TestTheServersOfADaemonAreThoseOfTheSessionThatTheyWorkFor, by folder, while it is connected.
func TestTheServersOfADaemonAreThoseOfTheSessionThatTheyWorkFor(t *testing.T) {
	world := func(clients string) string {
		return `
		1  0  1  0 null null init
		20 1  20 1 null null claude --helper --daemon # listening clients=` + clients + `
		44 1  44 2 tty tty claude # cwd=/work/A
		45 1  45 2 tty tty claude # cwd=/work/B
		46 1  46 2 tty tty claude # cwd=/work/B
		58 20 20 4 se@20 sf@20 node /x/x-mcp # cwd=/work/A
		59 20 20 4 sg@20 sh@20 node /x/x-mcp # cwd=/work/B`
	}
	for clients, want := range map[string]string{"2": "44 20", "0": "20 20"} {
		g := correlate(t, 0, world(clients))
		if got := fmt.Sprintf("%d %d", g.Targets[0].Owner.ID.PID, g.Targets[1].Owner.ID.PID); got != want {
			t.Errorf("%s clients: owners %s, want %s", clients, got, want)
		}
	}
}
