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
	for arg, want := range map[string]string{
		"/home/dev/x": "~/x", "/home/dev": "~", "/home/developer/x": "/home/developer/x", "/Users/dev/x": "~/x",
		"--dir=/home/dev/x": "--dir=~/x", "a=/home/dev": "a=/home/dev", "/srv/home/dev": "/srv/home/dev",
	} {
		if got := tilde(arg, homeOf("dev")); got != want {
			t.Errorf("tilde(%q) = %q, want %q", arg, got, want)
		}
	}
	if got := tilde("/root/x", homeOf("root")); got != "~/x" {
		t.Errorf("root's home is %q", got)
	}
}
