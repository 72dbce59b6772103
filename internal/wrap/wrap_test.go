package wrap

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
)

const program = "/usr/local/bin/reaperd"

// clients are files as their clients write them, from discover's own fixtures.
var clients = []struct{ file, client, path string }{
	{"claude.json", "claude-code", ".claude.json"},
	{"dot-mcp.json", "claude-code", ".mcp.json"},
	{"claude_desktop_config.json", "claude-desktop", "claude_desktop_config.json"},
	{"codex-config.toml", "codex", "config.toml"},
	{"copilot-mcp-config.json", "copilot", "mcp-config.json"},
	{"cursor-mcp.json", "cursor", "mcp.json"},
	{"gemini-settings.json", "gemini", "settings.json"},
	{"goose-config.yaml", "goose", "config.yaml"},
	{"openclaw.json", "openclaw", "openclaw.json"},
	{"opencode.jsonc", "opencode", "opencode.jsonc"},
	{"vscode-mcp.json", "vscode", "mcp.json"},
	{"windsurf-mcp_config.json", "windsurf", "mcp_config.json"},
	{"zed-settings.json", "zed", "settings.json"},
	{"amp-settings.json", "amp", "settings.json"},
	{"cline_mcp_settings.json", "cline", "cline_mcp_settings.json"},
	{"continue-config.yaml", "continue", "config.yaml"},
	{"continue-block.yaml", "continue", "block.yaml"},
	{"continue-block.json", "continue", "block.json"},
	{"kilo.jsonc", "kilo-code", "kilo.jsonc"},
	{"grok-settings.json", "grok", "settings.json"},
	{"mcporter.json", "mcporter", "mcporter.json"},
	{"nanocoder-mcp.json", "nanocoder", ".mcp.json"},
	{"pi-mcp.json", "pi", "mcp.json"},
	{"qoder-settings.json", "qodercli", "settings.json"},
	{"qwen-settings.json", "qwen-code", "settings.json"},
}

// spellings are other ways to write the same file.
var spellings = []struct {
	name  string
	spell func([]byte) []byte
}{
	{"as it is", bytes.Clone},
	{"with Windows line ends", func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) }},
	{"with a byte order mark", func(data []byte) []byte { return append(bytes.Clone(byteOrderMark), data...) }},
	{"without a last line end", func(data []byte) []byte { return bytes.TrimRight(data, "\n") }},
}

func TestFilesOfClientsAreWrappedTwiceAndUndoneByteForByte(t *testing.T) {
	for _, c := range clients {
		for _, s := range spellings {
			t.Run(c.file+" "+s.name, func(t *testing.T) {
				fixture, err := os.ReadFile(filepath.Join("..", "discover", "testdata", c.file))
				if err != nil {
					t.Fatal(err)
				}
				first := s.spell(fixture)
				if before, _ := discover.Read(discover.ConfigOf(c.client, c.path), first); len(before) == 0 {
					t.Skip("its client does not read it in this spelling")
				}
				path := filepath.Join(t.TempDir(), c.path)
				write(t, path, first)
				wrapped := change(t, path, c.client, true)
				if bytes.Equal(wrapped, first) {
					t.Fatal("nothing is wrapped")
				}
				allWrapped(t, c.client, path, wrapped)
				if again := change(t, path, c.client, true); !bytes.Equal(again, wrapped) {
					t.Errorf("wrapping it again changes it:\n%s", again)
				}
				if undone := change(t, path, c.client, false); !bytes.Equal(undone, first) {
					t.Errorf("undone it is\n%q, was\n%q", undone, first)
				}
				if _, err := os.Stat(path + backupEnding); err == nil {
					t.Error("the backup is left behind")
				}
			})
		}
	}
}

// TestAChangedFileIsUndoneServerByServer has no backup.
func TestAChangedFileIsUndoneServerByServer(t *testing.T) {
	for _, c := range clients {
		fixture, err := os.ReadFile(filepath.Join("..", "discover", "testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.path)
		write(t, path, fixture)
		change(t, path, c.client, true)
		if err := os.Remove(path + backupEnding); err != nil {
			t.Fatal(err)
		}
		undone := change(t, path, c.client, false)
		before, _ := discover.Read(discover.ConfigOf(c.client, path), fixture)
		after, _ := discover.Read(discover.ConfigOf(c.client, path), undone)
		if len(before) != len(after) {
			t.Fatalf("%s: %d servers, were %d", c.file, len(after), len(before))
		}
		for i := range before {
			if !slices.Equal(commandLine(after[i]), apart(before[i])) && before[i].Command != "" {
				t.Errorf("%s: %q, was %q", c.file, commandLine(after[i]), commandLine(before[i]))
			}
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o640); err != nil {
		t.Fatal(err)
	}
}

// change wraps or undoes a file, and returns the file's new text.
func change(t *testing.T, path, client string, on bool) []byte {
	t.Helper()
	f, err := openFile(path, client)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.undo()
	if on {
		c, err = f.wrap(program)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !c.isNone() {
		if err := f.write(c, on); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func allWrapped(t *testing.T, client, path string, data []byte) {
	t.Helper()
	servers, _ := discover.Read(discover.ConfigOf(client, path), data)
	for _, s := range servers {
		words := commandLine(s)
		switch {
		case client == "goose" && (s.Name == "tool" || s.Name == "again"): // an anchor and its alias
		case s.URL != "" && isWrapped(words):
			t.Errorf("%s has an address and is wrapped", s.Name)
		case s.URL == "" && !slices.Equal(words[:min(5, len(words))], prefix(program, s.Name)):
			t.Errorf("%s is not wrapped: %q", s.Name, words)
		}
	}
}

func TestEntriesAreChangedWhereTheyStand(t *testing.T) {
	for _, c := range []struct{ name, client, file, before, after string }{
		{"arguments on one line", "", "a.json",
			`{"mcpServers": {"m": {"command": "npx", "args": ["-y", "x"]}}}`,
			`{"mcpServers": {"m": {"command": "reaperd", "args": ["exec", "--name", "m", "--", "npx", "-y", "x"]}}}`},
		{"arguments on lines of their own", "", "a.json",
			"{\"mcpServers\": {\"m\": {\n\t\"command\": \"npx\", // why\n\t\"args\": [\n\t\t\"-y\",\n\t\t\"x\",\n\t]\n}}}",
			"{\"mcpServers\": {\"m\": {\n\t\"command\": \"reaperd\", // why\n\t\"args\": [\n\t\t\"exec\",\n\t\t\"--name\",\n\t\t\"m\",\n\t\t\"--\",\n\t\t\"npx\",\n\t\t\"-y\",\n\t\t\"x\",\n\t]\n}}}"},
		{"no arguments", "", "a.json",
			"{\"mcpServers\": {\"m\": {\n  \"command\": \"x\"\n}}}",
			"{\"mcpServers\": {\"m\": {\n  \"command\": \"reaperd\",\n  \"args\": [\"exec\", \"--name\", \"m\", \"--\", \"x\"]\n}}}"},
		{"empty arguments before the command", "", "a.json",
			`{"mcpServers": {"m": {"args": [], "command": "x"}}}`,
			`{"mcpServers": {"m": {"args": ["exec", "--name", "m", "--", "x"], "command": "reaperd"}}}`},
		{"one text for all words", "cursor", "a.json",
			`{"mcpServers": {"m": {"command": "npx -y x"}}}`,
			`{"mcpServers": {"m": {"command": "reaperd", "args": ["exec", "--name", "m", "--", "npx", "-y", "x"]}}}`},
		{"one text in quotes is left alone: a client without a shell makes other words of it", "", "a.json",
			`{"mcpServers": {"q": {"command": "bash -c 'cd /srv && exec node server.js'"}, "m": {"command": "x"}}}`,
			`{"mcpServers": {"q": {"command": "bash -c 'cd /srv && exec node server.js'"}, "m": {"command": "reaperd", "args": ["exec", "--name", "m", "--", "x"]}}}`},
		{"one text with a variable is left alone, and so is one that begins with an assignment", "", "a.json",
			`{"mcpServers": {"v": {"command": "node $HOME/x.js"}, "a": {"command": "PORT=1 node x.js"}}}`,
			`{"mcpServers": {"v": {"command": "node $HOME/x.js"}, "a": {"command": "PORT=1 node x.js"}}}`},
		{"one text in quotes that begins with a path is no path", "", "a.json",
			`{"mcpServers": {"p": {"command": "/bin/sh -c 'exec node x.js'"}, "n": {"command": "/usr/bin/node /srv/x.js"}}}`,
			`{"mcpServers": {"p": {"command": "/bin/sh -c 'exec node x.js'"}, "n": {"command": "/usr/bin/node /srv/x.js"}}}`},
		{"a path with spaces is one word", "", "a.json",
			`{"mcpServers": {"p": {"command": "/opt/my tools/x"}, "w": {"command": "C:\\my tools\\x (1).exe", "args": ["-y"]}}}`,
			`{"mcpServers": {"p": {"command": "reaperd", "args": ["exec", "--name", "p", "--", "/opt/my tools/x"]}, "w": {"command": "reaperd", "args": ["exec", "--name", "w", "--", "C:\\my tools\\x (1).exe", "-y"]}}}`},
		{"one text that its owner wrapped stays, whatever is in it", "", "a.json",
			`{"mcpServers": {"m": {"command": "reaperd exec -- sh -c 'x; y'"}, "n": {"command": "reaperd exec -- x y"}}}`,
			`{"mcpServers": {"m": {"command": "reaperd exec -- sh -c 'x; y'"}, "n": {"command": "reaperd exec -- x y"}}}`},
		{"one text for all words beside empty arguments", "", "a.json",
			`{"mcpServers": {"m": {"command": "npx -y x", "args": []}}}`,
			`{"mcpServers": {"m": {"command": "reaperd", "args": ["exec", "--name", "m", "--", "npx", "-y", "x"]}}}`},
		{"a remote server by mcp-remote", "", "a.json",
			`{"mcpServers": {"r": {"command": "npx", "args": ["mcp-remote", "https://x.example/sse"]}}}`,
			`{"mcpServers": {"r": {"command": "reaperd", "args": ["exec", "--name", "r", "--", "npx", "mcp-remote", "https://x.example/sse"]}}}`},
		{"an address is left alone", "", "a.json",
			`{"mcpServers": {"u": {"url": "https://x.example", "command": "x"}, "v": {"type": "http", "httpUrl": "https://y.example"}}}`,
			`{"mcpServers": {"u": {"url": "https://x.example", "command": "x"}, "v": {"type": "http", "httpUrl": "https://y.example"}}}`},
		{"a name and a word that must be quoted", "", "a.json",
			`{"mcpServers": {"a \"b\" é": {"command": "C:\\x\u00e9", "args": []}}}`,
			`{"mcpServers": {"a \"b\" é": {"command": "reaperd", "args": ["exec", "--name", "a \"b\" é", "--", "C:\\xé"]}}}`},
		{"JSON5: keys without quotes, single quotes", "openclaw", "openclaw.json",
			"{mcp: {servers: {m: {command: 'npx', args: ['-y', 'it\\'s',], /* c */}}}}",
			"{mcp: {servers: {m: {command: \"reaperd\", args: [\"exec\", \"--name\", \"m\", \"--\", \"npx\", '-y', 'it\\'s',], /* c */}}}}"},
		{"a list for a command", "opencode", "opencode.json",
			`{"mcp": {"m": {"type": "local", "command": ["bun", "x", "jira"]}}}`,
			`{"mcp": {"m": {"type": "local", "command": ["reaperd", "exec", "--name", "m", "--", "bun", "x", "jira"]}}}`},
		{"TOML under a header", "codex", "config.toml",
			"[mcp_servers.m] # c\ncommand = 'npx' # d\nargs = [\"-y\", 'x']\n[mcp_servers.m.env]\nTOKEN = \"t\"\n",
			"[mcp_servers.m] # c\ncommand = \"reaperd\" # d\nargs = [\"exec\", \"--name\", \"m\", \"--\", \"npx\", \"-y\", 'x']\n[mcp_servers.m.env]\nTOKEN = \"t\"\n"},
		{"TOML without arguments", "codex", "config.toml",
			"[mcp_servers.m]\n  command = \"x\" # d\n",
			"[mcp_servers.m]\n  command = \"reaperd\" # d\n  args = [\"exec\", \"--name\", \"m\", \"--\", \"x\"]\n"},
		{"TOML between braces", "codex", "config.toml",
			"mcp_servers.m = { command = \"x\", enabled = true }\n",
			"mcp_servers.m = { command = \"reaperd\", args = [\"exec\", \"--name\", \"m\", \"--\", \"x\"], enabled = true }\n"},
		{"TOML with dotted keys", "codex", "config.toml",
			"[mcp_servers]\nm.command = \"x\"\n\"n[1]\".command = \"y\"\n\"n[1]\".args = [ \"z\" ]\n",
			"[mcp_servers]\nm.command = \"reaperd\"\nm.args = [\"exec\", \"--name\", \"m\", \"--\", \"x\"]\n\"n[1]\".command = \"reaperd\"\n\"n[1]\".args = [ \"exec\", \"--name\", \"n[1]\", \"--\", \"y\", \"z\" ]\n"},
		{"YAML with lines", "goose", "config.yaml",
			"extensions:\n  m: # c\n    type: stdio\n    cmd: npx # d\n    args:\n    - -y\n    - 'it''s'\n",
			"extensions:\n  m: # c\n    type: stdio\n    cmd: \"reaperd\" # d\n    args:\n    - \"exec\"\n    - \"--name\"\n    - \"m\"\n    - \"--\"\n    - \"npx\"\n    - -y\n    - 'it''s'\n"},
		{"YAML between brackets, and none", "goose", "config.yaml",
			"extensions:\n  a:\n    cmd: 'b\\'\n    args: [x]\n  c:\n    cmd: \"d\"\n    args: []\n  e: {cmd: f}\n  g:\n    cmd: h\n    timeout: 3\n",
			"extensions:\n  a:\n    cmd: \"reaperd\"\n    args: [\"exec\", \"--name\", \"a\", \"--\", \"b\\\\\", x]\n  c:\n    cmd: \"reaperd\"\n    args: [\"exec\", \"--name\", \"c\", \"--\", \"d\"]\n  e: {cmd: \"reaperd\", args: [\"exec\", \"--name\", \"e\", \"--\", \"f\"]}\n  g:\n    cmd: \"reaperd\"\n    args: [\"exec\", \"--name\", \"g\", \"--\", \"h\"]\n    timeout: 3\n"},
		{"what is wrapped already stays, by whatever path", "", "a.json",
			`{"mcpServers": {"m": {"command": "/opt/reaperd", "args": ["exec", "--", "x"]}}}`,
			`{"mcpServers": {"m": {"command": "/opt/reaperd", "args": ["exec", "--", "x"]}}}`},
		{"written over several lines: left alone", "goose", "config.yaml",
			"extensions:\n  m:\n    cmd: >-\n      npx\n    args: [x]\n  n:\n    cmd: &c y\n    args: [x]\n",
			"extensions:\n  m:\n    cmd: >-\n      npx\n    args: [x]\n  n:\n    cmd: &c y\n    args: [x]\n"},
	} {
		f := configFile{Path: "/x/" + c.file, Real: "/x/" + c.file, Client: c.client, data: []byte(c.before)}
		got, err := f.wrap("reaperd")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if string(got.After) != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got.After, c.after)
		}
		f.data = got.After
		if again, err := f.wrap("reaperd"); err != nil || !again.isNone() {
			t.Errorf("%s: not the same a second time, %v:\n%s", c.name, err, again.After)
		}
	}
}

func TestWhatCannotBeReadIsNotChanged(t *testing.T) {
	for _, c := range []struct{ name, file, text string }{
		{"JSON that ends too early", "a.json", `{"mcpServers": {"m": {"command": "x"`},
		{"JSON with a second value", "a.json", `{"mcpServers": {}} {`},
		{"TOML without a value", "config.toml", "[mcp_servers.m]\ncommand =\n"},
		{"YAML with a tab", "config.yaml", "extensions:\n\tm: x\n"},
	} {
		f := configFile{Path: c.file, Real: c.file, data: []byte(c.text)}
		if got, err := f.wrap("reaperd"); err == nil {
			t.Errorf("%s: no error, %q", c.name, got.After)
		}
	}
}

// A program that was stopped while it wrote leaves a file that ends anywhere.
func TestAFileThatWasCutOffIsRefusedOrRead(t *testing.T) {
	for _, c := range clients {
		data, err := os.ReadFile(filepath.Join("..", "discover", "testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		whole := bytes.TrimRight(data, " \n")
		for end := range whole {
			f := configFile{Path: c.file, Real: c.file, data: whole[:end]}
			_, err := f.wrap("reaperd")
			if isJSON := strings.HasPrefix(filepath.Ext(c.file), ".json"); isJSON && err == nil && end > 0 { // an empty one holds nothing
				t.Errorf("%s: its first %d bytes are taken for a whole file", c.file, end)
			}
		}
	}
}

func TestAFileKeepsItsModeItsLinkAndWhatOthersWrote(t *testing.T) {
	folder := t.TempDir()
	real, link := filepath.Join(folder, "real.json"), filepath.Join(folder, "mcp.json")
	write(t, real, []byte(`{"mcpServers": {"m": {"command": "x"}}}`))
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	change(t, link, "cursor", true)
	for _, path := range []string{real, real + backupEnding} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != 0o640 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if target, err := os.Readlink(link); err != nil || target != "real.json" {
		t.Errorf("the link: %q %v", target, err)
	}
	f, err := openFile(link, "cursor")
	if err != nil {
		t.Fatal(err)
	}
	undo, err := f.undo()
	if err != nil {
		t.Fatal(err)
	}
	write(t, real, []byte(`{"mcpServers": {}}`))
	if err := f.write(undo, false); err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("what another program wrote is written over: %v", err)
	}
}

func TestAServerThatCameLaterIsWrappedAndUndoneToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, []byte(`{"mcpServers": {"m": {"command": "x", "args": []}}}`))
	wrapped := change(t, path, "cursor", true)
	write(t, path, bytes.Replace(wrapped, []byte(`{"m"`), []byte(`{"n": {"command": "y", "args": []}, "m"`), 1))
	change(t, path, "cursor", true)
	const want = `{"mcpServers": {"n": {"command": "y", "args": []}, "m": {"command": "x", "args": []}}}`
	if undone := change(t, path, "cursor", false); string(undone) != want {
		t.Errorf("%s, want %s", undone, want)
	}
}

// What somebody has written with reaperd exec in it stays so, with the backup and without.
func TestWhatItsOwnerWrappedIsNotUndone(t *testing.T) {
	const first = `{"mcpServers": {"a": {"command": "npx", "args": ["x"]}, "b": {"command": "reaperd", "args": ["exec", "--", "node", "y.js"]}}}`
	for _, backup := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		write(t, path, []byte(first))
		if wrapped := change(t, path, "cursor", true); bytes.Equal(wrapped, []byte(first)) {
			t.Fatal("nothing was wrapped")
		}
		if !backup {
			if err := os.Remove(path + backupEnding); err != nil {
				t.Fatal(err)
			}
		}
		if undone := change(t, path, "cursor", false); string(undone) != first {
			t.Errorf("backup %t:\n%s\nwant\n%s", backup, undone, first)
		}
		plan, err := MakePlan(t.Context(), Request{Names: []string{path}, Undo: true})
		if err != nil || len(plan.Rewritings) > 0 || plan.Nothing() != "Nothing to undo." {
			t.Errorf("%v, %q", err, plan.Nothing())
		}
	}
}

func FuzzWrapping(f *testing.F) {
	for _, c := range clients {
		data, err := os.ReadFile(filepath.Join("..", "discover", "testdata", c.file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, c.file)
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		file := configFile{Path: name, Real: name, data: data}
		wrapped, err := file.wrap("reaperd")
		if err != nil {
			return
		}
		file.data = wrapped.After
		if again, err := file.wrap("reaperd"); err != nil || !again.isNone() {
			t.Errorf("not the same a second time: %v\n%q\n%q", err, wrapped.After, again.After)
		}
	})
}

// TestTheShownChangeHasNoSecrets of any server, and shows each that changes.
func TestTheShownChangeHasNoSecrets(t *testing.T) {
	for _, row := range []struct{ name, client, path, text, want string }{
		{"a value behind a flag", "claude-code", ".mcp.json",
			`{"mcpServers": {"s": {"command": "npx", "args": ["-y","x","--token","hush"]}}}`,
			"  s\n    - npx -y x --token '***'\n    + /usr/local/bin/reaperd exec --name s -- npx -y x --token '***'\n"},
		{"a command in one text, and a name with an escape", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\"s\\u001b\": {\"command\": \"x --token hush --port 1\"}}}",
			"  s?\n    - x --token '***' --port 1\n    + /usr/local/bin/reaperd exec --name 's?' -- x --token '***' --port 1\n"},
		{"a command that is a list", "opencode", "opencode.json",
			`{"mcp": {"s": {"type": "local", "command": ["docker", "run", "-e", "KEY=hush", "x"]}}}`,
			"  s\n    - docker run -e 'KEY=***' x\n    + /usr/local/bin/reaperd exec --name s -- docker run -e 'KEY=***' x\n"},
		{"what is beside a command is not shown", "codex", ".codex/config.toml",
			"notify = ['y', '--token', 'hush']\n[mcp_servers.s]\n# API_KEY='hush'\ncommand = 'x'\n[mcp_servers.s.env]\nFOO = \"hush\"\n",
			"  s\n    - x\n    + /usr/local/bin/reaperd exec --name s -- x\n"},
	} {
		f := configFile{Path: "/x/" + row.path, Client: row.client, data: []byte(row.text)}
		change, err := f.wrap(program)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if got, want := (Rewriting{f, change}).Shown(), f.Path+"\n"+row.want; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.name, got, want)
		}
	}
}
