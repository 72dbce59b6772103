package wrap

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheShownChangeHasNoSecrets(t *testing.T) {
	for _, c := range []struct {
		name, client, path, text string
		want                     string // a line that is shown
	}{
		{"a value behind a flag, on one line", "claude-code", ".mcp.json",
			`{"mcpServers": {"s": {"command": "npx", "args": ["-y","x","--token","hush-1"]}}}`,
			`+{"mcpServers": {"s": {"command": "/usr/local/bin/reaperd", "args": ["exec", "--name", "s", "--", "npx", "-y","x","--token","***"]}}}`},
		{"each argument on a line of its own: those that stay are shown beside the change", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\"s\": {\n \"command\": \"x\",\n \"args\": [\n  \"--password\",\n  \"hush-1\"\n ]}}}",
			`   "***"`},
		{"a command of several words", "claude-code", ".mcp.json",
			`{"mcpServers": {"s": {"command": "x --token hush-1 --port 1"}}}`,
			`-{"mcpServers": {"s": {"command": "x --token *** --port 1"}}}`},
		{"a command of several words that stays, beside one that changes", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\n\"q\": {\"command\": \"x --passphrase hush-1 'a b'\"},\n\"s\": {\"command\": \"x\"}}}",
			` "q": {"command": "x --passphrase *** 'a b'"},`},
		{"a server called env is no environment; its own is hidden", "claude-code", ".mcp.json",
			`{"mcpServers": {"env": {"command": "npx", "args": ["x"], "env": {"FOO": "hush-1"}}}}`,
			`-{"mcpServers": {"env": {"command": "npx", "args": ["x"], "env": {"FOO": "***"}}}}`},
		{"a command that is a list", "opencode", "opencode.json",
			`{"mcp": {"s": {"type": "local", "command": ["docker", "run", "-e", "KEY=hush-1", "x"]}}}`,
			`+{"mcp": {"s": {"type": "local", "command": ["/usr/local/bin/reaperd", "exec", "--name", "s", "--", "docker", "run", "-e", "KEY=***", "x"]}}}`},
		{"TOML, in its own quotes", "codex", ".codex/config.toml",
			"[mcp_servers.s]\ncommand = 'x'\nargs = ['--api-key', 'hush-1']\n",
			`-args = ['--api-key', '***']`},
		{"YAML, without quotes", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n    cmd: x\n    args:\n      - --token\n      - hush-1\n",
			`       - ***`},
		{"TOML, a table of variables", "codex", ".codex/config.toml",
			"[mcp_servers.s]\ncommand = 'x'\n[mcp_servers.s.env]\nFOO = \"hush-1\" # mine\n",
			` FOO = "***" # mine`},
		{"TOML, variables on one line, and a header", "codex", ".codex/config.toml",
			"[mcp_servers.s]\ncommand = 'x'\nenv = { FOO = 'hush-1', B = \"\"\"hush\n2\"\"\" }\nbearer_token = \"hush\"\nhttp_headers = { X = \"hush\" }\n",
			` env = { FOO = '***', B = """***""" }`},
		{"TOML, what another part of the file calls a secret", "codex", ".codex/config.toml",
			"[model_providers.m]\napi_key = \"hush-1\"\nbase_url = \"https://example.com\"\n[mcp_servers.s]\ncommand = 'x'\n",
			` api_key = "***"`},
		{"TOML, dotted keys, and a text over several lines", "codex", ".codex/config.toml",
			"[mcp_servers.s]\ncommand = 'x'\nenv.API_KEY = \"hush-1\"\nhttp_headers.\"X-Api\" = 'hush'\nenv.LONG = '''\nhush\n'''\n",
			` env.API_KEY = "***"`},
		{"TOML, entries without a name", "codex", ".codex/config.toml",
			"mcp_servers.s.command = 'x'\n[[profiles]]\napi_key = 'hush-1'\nenv = {A = 'hush'}\n",
			` api_key = '***'`},
		{"YAML, in quotes and without", "hermes", ".hermes/config.yaml",
			"mcp_servers:\n  s:\n    env:\n      FOO: hush-1\n      \"BAR\": \"hush\\\"x\"\n    headers: {X: hush}\n    command: npx\n    args: [\"-y\", \"x\"]\n",
			`       "BAR": "***"`},
		{"YAML, variables, one over several lines", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n    cmd: x\n    envs:\n      FOO: hush-1\n      KEY: |\n        hush\n        hush\n      PORT:\n        hush\n        hush\n    timeout: 300\n",
			`       KEY: ***`},
		{"YAML, headers of another server", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n    cmd: x\n    args: [--token, hush-1]\n  t:\n    uri: https://example.com\n    headers: {X-Api-Key: hush, Y: 'hush'}\n",
			`     headers: {X-Api-Key: ***, Y: '***'}`},
		{"JSON, a quoted secret in a command that stays", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\"q\": {\"command\": \"npx x --token \\\"hush-1 hush\\\"\"},\n\"s\": {\"command\": \"x\"}}}",
			``},
		{"JSON, headers as a list", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\"t\": {\"url\": \"https://x\", \"headers\": [\"X-Tenant: hush-1\"]},\n\"s\": {\"command\": \"x\"}}}",
			` {"mcpServers": {"t": {"url": "https://x", "headers": ["X-Tenant: ***"]},`},
		{"TOML, dotted from the first byte", "codex", ".codex/config.toml",
			"mcp_servers.a.command = 'x'\nmcp_servers.a.env.FOO = 'hush-1'\n",
			` mcp_servers.a.env.FOO = '***'`},
		{"TOML, a comment, and a command line that is no server", "codex", ".codex/config.toml",
			"# api_key = \"hush\"\nnotify = ['x', '--token', 'hush-1', '-H', 'Authorization: Bearer hush']\n[mcp_servers.s]\n#API_KEY='hush'\ncommand = 'x'\n",
			` notify = ['x', '--token', '***', '-H', 'Authorization: Bearer ***']`},
		{"YAML, comments", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n    # JIRA_TOKEN: hush-1\n    cmd: x\n",
			`     # ***`},
		{"JSONC, comments of one line and of several", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\n// my servers, and what they need\n// \"--api-key\",\n//   \"hush-1\",\n/* gateway: {\n token: 'hush' } */\n\"s\": {\"command\": \"x\", \"u\": \"http://x/y#z\"}}}",
			` /* ***`},
		{"TOML, comments of what is switched off", "codex", ".codex/config.toml",
			"#LINEAR_KEY = \"hush\"\n# the servers of my team\n# args = [\"--token\", \"hush\"]\n[mcp_servers.s]\ncommand = 'x' # hush-1\n",
			` # the servers of my team`},
		{"YAML, a list that is switched off", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n#     - --token\n#     - hush-1\n    cmd: x\n",
			` # ***`},
		{"a variable that is called like a command", "goose", ".config/goose/config.yaml",
			"extensions:\n  s:\n    type: stdio\n    envs:\n      FOO: hush\n      cmd: hush-1\n    cmd: x\n",
			`       cmd: ***`},
		{"an older form, whose command is a table", "zed", ".config/zed/settings.json",
			"{\"context_servers\": {\"s\": {\"command\": {\"env\": {\"FOO\": \"hush\"},\n\"path\": \"x\", \"args\": [\"--token\", \"hush-1\"]}}}}",
			``},
		{"tables with further names, and what is no secret", "claude-code", ".mcp.json",
			"{\"auth\": {\"value\": \"hush-1\"}, \"apiKeys\": [\"hush\"],\n\"inputs\": [{\"id\": \"k\", \"password\": true}],\n\"mcpServers\": {\"s\": {\"command\": \"x\", \"extra_headers\": {\"X-Org\": \"hush\"}}}}",
			` "inputs": [{"id": "k", "password": true}],`},
		{"an entry that cannot be changed in place", "goose", ".config/goose/config.yaml",
			"extensions:\n  t:\n    type: stdio\n    cmd: &c y\n    args: [--token, hush-1]\n  s:\n    type: stdio\n    cmd: x\n",
			`     args: [--token, ***]`},
		{"JSON, variables over several lines and as a list", "claude-code", ".mcp.json",
			"{\"mcpServers\": {\"s\": {\"command\": \"x\",\n\"env\": {\n  \"FOO\": \"hush-1\",\n  \"N\": 7\n}},\n\"t\": {\"command\": \"y\", \"env\": [\"A=hush\"]}}}",
			`   "FOO": "***",`},
	} {
		path := filepath.Join(t.TempDir(), c.path)
		f := configFile{Path: path, Real: path, Client: c.client, data: []byte(c.text)}
		change, err := f.wrap(program)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		shown := Rewriting{f, change}.Diff()
		if said := (Plan{Rewritings: []Rewriting{{f, change}}}).Masked(); strings.Contains(shown, "***") != (said != "") {
			t.Errorf("%s: of the masks it says %q, under\n%s", c.name, said, shown)
		}
		if strings.Contains(shown, "hush") || c.want != "" && !strings.Contains(shown, "\n"+c.want+"\n") {
			t.Errorf("%s: got\n%s, want in it\n%s", c.name, shown, c.want)
		}
		if !strings.Contains(string(change.After), "hush-1") {
			t.Errorf("%s: the file loses it: %s", c.name, change.After)
		}
		f.data = change.After
		if back, err := f.undo(); err != nil || strings.Contains(Rewriting{f, back}.Diff(), "hush") {
			t.Errorf("%s: to take it away again: %v, shows\n%s", c.name, err, Rewriting{f, back}.Diff())
		}
	}
}

// The marks are explained where there are some, and no stars of the file itself.
func TestOnlyMasksAreExplained(t *testing.T) {
	for _, c := range []struct{ name, argument, want string }{
		{"a secret", `"--token=hush"`, "*** stands for what may be a secret; the file keeps it as it is."},
		{"none", `"--port=1"`, ""},
		{"stars in the file", `"***"`, ""},
	} {
		f := configFile{Path: "/x/.mcp.json", Real: "/x/.mcp.json", Client: "claude-code",
			data: []byte(`{"mcpServers": {"s": {"command": "x", "args": [` + c.argument + `]}}}`)}
		change, err := f.wrap(program)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Plan{Rewritings: []Rewriting{{f, change}}}).Masked(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A change of a large file is shown whole: what is not shown would be written unseen.
func TestALargeChangeIsShownWhole(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\"mcpServers\": {\n")
	for i := range 200 {
		fmt.Fprintf(&text, "\"s%d\": {\n\"command\": \"x\",\n\"env\": {\n\"K\": \"hush\"\n},\n\"args\": []\n},\n", i)
	}
	text.WriteString("\"z\": {\"command\": \"x\"}}}")
	f := configFile{Path: "/x/.mcp.json", Real: "/x/.mcp.json", Client: "claude-code", data: []byte(text.String())}
	change, err := f.wrap(program)
	if err != nil {
		t.Fatal(err)
	}
	shown := Rewriting{f, change}.Diff()
	if n := strings.Count(shown, "\n+"); n < 201 || strings.Contains(shown, "hush") || strings.Contains(shown, "…") {
		t.Errorf("%d lines are added, in %d bytes", n, len(shown))
	}
}

// No configuration, however odd, makes the shown change fail.
func FuzzTheChangeCanBeShown(f *testing.F) {
	f.Add("extensions:\n  s:\n    cmd: x\n    envs: {A:\"b # c\", 'token': 'it''s # x'}\n", true)
	f.Add("[mcp_servers.s]\ncommand = 'x'\nenv = { A = \"\"\"b # c\"\"\" } # token = 'x\n", false)
	f.Fuzz(func(t *testing.T, text string, isYAML bool) {
		file := configFile{Path: "/x/.codex/config.toml", Real: "/x/.codex/config.toml", Client: "codex", data: []byte(text)}
		if isYAML {
			file.Path, file.Client = "/x/.config/goose/config.yaml", "goose"
		}
		file.Real = file.Path
		if change, err := file.wrap(program); err == nil {
			_ = Rewriting{file, change}.Diff()
		}
	})
}
