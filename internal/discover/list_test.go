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
	}, nil).Write(&out, View{Width: 100}); err != nil {
		t.Fatal(err)
	}
	const want = `2 servers in 1 file, of claude-code.

/home/dev/?]0;t?/.mcp.json (claude-code)
  a?[2Jb                   npx -y 'x?y'
  web                      http://localhost:1/?[8m
`
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}

func TestAnArgumentWithSpacesIsShownAsOne(t *testing.T) {
	var out strings.Builder
	server := Server{Name: "a", Command: "node", Args: []string{"/home/dev/my server.js", "--x", "", "~"}, Client: "codex", File: "/home/dev/.codex/config.toml"}
	if err := NewSet([]Server{server}, nil).Write(&out, View{Width: 100, Home: "/home/dev"}); err != nil {
		t.Fatal(err)
	}
	if want := "node '~/my server.js' --x '' ~\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// TestTheReadersHomeIsATildeInALineToo: as in a command with arguments of their own.
func TestTheReadersHomeIsATildeInALineToo(t *testing.T) {
	for _, server := range []Server{
		{Name: "a", Command: "npx -y server-filesystem /home/dev /home/dev/x", Client: "codex", File: "/f"},
		{Name: "a", Command: "npx", Args: []string{"-y", "server-filesystem", "/home/dev", "/home/dev/x"}, Client: "codex", File: "/f"},
	} {
		var out strings.Builder
		if err := NewSet([]Server{server}, nil).Write(&out, View{Width: 100, Home: "/home/dev"}); err != nil {
			t.Fatal(err)
		}
		if want := " npx -y server-filesystem ~ ~/x\n"; !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestWhereAFileCouldNotBeReadNobodyIsToldThatNothingIsConfigured.
func TestWhereAFileCouldNotBeReadNobodyIsToldThatNothingIsConfigured(t *testing.T) {
	var out strings.Builder
	set := NewSet(nil, nil).withFaults([]Warning{{"/home/dev/.cursor/mcp.json", "line 1: not valid JSON"}})
	if err := set.Write(&out, View{Width: 100}); err != nil || out.String() != "No MCP server is configured in what could be read.\n" {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestDiscoverFitsTheScreen(t *testing.T) {
	set := NewSet([]Server{
		{Name: "play", Command: "npx", Args: []string{"-y", "@playwright/mcp", "--dir", "/home/dev/x"}, Client: "claude-code", File: "/home/dev/.claude.json", Folder: "/home/dev/src/shop"},
		{Name: "time", Command: "mcp-server-time", Disabled: true, Client: "claude-code", File: "/home/dev/.claude.json", Folder: "/home/dev"},
	}, nil)
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"a long command goes on below its beginning", 66, `2 servers in 1 file, of claude-code.

~/.claude.json (claude-code)
  play                     npx -y @playwright/mcp --dir ~/x (only
                           in ~/src/shop)
  time                     mcp-server-time (disabled)
`},
		{"on a narrow screen a command stands below its name", 40, `2 servers in 1 file, of claude-code.

~/.claude.json (claude-code)
  play
    npx -y @playwright/mcp --dir ~/x
    (only in ~/src/shop)
  time
    mcp-server-time (disabled)
`},
	} {
		var out strings.Builder
		if err := set.Write(&out, View{Width: c.width, Home: "/home/dev"}); err != nil || out.String() != c.want {
			t.Errorf("%s: %v, got\n%s, want\n%s", c.name, err, out.String(), c.want)
		}
	}
}

// TestNoSecretOfACommandIsShown, which may be one text.
func TestNoSecretOfACommandIsShown(t *testing.T) {
	var out strings.Builder
	set := NewSet([]Server{
		{Name: "a", Command: "npx -y brave-mcp --api-key hush-1", Client: "codex", File: "/x"},
		{Name: "b", Command: "API_KEY=hush-2 npx x --token hush-3", Client: "codex", File: "/x"},
		{Name: "c", Command: "bash -c 'TOKEN=hush-4 npx x --password hush-5'", Client: "codex", File: "/x"},
		{Name: "d", Command: "uvx", Args: []string{"x", "--token", "hush-6"}, Client: "codex", File: "/x"},
		{Name: "f", Command: "uvx mcp-proxy --headers X-Api-Key hush-8 -e API_KEY hush-9", Client: "codex", File: "/x"},
		{Name: "h", Command: `npx x --token "hush hush" --password 'hush hush'`, Client: "codex", File: "/x"},
		{Name: "i", Command: `docker run -i -e FOO="hush hush" mcp/x`, Client: "codex", File: "/x"},
		{Name: "j", Command: `env FOO='hush hush' npx x`, Client: "codex", File: "/x"},
		{Name: "k", Command: `uvx mcp-proxy --headers Authorization "Bearer hush"`, Client: "codex", File: "/x"},
		{Name: "l", Command: "reaperd", Args: []string{"exec", "--name", "l", "--", "env", "FOO=hush", "npx"}, Client: "codex", File: "/x"},
		{Name: "g", Command: "env FOO=hush-10 npx x", Client: "codex", File: "/x"},
		{Name: "e", Command: "docker run -i --rm -e FOO=hush-7 mcp/x", Client: "codex", File: "/x"},
	}, nil)
	if err := set.Write(&out, View{Width: 200}); err != nil {
		t.Fatal(err)
	}
	document, err := set.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if all := out.String() + string(document); strings.Contains(all, "hush") || !strings.Contains(all, "npx -y brave-mcp --api-key ***") {
		t.Errorf("got\n%s", all)
	}
}

// TestTheJSONTellsWhoHasAServer: only sessions in one folder, if the file is elsewhere and says so.
func TestTheJSONTellsWhoHasAServer(t *testing.T) {
	data, err := NewSet([]Server{
		{Name: "a", Command: "a", Client: "claude-code", File: "/home/dev/.claude.json", Folder: "/home/dev/shop"},
		{Name: "b", Command: "b", Client: "claude-code", File: "/home/dev/.claude.json"},
		{Name: "c", Command: "c", Client: "claude-code", File: "/home/dev/shop/.mcp.json", Folder: "/home/dev/shop"},
	}, nil).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"folder"`); n != 1 || !strings.Contains(string(data), `"name":"a","client":"claude-code","command":"a","file":"/home/dev/.claude.json","folder":"/home/dev/shop"`) {
		t.Errorf("%d have a folder in %s", n, data)
	}
}
