package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// configured is the parser of a file that the catalogue knows.
func configured(file string) parser {
	for _, client := range catalogue.Clients() {
		for _, config := range client.Configs {
			if config.File == file {
				return parserOf(config)
			}
		}
	}
	panic("no client keeps " + file)
}

// fixtures are the files in testdata with what they hold, one line a server:
// name, folder if the file names one, command line or address.
func fixtures() []struct {
	file  string
	parse parser
	want  []string
} {
	return []struct {
		file  string
		parse parser
		want  []string
	}{
		{"claude.json", configured(".claude.json"), []string{
			"playwright: npx|-y|@playwright/mcp@latest|--headless",
			"github: docker|run|-i|--rm|-e|GITHUB_PERSONAL_ACCESS_TOKEN|ghcr.io/github/github-mcp-server",
			"sentry: https://mcp.sentry.example/mcp",
			"board: http://127.0.0.1:8123/sse",
			"dollhousemcp in /home/dev/src/dollhouse: node|mcp-server/dist/index.js",
		}},
		{"dot-mcp.json", configured(".cursor/mcp.json"), []string{
			"app: npm|run|mcp|--silent",
			"files: npx|-y|@modelcontextprotocol/server-filesystem|${CLAUDE_PROJECT_DIR:-.}/docs",
			"db: ${HOME}/bin/db-server|--dsn|${DATABASE_URL}",
		}},
		{"gemini-settings.json", configured(".cursor/mcp.json"), []string{
			"context7: https://context7.example/mcp",
			"search: uvx|--from|chroma-mcp==0.2.6|chroma-mcp|--client-type|persistent",
			"events: http://localhost:7000/sse",
		}},
		{"opencode.jsonc", configured("opencode.json"), []string{
			"ast-grep: ast-grep-server|--stdio",
			"deploys: https://deploys.example/mcp",
			"jira: bun|x|jira-mcp|--site|{env:JIRA_SITE}",
		}},
		{"cursor-mcp.json", configured(".cursor/mcp.json"), []string{
			"Figma: http://127.0.0.1:3845/sse",
			"one-line: npx -y @upstash/context7-mcp",
			"windows: cmd|/c|npx|-y|pkg",
		}},
		{"vscode-mcp.json", configured(".vscode/mcp.json"), []string{
			"local-tool: python|-m|tool.server|--root|${workspaceFolder}|--key|${input:key}",
			"remote: https://api.example/mcp/",
		}},
		{"claude_desktop_config.json", configured(".cursor/mcp.json"), []string{
			"filesystem: npx|-y|@modelcontextprotocol/server-filesystem|/Users/dev/Notes",
			"gateway: docker|mcp|gateway|run",
		}},
		{"windsurf-mcp_config.json", configured(".cursor/mcp.json"), []string{
			"bridge: npx|mcp-remote|http://localhost:9000/mcp",
			"remote: https://remote.example/sse",
		}},
		{"copilot-mcp-config.json", configured(".cursor/mcp.json"), []string{
			"memory: npx|-y|@modelcontextprotocol/server-memory",
		}},
		{"zed-settings.json", configured(".zed/settings.json"), []string{
			"old-form: /opt/tools/ctx|serve",
			"new-form: ctx-two|--stdio",
		}},
		{"openclaw.json", configured(".openclaw/openclaw.json"), []string{
			"dialpad: /usr/local/bin/dialpad-messaging",
			"unifi: npm|exec|--yes|@enuno/unifi-mcp-server",
			"hub: http://127.0.0.1:4000/mcp",
			"legacy: legacy-tool|--port|8080|--verbose",
		}},
		{"codex-config.toml", configured(".codex/config.toml"), []string{
			"codebase-index: mcp-codebase-index",
			"github: /opt/bin/github-mcp-server|--toolsets|actions,issues,pull_requests,repos|stdio",
			"ast grep: ast-grep-server",
			"docs: https://docs.example/mcp",
		}},
		{"goose-config.yaml", configured(".config/goose/config.yaml"), []string{
			"drive: npx|-y|@block/gdrive",
			"tool: /home/dev/.local/bin/tool|--port|8080",
			"again: /home/dev/.local/bin/tool|--port|8080",
			"wiki: http://[::1]:8900/mcp",
		}},
		{"continue-config.yaml", configured(".continue/config.yaml"), []string{
			"everything: npx|-y|@modelcontextprotocol/server-everything",
			"own: node|/home/dev/own/server.mjs",
			"remote: http://127.0.0.1:4005/mcp",
		}},
		{"continue-block.yaml", configured(".continue/mcpServers/*.yaml"), []string{"Browser search: npx|@playwright/mcp@latest"}},
		{"continue-block.json", parserOf(catalogue.Config{File: "playwright.json", Tables: []string{"mcpServers", "."}}), []string{"playwright: npx|@playwright/mcp@latest"}},
		{"cline_mcp_settings.json", configured(".cline/data/settings/cline_mcp_settings.json"), []string{
			"own: node|/home/dev/own/server.mjs",
			"memory: npx|-y|@modelcontextprotocol/server-memory",
		}},
		{"qwen-settings.json", configured(".qwen/settings.json"), []string{"own: node|/home/dev/own/server.mjs", "events: http://localhost:7001/mcp"}},
		{"mcporter.json", configured(".mcporter/mcporter.json"), []string{
			"own: node|/home/dev/own/server.mjs",
			"linear: https://mcp.linear.example/mcp",
		}},
		{"kilo.jsonc", configured(".config/kilo/kilo.jsonc"), []string{"own: node|/home/dev/own/server.mjs"}},
		{"pi-mcp.json", configured(".pi/agent/mcp.json"), []string{"own: node|/home/dev/own/server.mjs", "docs: https://docs.example/mcp", "old: npx|-y|old-mcp"}},
		{"grok-settings.json", configured(".grok/settings.json"), []string{"own: node|/home/dev/own/server.mjs", "linear: https://linear.example/sse"}},
		{"nanocoder-mcp.json", configured(".config/nanocoder/.mcp.json"), []string{"own: node|/home/dev/own/server.mjs", "search: https://search.example/mcp"}},
		{"qoder-settings.json", configured(".qoder/settings.json"), []string{"own: node|/home/dev/own/server.mjs"}},
		{"amp-settings.json", configured(".config/amp/settings.json"), []string{"own: node|/home/dev/own/server.mjs"}},
	}
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func line(s Server) string {
	folder := ""
	if s.Folder != "" {
		folder = " in " + s.Folder
	}
	if s.Command == "" {
		return s.Name + folder + ": " + s.URL
	}
	return s.Name + folder + ": " + strings.Join(append([]string{s.Command}, s.Args...), "|")
}

func lines(servers []Server) []string {
	var found []string
	for _, s := range servers {
		found = append(found, line(s))
	}
	return found
}

func TestEachClientsFormatIsRead(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.file, func(t *testing.T) {
			servers, err := f.parse(fixture(t, f.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(servers); !slices.Equal(got, f.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(f.want, "\n"))
			}
		})
	}
}

func TestAServerThatItsFileSwitchesOffIsMarked(t *testing.T) {
	off := map[string][]string{"codex-config.toml": {"ast grep"}, "goose-config.yaml": {"drive"}, "opencode.jsonc": {"ast-grep"}, "pi-mcp.json": {"old"}, "windsurf-mcp_config.json": {"bridge"}}
	for _, f := range fixtures() {
		servers, _ := f.parse(fixture(t, f.file))
		var got []string
		for _, s := range servers {
			if s.Disabled {
				got = append(got, s.Name)
			}
		}
		if !slices.Equal(got, off[f.file]) {
			t.Errorf("%s: switched off are %q, want %q", f.file, got, off[f.file])
		}
	}
}

func TestSecretsBesideServersAreNotRead(t *testing.T) {
	for _, f := range fixtures() {
		servers, _ := f.parse(fixture(t, f.file))
		if text := fmt.Sprintf("%+v", servers); strings.Contains(text, "never") && strings.Contains(text, "read") {
			t.Errorf("%s: %s", f.file, text)
		}
	}
}

func TestFaultsSayWhereAndQuoteNothing(t *testing.T) {
	for _, c := range []struct {
		name, text string
		parse      parser
		servers    int
		want       string
	}{
		{"an empty file holds nothing", " \n", configured(".claude.json"), 0, ""},
		{"a byte order mark is no fault", "\ufeff{}", configured(".claude.json"), 0, ""},
		{"null is nothing", `{"mcpServers": null}`, configured(".claude.json"), 0, ""},
		{"another document holds nothing", `[1, "x"]`, configured(".claude.json"), 0, ""},
		{"a cut file", "{\n \"mcpServers\": {\n", configured(".claude.json"), 0, "line 3: not valid JSON at column 1"},
		{"a bare secret in JSON", "{\"mcpServers\": {\n \"k\": hunter2\n}}", configured(".claude.json"), 0, "line 2: not valid JSON at column 7"},
		{"a bare secret in JSON5", "{mcp: {servers: {\n k: hunter2\n}}}", configured(".openclaw/openclaw.json"), 0, "line 2: not valid JSON at column 5"},
		{"a bare secret in TOML", "a = 1\nk = hunter2\n", configured(".codex/config.toml"), 0, "line 2: not valid TOML at column 5"},
		{"a secret in broken YAML", "a: 1\nk: *hunter2\n", configured(".config/goose/config.yaml"), 0, "not valid YAML: unknown anchor"},
		{"YAML with a tab", "a:\n\tb: hunter2\n", configured(".config/goose/config.yaml"), 0, "line 2: not valid YAML: found character that cannot start any token"},
		{"servers that are no table", "{\n\"mcpServers\": 5}", configured(".claude.json"), 0, "line 2: mcpServers: want a table"},
		{"a list of servers without names holds none", `{"mcpServers": [{"command": "x"}, 5, {"uses": "a/b"}]}`, configured(".claude.json"), 0, ""},
		{
			"one broken entry leaves the others", "{\"mcpServers\": {\n\"a\": {\"command\": {}},\n\"b\": 5,\n\"c\": {\"command\": \"x\", \"args\": \"y\"},\n\"d\": {\"command\": \"z\"}}}",
			configured(".claude.json"), 1, `line 3: server "b": want a table; line 4: server "c": args: want a list of at most 256 words`,
		},
		{"arguments that are no text", `{"mcpServers": {"a": {"command": "x", "args": [["y"]]}}}`, configured(".claude.json"), 0, `line 1: server "a": args: want a list of text that fits on a command line`},
		{"JSON nested too deeply", strings.Repeat("[", 1<<20), configured(".claude.json"), 0, "nested too deeply"},
		{"a comment that ends with a carriage return, and a string without an end", "// \r \"\n" + strings.Repeat("[", 1<<20), configured(".claude.json"), 0, "line 2: not valid JSON at column 1048577"},
		{"JSON5 nested too deeply behind stars and slashes", "/* * \" / */" + strings.Repeat("[", 1<<20), configured(".openclaw/openclaw.json"), 0, "nested too deeply"},
		{"TOML nested too deeply", "a = " + strings.Repeat("[", 1<<20), configured(".codex/config.toml"), 0, "nested too deeply"},
		{"YAML nested too deeply", strings.Repeat("[", 1<<20), configured(".config/goose/config.yaml"), 0, "nested too deeply"},
		{"a YAML alias bomb", "a: &a [x]\nb: &b [*a, *a]\nextensions: {c: {cmd: y, args: *b}}\n", configured(".config/goose/config.yaml"), 0, `server "c": args: want a list of text that fits on a command line`},
		{"a list that stands in itself", "extensions: &a\n  x: {cmd: y, args: [z, *a]}\n", configured(".config/goose/config.yaml"), 0, `line 2: server "x": args: want a list of text that fits on a command line`},
		{"tables of one name in TOML", "[[mcp_servers]]\nname = 'a'\ncommand = 'x'\n[[mcp_servers]]\nname = 'b'\n[mcp_servers.env]\nK = 'k'\n", configured(".codex/config.toml"), 1, ""},
		{"a key that is given twice in TOML", "[a]\nb = 1\n[a]\n", configured(".codex/config.toml"), 0, "line 3: not valid TOML at column 2"},
		{"too many values", "[" + strings.Repeat("1,", maxValues) + "1]", configured(".claude.json"), 0, "too many values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			servers, err := c.parse([]byte(c.text))
			got := ""
			if err != nil {
				got = err.Error()
			}
			var faults Faults
			if got != c.want && !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") || err != nil && !errors.As(err, &faults) {
				t.Errorf("error %q, want %q", got, c.want)
			}
			if len(servers) != c.servers {
				t.Errorf("servers %v, want %d", lines(servers), c.servers)
			}
			if strings.Contains(got, "hunter2") {
				t.Error("the fault quotes the file")
			}
		})
	}
}

func TestLongWordsTakeNoLongTime(t *testing.T) {
	s := entry("x", "tool")
	for _, text := range []string{"${", "$", "{env:", "${}", "${HOME}", "${A}", "~/", "$HOME/", "}"} {
		word := strings.Repeat(text, maxWord/len(text))
		a := newArgument(&s, word) // quadratic, it would take minutes
		if !a.matches(word) {
			t.Errorf("a word of %q does not match itself", text)
		}
		a.matches(strings.Repeat("x", maxWord))
	}
	long := fmt.Sprintf(`{"mcpServers": {"a": {"command": "x", "args": [%q]}}}`, strings.Repeat("x", maxWord+1))
	if servers, err := configured(".claude.json")([]byte(long)); len(servers) > 0 || err == nil {
		t.Errorf("%d servers of an argument nothing can be started with", len(servers))
	}
}

func repeat(count int, format string) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

func TestASmallFileDoesNotGrow(t *testing.T) {
	for name, text := range map[string]string{
		"a list that is named again and again":  "x: &x [" + strings.Repeat("a,", 200_000) + "]\nextensions:\n" + repeat(5000, "  s%d: {cmd: y, args: *x}\n"),
		"a table that is named again and again": "x: &x {cmd: y, " + repeat(100_000, "k%d: 1,") + "}\nextensions:\n" + repeat(5000, "  s%d: *x\n"),
		"as many faults as entries":             "extensions:\n" + repeat(100_000, "  s%d: 5\n"),
	} {
		servers, err := configured(".config/goose/config.yaml")([]byte(text))
		var faults Faults
		if len(servers) > 0 || !errors.As(err, &faults) || len(faults) > maxFaults {
			t.Errorf("%s: %d servers, %d faults", name, len(servers), len(faults))
		}
	}
	servers, err := configured(".config/goose/config.yaml")([]byte("extensions:\n" + repeat(5000, "  s%d: {cmd: x}\n")))
	if len(servers) != maxServers || err == nil {
		t.Errorf("%d servers, %v; want the first %d and a fault", len(servers), err, maxServers)
	}
}

func TestBracketsInAHistoryAreNoNesting(t *testing.T) {
	text := `{"history": ["` + strings.Repeat("[{", 5000) + `"], "mcpServers": {"a": {"command": "x"}}}`
	if servers, err := configured(".claude.json")([]byte(text)); err != nil || len(servers) != 1 {
		t.Errorf("%v, %v", servers, err)
	}
}

// asOthers is JSON as the standard library reads it, spelled as [spelled] does.
func asOthers(t *testing.T, data []byte) string {
	t.Helper()
	var read any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(read)
}

// spelled is a value as fmt prints that of the standard library: of a key that is given twice the last counts.
func spelled(v Value) any {
	switch v.Kind {
	case Word:
		return v.Text
	case List:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, spelled(item))
		}
		return items
	case Table:
		fields := map[string]any{}
		for _, f := range v.Fields {
			fields[f.Key] = spelled(f.Value)
		}
		return fields
	case Nothing:
	}
	return nil
}

// FuzzJSONIsReadAsOthersReadIt: whatever is JSON is read, as the standard library reads it, and where its words stand is
// what they are.
func FuzzJSONIsReadAsOthersReadIt(f *testing.F) {
	for _, file := range fixtures() {
		f.Add(fixture(f, file.file))
	}
	f.Add([]byte(`{"a": [1, -2.5e3, true, null, "\u00e9\ud83d\ude00\/\"", ""], "": {}, "a": [[]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) {
			return
		}
		root, err := parseJSON(data, []string{"."})
		if err != nil && (err.Error() == errNested.Error() || err.Error() == errValues.Error()) {
			return
		}
		if err != nil {
			t.Fatalf("%v: %q", err, data)
		}
		if got, want := fmt.Sprint(spelled(root)), asOthers(t, data); got != want {
			t.Errorf("%q is read as %s, want %s", data, got, want)
		}
	})
}

func FuzzParsers(f *testing.F) {
	parsers := []parser{
		configured(".claude.json"), configured(".cursor/mcp.json"), configured(".vscode/mcp.json"), configured("opencode.json"), configured(".zed/settings.json"), configured(".openclaw/openclaw.json"), configured(".codex/config.toml"),
		configured(".config/goose/config.yaml"),
	}
	for _, fixture := range fixtures() {
		data, err := os.ReadFile(filepath.Join("testdata", fixture.file))
		if err != nil {
			f.Fatal(err)
		}
		for i := range parsers {
			f.Add(uint8(i), data)
		}
	}
	for i, text := range []string{"[[[[", "{'a': \"", "/*", "//\r[", "a: &a [*a]", "a = [[", "\\", "{a:1,}", "+.", "'\\\r\n'", "<<: *x", "\xff"} {
		f.Add(uint8(i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		servers, err := parsers[int(which)%len(parsers)](data)
		var faults Faults
		if err != nil && !errors.As(err, &faults) {
			t.Errorf("an error of another kind: %v", err)
		}
		NewSet(servers, nil) // whatever was parsed can be compiled
	})
}

func TestWhatIsBesideTheServersIsNotParsed(t *testing.T) {
	config := catalogue.Config{File: ".claude.json", Tables: []string{"mcpServers", "projects/*/mcpServers"}}
	const servers = `"one": {"command": "/opt/one", "args": ["}", "\"", "//x"]}`
	for _, row := range []struct {
		says, text string
		want       int
		fault      string // how it begins
	}{
		{"before, behind and between", `{"history": ["a", {"b": "}"}], "mcpServers": {` + servers + `}, "c": {"mcpServers": {"no": {"command": "no"}}}, "projects": {"/p": {"history": [1], "mcpServers": {"two": {"command": "/opt/two"}}}}}`, 2, ""},
		{"more values than a file may have", `{"history": [` + strings.Repeat("0,", 2*maxValues) + `0], "mcpServers": {` + servers + `}}`, 1, ""},
		{"comments", "{// a\n\"h\": /* } */ [\"x\"], // b\n\"mcpServers\": {" + servers + "},}", 1, ""},
		{"a key that is escaped", `{"mcp\u0053ervers": {` + servers + `}}`, 1, ""},
		{"a fault behind it keeps its line", "{\"h\": [\n1,\n2],\n\"mcpServers\": {\"x\": 5}}", 0, "line 4: "},
		{"a string without an end", `{"h": "x, "mcpServers": {` + servers + `}}`, 0, "line 1: not valid JSON"},
		{"no colon", `{"h" "x", "mcpServers": {` + servers + `}}`, 0, "line 1: not valid JSON"},
		{"no value", `{"h": , "mcpServers": {` + servers + `}}`, 0, "line 1: not valid JSON"},
		{"no object", `["h"]`, 0, ""},
	} {
		t.Run(row.says, func(t *testing.T) {
			found, err := Read(Config{config}, []byte(row.text))
			if len(found) != row.want || (err != nil) != (row.fault != "") || err != nil && !strings.HasPrefix(err.Error(), row.fault) {
				t.Errorf("%d servers, %v; want %d, %q", len(found), err, row.want, row.fault)
			}
		})
	}
}
