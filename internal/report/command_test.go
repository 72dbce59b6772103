package report

import "testing"

func TestPathsGetShorter(t *testing.T) {
	g := glyphsFor(true)
	long := command{"node", "~/src/dollhouse/mcp-server/dist/index.js", "--port", "80"}
	for width, want := range map[int]string{
		80: "node ~/src/dollhouse/mcp-server/dist/index.js --port 80",
		50: "node …/mcp-server/dist/index.js --port 80",
		30: "node …/dist/index.js --port 80",
		20: "node …/dist/index.j…",
	} {
		if got := long.fit(width, g); got != want {
			t.Errorf("fit(%d) = %q, want %q", width, got, want)
		}
	}
}

func TestACommandKeepsWhatItsCopiesShare(t *testing.T) {
	g := glyphsFor(true)
	for _, row := range []struct {
		world    string
		commands []command
		want     string
	}{
		{"the same", []command{{"npm", "exec", "a"}, {"npm", "exec", "a"}}, "npm exec a"},
		{"another version", []command{{"npm", "exec", "@acme/lark-mcp@1.2", "mcp"}, {"npm", "exec", "@acme/lark-mcp@latest", "mcp"}}, "npm exec @acme/lark-mcp@… mcp"},
		{"other secrets", []command{{"npm", "exec", "@acme/lark-mcp", "-a", "cli_1", "-s", "x"}, {"npm", "exec", "@acme/lark-mcp", "-a", "cli_2", "-s", "y"}}, "npm exec @acme/lark-mcp -a cli_… -s …"},
		{"one has more to say", []command{{"node", "a.js", "--port", "1"}, {"node", "a.js"}}, "node a.js …"},
		{"one is longer", []command{{"node", "a"}, {"node", "ab"}}, "node a…"},
		{"unlike programs", []command{{"node", "/x/mcp-server-everything"}, {"npm", "exec", "-y", "everything"}, {"node", "/y/other"}}, "node …, npm …"},
	} {
		if got := common(row.commands, g).fit(100, g); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
