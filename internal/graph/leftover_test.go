package graph

import (
	"strings"
	"testing"

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
		want        string // of the agent's evidence; empty if it is not reported
	}{
		{"between two questions", "p1! p2!", "nobody alive holds the other end of its stdin, nobody alive reads its stdout"},
		{"while it reads", "p4@31 p2!", "only a server of its own holds the other end of its stdin, nobody alive reads its stdout"},
		{"while it writes", "p1! p3@31", "nobody alive holds the other end of its stdin, only a server of its own reads its stdout"},
		{"somebody else speaks to it", "p1@40 p2!", ""},
		{"somebody else listens to it", "p1! p2@40", ""},
		{"somebody else speaks to it too", "p4@31,40 p2!", ""},
	} {
		g := correlate(t, 0, `
			1  0  1  0 null null init
			30 1  30 10 `+row.agent+` bash work.bash
			31 30 30 11 p3@30 p4@30 sh mcp-memory
			32 30 30 12 p5@30 p6@30 sh mcp-time
			40 1  40 1 null null something
		`)
		got := ""
		for _, target := range g.Targets {
			switch {
			case target.Kind == KindSession:
				got = target.Evidence[0].Text + ", " + target.Evidence[1].Text
			case target.Finding != FindingNone:
				t.Errorf("%s: server %s is %s", row.name, target.ID, target.Finding)
			}
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
