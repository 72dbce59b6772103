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
