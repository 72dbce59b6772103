package discover

import (
	"strings"
	"testing"
)

func TestDiscoverPrintsNoEscapeSequences(t *testing.T) {
	var out strings.Builder
	if err := NewSet([]Server{
		{Name: "a\x1b[2Jb", Command: "npx", Args: []string{"-y", "x\ry"}, Client: "claude-code", File: "/home/dev/\x1b]0;t\a/.mcp.json"},
		{Name: "web", URL: "http://localhost:1/\x1b[8m", Client: "claude-code", File: "/home/dev/\x1b]0;t\a/.mcp.json"},
	}, nil).Write(&out); err != nil {
		t.Fatal(err)
	}
	const want = `/home/dev/?]0;t?/.mcp.json (claude-code)
  a?[2Jb                   npx -y x?y
  web                      http://localhost:1/?[8m
`
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}
