package discover

import "testing"

func TestWhoKeepsAFile(t *testing.T) {
	for file, want := range map[string]string{
		"/home/dev/src/.mcp.json":               "claude-code",
		"/home/dev/.config/nanocoder/.mcp.json": "nanocoder",
		"/home/dev/.pi/agent/mcp.json":          "pi",
		"/home/dev/src/.qoder/settings.json":    "qodercli",
		"/home/dev/notes.json":                  "",
	} {
		if got := ClientOf(file); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}
