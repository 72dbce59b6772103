package catalogue

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// world is one process and what it should be taken for.
type world struct {
	name string
	argv []string
	exe  string
	want inventory.Role
	as   string // the name of the class; not looked at where empty
}

func (w world) process() *inventory.Process {
	return &inventory.Process{PID: 4121, Start: 1, Argv: w.argv, Exe: w.exe, Comm: "MainThread"}
}

func check(t *testing.T, worlds []world) {
	t.Helper()
	catalogue := New()
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			got := catalogue.Process(w.process())
			if got.Role != w.want {
				t.Fatalf("%q: %s (%s), want %s", w.argv, roleName(got.Role), got.Why, roleName(w.want))
			}
			if w.as != "" && got.Name != w.as {
				t.Errorf("%q is called %q, want %q", w.argv, got.Name, w.as)
			}
			if got.Role != inventory.RoleNone && got.Why == "" {
				t.Errorf("%q: no word of why", w.argv)
			}
		})
	}
}

func roleName(role inventory.Role) string {
	return [...]string{"nothing", "session", "gateway", "server", "wrapper", "boundary"}[role]
}

func words(line string) []string { return strings.Fields(line) }

// padded is a title as npm leaves it behind: one argument and empty ones.
func padded(title string) []string { return append([]string{title}, make([]string, 24)...) }

func TestSessions(t *testing.T) {
	const codexBin = "/home/dev/npm/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
	check(t, []world{
		{"Claude Code, native, called by its version", words("claude --resume"), "/home/dev/.local/share/claude/versions/2.1.196", inventory.RoleSession, "claude-code"},
		{"Claude Code on a Mac, whose title is the version", words("2.1.196"), "/Users/a/.local/share/claude/versions/2.1.196", inventory.RoleSession, "claude-code"},
		{"Claude Code replaced while it runs", words("claude"), "/home/dev/.local/share/claude/versions/2.1.110 (deleted)", inventory.RoleSession, "claude-code"},
		{"Claude Code from npm", words("node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "/usr/bin/node", inventory.RoleSession, "claude-code"},
		{"Claude Code by its bin", words("node /home/dev/.npm-global/bin/claude"), "/usr/bin/node", inventory.RoleSession, "claude-code"},
		{"Claude Code as npm's ELF", words("/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe"), "", inventory.RoleSession, "claude-code"},
		{"Claude Code inside Claude Desktop", words("claude --output-format stream-json"), "/Users/a/Library/Application Support/Claude/claude-code/2.1.121/claude.app/Contents/MacOS/claude", inventory.RoleSession, "claude-code"},
		{"Claude Code's spare", words("claude --bg-spare"), "", inventory.RoleSession, "claude-code"},
		{"claude mcp list starts every server to see whether it answers", words("claude mcp list"), "", inventory.RoleSession, "claude-code"},
		{"Claude Desktop", []string{"/Applications/Claude.app/Contents/MacOS/Claude"}, "/Applications/Claude.app/Contents/MacOS/Claude", inventory.RoleSession, "claude-desktop"},
		{"Claude Desktop's renderer", []string{"/Applications/Claude.app/Contents/Frameworks/Claude Helper (Renderer).app/Contents/MacOS/Claude Helper (Renderer)", "--type=renderer"}, "", inventory.RoleNone, ""},
		{"codex, the launcher", words("node /home/dev/npm/node_modules/.bin/codex app-server"), "/usr/bin/node", inventory.RoleSession, "codex"},
		{"codex, the agent", words(codexBin + " app-server"), codexBin, inventory.RoleSession, "codex"},
		{"codex, the launcher by its file", words(`node /opt/lib/node_modules/@openai/codex/bin/codex.js -c cli_auth_credentials_store="ephemeral" app-server --listen stdio://`), "", inventory.RoleSession, "codex"},
		{"codex's daemon", words("/home/dev/.codex/packages/app-server-daemon/releases/0.169.0/bin/codex app-server --listen unix:// --analytics-default-enabled --managed-daemon"), "", inventory.RoleSession, "codex"},
		{"codex inside Codex Desktop", words("/Applications/Codex.app/Contents/Resources/codex app-server --analytics-default-enabled"), "", inventory.RoleSession, "codex"},
		{"Codex Desktop", words("/Applications/Codex.app/Contents/MacOS/Codex"), "", inventory.RoleSession, "codex-desktop"},
		{"codex without asking", words("codex --dangerously-bypass-approvals-and-sandbox"), "", inventory.RoleSession, "codex"},
		{"openclaw's gateway under its own title", padded("openclaw-gateway"), "/usr/bin/node", inventory.RoleSession, "openclaw"},
		{"openclaw's probe under its own title", padded("openclaw-mcp"), "/usr/bin/node", inventory.RoleSession, "openclaw"},
		{"openclaw's terminal", padded("openclaw-tui"), "/usr/bin/node", inventory.RoleSession, "openclaw"},
		{"openclaw by its bin", words("node /home/dev/npm/node_modules/.bin/openclaw mcp probe"), "", inventory.RoleSession, "openclaw"},
		{"openclaw by its file", words("/usr/bin/node /usr/lib/node_modules/openclaw/dist/index.js gateway --port 18789"), "", inventory.RoleSession, "openclaw"},
		{"openclaw.mjs", words("node /srv/openclaw/openclaw.mjs gateway"), "", inventory.RoleSession, "openclaw"},
		{"openclaw.mjs from the current folder", words("node openclaw.mjs gateway"), "", inventory.RoleSession, "openclaw"},
		{"clawdbot, as it was called", padded("clawdbot-gateway"), "", inventory.RoleSession, "openclaw"},
		{"openclaw's gateway in compose", words("node dist/index.js gateway --bind lan --port 18789"), "/usr/local/bin/node", inventory.RoleSession, "openclaw"},
		{"another program's dist/index.js", words("node dist/index.js serve --port 1"), "", inventory.RoleNone, ""},
		{"gemini, launcher and agent alike", words("/usr/bin/node --max-old-space-size=8192 /home/dev/npm/node_modules/.bin/gemini --acp"), "", inventory.RoleSession, "gemini"},
		{"qwen", words("node /usr/lib/node_modules/@qwen-code/qwen-code/dist/cli.js"), "", inventory.RoleSession, "qwen-code"},
		{"opencode", words("/home/dev/.opencode/bin/opencode serve"), "", inventory.RoleSession, "opencode"},
		{"opencode from npm", words("/home/dev/npm/node_modules/.bin/opencode acp"), "", inventory.RoleSession, "opencode"},
		{"goose", words("goose session"), "", inventory.RoleSession, "goose"},
		{"goosed", words("/Applications/Goose.app/Contents/Resources/bin/goosed agent"), "", inventory.RoleSession, "goose"},
		{"goose, the one that migrates databases", words("goose postgres dsn up"), "", inventory.RoleNone, ""},
		{"cursor-agent", words("/home/dev/.local/share/cursor-agent/versions/2026.1/node --use-system-ca /home/dev/.local/share/cursor-agent/versions/2026.1/index.js worker-server"), "", inventory.RoleSession, "cursor"},
		{"Cursor on Linux", words("/usr/share/cursor/cursor"), "/usr/share/cursor/cursor", inventory.RoleSession, "cursor"},
		{"Cursor's GPU process", words("/usr/share/cursor/cursor --type=gpu-process"), "/usr/share/cursor/cursor", inventory.RoleNone, ""},
		{"Cursor's extension host on Linux", words("/proc/self/exe --type=utility --utility-sub-type=node.mojom.NodeService"), "/usr/share/cursor/cursor", inventory.RoleSession, "cursor"},
		{"Cursor's MCP process on a Mac", []string{"Cursor Helper: mcp-process"}, "/Applications/Cursor.app/Contents/Frameworks/Cursor Helper.app/Contents/MacOS/Cursor Helper", inventory.RoleSession, "cursor"},
		{"Cursor's extension host on a Mac", []string{"Cursor Helper (Plugin): extension-host (user) ws [1-1]"}, "", inventory.RoleSession, "cursor"},
		{"Cursor's file watcher", []string{"Cursor Helper: fileWatcher"}, "", inventory.RoleNone, ""},
		{"VS Code's extension host on a Mac", []string{"/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)", "--type=utility"}, "", inventory.RoleSession, "vscode"},
		{"VS Code on Linux", words("/usr/share/code/code"), "", inventory.RoleSession, "vscode"},
		{"VS Code opening a server's folder", words("code mcp-server/"), "", inventory.RoleSession, "vscode"},
		{"VS Code's server on a remote host", words("/home/dev/.vscode-server/bin/1/node /home/dev/.vscode-server/bin/1/out/bootstrap-fork --type=extensionHost"), "", inventory.RoleSession, "vscode"},
		{"VS Code's terminals on a remote host", words("/home/dev/.vscode-server/bin/1/node /home/dev/.vscode-server/bin/1/out/bootstrap-fork --type=ptyHost"), "", inventory.RoleSession, "vscode"},
		{"Windsurf's language server", words("/opt/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64 --api_server_url x"), "", inventory.RoleSession, "windsurf"},
		{"Zed", words("/usr/lib/zed-editor"), "", inventory.RoleSession, "zed"},
		{"ZFS's event daemon", words("/usr/sbin/zed -F"), "/usr/sbin/zed", inventory.RoleNone, ""},
		{"Copilot", words("node /usr/lib/node_modules/@github/copilot/index.js"), "", inventory.RoleSession, "copilot"},
		{"Kiro", words("/usr/share/kiro/kiro"), "", inventory.RoleSession, "kiro"},
		{"the agent behind Kiro's command line", words("/home/dev/.local/share/kiro-cli/node /home/dev/.local/share/kiro-cli/node_modules/@kiro/agent/dist/server/acp-server.js --transport=stdio --auth=acp-callback"), "", inventory.RoleSession, "kiro"},
		{"pi under its title, when another program speaks to it", padded("pi-rpc"), "/usr/bin/node", inventory.RoleSession, "pi"},
		{"a program that calculates pi", words("pi 1000"), "/usr/bin/pi", inventory.RoleNone, ""},
		{"another program called grok", words("/usr/bin/grok -f patterns.grok"), "/usr/bin/grok", inventory.RoleNone, ""},
		{"qodercli as its installer puts it there", words("/home/dev/.local/bin/qodercli"), "", inventory.RoleSession, "qodercli"},
		{"the inspector", words("node /home/dev/.npm/_npx/16ff/node_modules/.bin/mcp-inspector"), "", inventory.RoleSession, "mcp-inspector"},
		{"continue by its bin", words("node /home/dev/npm/node_modules/.bin/cn --config /home/dev/.continue/config.yaml --auto"), "/usr/bin/node", inventory.RoleSession, "continue"},
		{"continue by its file", words("node /usr/lib/node_modules/@continuedev/cli/dist/cn.js -p hello"), "/usr/bin/node", inventory.RoleSession, "continue"},
		{"another program called cn", words("/usr/local/bin/cn -q"), "/usr/local/bin/cn", inventory.RoleNone, ""},
		{"cline's launcher", words("node /home/dev/npm/node_modules/cline/bin/cline --json x"), "/usr/bin/node", inventory.RoleSession, "cline"},
		{"cline, the agent", words("/home/dev/npm/node_modules/@cline/cli-linux-x64/bin/cline -i"), "", inventory.RoleSession, "cline"},
		{"cline's hub", words("/home/dev/npm/node_modules/@cline/cli-linux-x64/bin/cline --cline-hub-daemon --cwd /srv --host 127.0.0.1 --port 25463 --pathname /hub"), "", inventory.RoleSession, "cline"},
		{"cline's hub under another title", padded("cline-hub-daemon"), "", inventory.RoleSession, "cline"},
		{"Zed's codex", words("/home/dev/npm/node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp"), "", inventory.RoleSession, "codex-acp"},
		{"Zed's codex, its launcher", words("node /home/dev/npm/node_modules/.bin/codex-acp -c model=o3"), "", inventory.RoleSession, "codex-acp"},
		{"the adapter in front of claude", words("node /home/dev/npm/node_modules/.bin/claude-code-acp"), "", inventory.RoleSession, "claude-code-acp"},
		{"the adapter under its new name", words("node /home/dev/npm/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"), "", inventory.RoleSession, "claude-code-acp"},
		{"the claude of the agent SDK", words("node /home/dev/npm/node_modules/@anthropic-ai/claude-agent-sdk/cli.js --output-format stream-json"), "", inventory.RoleSession, "claude-code"},
		{"mcporter's daemon", words("/usr/bin/node /home/dev/npm/node_modules/.bin/mcporter daemon start --foreground"), "", inventory.RoleSession, "mcporter"},
		{"mcp-cli", words("node /home/dev/npm/node_modules/.bin/mcp-cli npx -y @acme/mcp"), "", inventory.RoleSession, "mcp-cli"},
		{"mcp-cli under its own title", padded("mcp-cli"), "/usr/bin/node", inventory.RoleSession, "mcp-cli"},
		{"kilo", words("/home/dev/npm/node_modules/.bin/kilo"), "", inventory.RoleSession, "kilo-code"},
		{"the agents of an npx", padded("npm exec @zed-industries/codex-acp"), "/usr/bin/node", inventory.RoleWrapper, "codex-acp"},
		{"a program in a client's package is not the client", words("/usr/lib/node_modules/@anthropic-ai/claude-code/vendor/ripgrep/rg x"), "", inventory.RoleNone, ""},
		{"a server below a client's folder is not the client", words("node /usr/lib/node_modules/openclaw/node_modules/@acme/mcp/dist/index.js"), "", inventory.RoleServer, "acme-mcp"},
		{"an argument is not a program", words("vim /usr/bin/claude"), "", inventory.RoleNone, ""},
		{"what a client's launcher runs is no session twice", padded("npm exec @google/gemini-cli"), "/usr/bin/node", inventory.RoleWrapper, "gemini"},
		{"a shell with a client", []string{"bash", "-lc", "cd /srv && codex exec x"}, "", inventory.RoleWrapper, "codex"},
	})
}

// TestHelpers are processes of clients that are no sessions by themselves; of those behind
// which no session need be, the value is true.
func TestHelpers(t *testing.T) {
	for line, daemon := range map[string]bool{
		"claude --bg-pty-host /run/x":                        false,
		"claude --bg-spare":                                  false,
		"claude daemon run":                                  true,
		"codex app-server daemon pid-update-loop":            true,
		"codex app-server --listen unix:// --managed-daemon": true,
		"cline --cline-hub-daemon --port 1":                  true,
		"node /usr/lib/node_modules/openclaw/dist/sqlite-readonly-location.worker.js":                         false,
		"/x/.vscode-server/bin/1/node /x/.vscode-server/bin/1/out/bootstrap-fork --type=ptyHost":              false,
		"/x/.vscode-server/bin/1/node /x/.vscode-server/bin/1/out/bootstrap-fork --type=agentHost --logsPath": false,
	} {
		class := New().Process(&inventory.Process{PID: 9, Argv: words(line)})
		if class.Role != inventory.RoleSession || !class.Helper || class.Daemon != daemon {
			t.Errorf("%q: %s, helper %v, daemon %v, want daemon %v", line, roleName(class.Role), class.Helper, class.Daemon, daemon)
		}
	}
	for _, line := range []string{"claude", "claude --resume", "codex", "codex app-server", "cline -i",
		"/x/.vscode-server/bin/1/node /x/.vscode-server/bin/1/out/bootstrap-fork --type=extensionHost"} {
		if class := New().Process(&inventory.Process{PID: 9, Argv: words(line)}); class.Role != inventory.RoleSession || class.Helper {
			t.Errorf("%q: %s, helper %v", line, roleName(class.Role), class.Helper)
		}
	}
}

func TestHeadless(t *testing.T) {
	rows := map[string]bool{
		"claude --output-format stream-json --verbose --input-format stream-json": true,
		"claude -p --input-format=stream-json":                                    true,
		"claude":                                                                  false,
		"claude -p hello":                                                         false,
		"codex app-server":                                                        true,
		"codex -c a=b app-server":                                                 true,
		"codex app-server --listen stdio://":                                      true,
		"codex app-server --listen unix://":                                       false,
		"codex app-server daemon pid-update-loop":                                 false,
		"codex app-server --analytics-default-enabled":                            true,
		"codex":                               false,
		"node /x/.bin/gemini --acp":           true,
		"node /x/.bin/gemini":                 false,
		"gemini --experimental-acp":           true,
		"opencode acp":                        true,
		"opencode serve":                      false,
		"goose acp":                           true,
		"node dist/index.js gateway --port 1": false,
		"copilot --acp":                       true,
		"node /x/.bin/claude-code-acp":        true,
		"codex-acp -c model=o3":               true,
		"cline --acp":                         true,
		"cline -i":                            false,
		"codex --listen stdio:// app-server":  true,
		"gemini -p --acp=false":               true,
		"node /x/.bin/qwen --acp":             true,
	}
	for line, want := range rows {
		class := New().Process(&inventory.Process{PID: 9, Argv: words(line)})
		if class.Role != inventory.RoleSession || class.Headless != want {
			t.Errorf("%q: %s, headless %v, want %v", line, roleName(class.Role), class.Headless, want)
		}
	}
}

func TestGateways(t *testing.T) {
	check(t, []world{
		{"Docker's gateway", words("docker mcp gateway run --profile x"), "", inventory.RoleGateway, "docker-mcp-gateway"},
		{"its plugin", words("/Users/a/.docker/cli-plugins/docker-mcp mcp gateway run"), "", inventory.RoleGateway, "docker-mcp-gateway"},
		{"the plugin on its own", words("/home/dev/lab/bin/docker-mcp gateway run --catalog x.yaml --servers gomcp --transport streaming --port 33676"), "/home/dev/lab/bin/docker-mcp", inventory.RoleGateway, "docker-mcp-gateway"},
		{"with global flags", words("docker --context x mcp gateway run"), "", inventory.RoleGateway, ""},
		{"below a shell", []string{"sh", "-c", "docker mcp gateway run"}, "", inventory.RoleGateway, ""},
		{"another command of the plugin", words("docker mcp catalog ls"), "", inventory.RoleNone, ""},
		{"another command of the plugin itself", words("docker-mcp mcp catalog ls"), "", inventory.RoleNone, ""},
		{"claude mcp serve", words("/opt/homebrew/bin/claude mcp serve"), "", inventory.RoleGateway, "claude-mcp"},
		{"codex mcp-server", words("codex mcp-server"), "", inventory.RoleGateway, "codex-mcp"},
		{"codex mcp-server behind flags", words("codex -c features.x=true mcp-server"), "", inventory.RoleGateway, ""},
		{"codex mcp serve, as it was", words("codex mcp serve"), "", inventory.RoleGateway, ""},
		{"codex mcp list", words("codex mcp list"), "", inventory.RoleSession, "codex"},
		{"mcporter as one server of all", words("node /x/node_modules/mcporter/dist/cli.js --config c.json serve --stdio"), "", inventory.RoleGateway, "mcporter-serve"},

		{"mcp-hub", words("node /x/node_modules/.bin/mcp-hub --port 37373 --config /home/dev/servers.json"), "", inventory.RoleGateway, "mcp-hub"},
		{"mcp-hub from npx", padded("npm exec mcp-hub --port 37373 --config c.json"), "/usr/bin/node", inventory.RoleGateway, "mcp-hub"},
		{"the shell below npx", []string{"sh", "-c", "'mcp-hub' --port 37373 --config c.json"}, "", inventory.RoleGateway, "mcp-hub"},
		{"mcp-proxy with a server", words("node /x/node_modules/.bin/mcp-proxy --port 8080 -- node server.js"), "", inventory.RoleGateway, "mcp-proxy"},
		{"mcp-proxy without dashes", words("node /x/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs npx -y @acme/mcp"), "", inventory.RoleGateway, "mcp-proxy"},
		{"mcp-proxy of Python", words("/home/dev/.local/bin/python /home/dev/.local/bin/mcp-proxy --sse-port 8080 uvx mcp-server-fetch"), "", inventory.RoleGateway, "mcp-proxy"},
		{"mcp-proxy of Go", words("mcp-proxy --config config.json"), "", inventory.RoleGateway, "mcp-proxy"},
		{"mcp-proxy as a bridge to an address", words("mcp-proxy --transport streamablehttp http://127.0.0.1:8080/mcp"), "", inventory.RoleServer, "mcp-proxy"},
		{"supergateway", []string{"node", "/x/node_modules/.bin/supergateway", "--stdio", "npx -y @acme/mcp", "--port", "8000", "--stateful"}, "", inventory.RoleGateway, "supergateway"},
		{"supergateway from npx", padded("npm exec supergateway --stdio npx -y @acme/mcp"), "/usr/bin/node", inventory.RoleGateway, "supergateway"},
		{"supergateway as a bridge to an address", words("node /x/node_modules/.bin/supergateway --sse http://127.0.0.1:8000/sse"), "", inventory.RoleServer, "supergateway"},
		{"what supergateway starts for every client", []string{"/bin/sh", "-c", "npx -y @acme/mcp"}, "", inventory.RoleServer, "acme-mcp"},
		{"mcpo", words("/home/dev/.venv/bin/python /home/dev/.venv/bin/mcpo --port 8000 -- uvx mcp-server-time"), "", inventory.RoleGateway, "mcpo"},
		{"mcpo from uvx", words("uvx mcpo --port 8000 --config c.json"), "", inventory.RoleGateway, "mcpo"},
		{"1mcp", words("1mcp --config mcp.json"), "", inventory.RoleGateway, "1mcp"},
		{"1mcp as a bridge to one that runs", words("1mcp proxy"), "", inventory.RoleServer, "1mcp"},
		{"1mcp that manages", words("1mcp mcp add x"), "", inventory.RoleNone, ""},
		{"mcp-remote is a server: it starts nothing", words("node /x/node_modules/.bin/mcp-remote https://mcp.example/sse"), "", inventory.RoleServer, "mcp-remote"},
		{"a gateway that is only asked", words("mcp-hub --help"), "", inventory.RoleNone, ""},
	})
}

func TestServers(t *testing.T) {
	const npx = "/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/"
	check(t, []world{
		{"npm exec under its title", padded("npm exec @modelcontextprotocol/server-everything"), "/usr/bin/node", inventory.RoleServer, "server-everything"},
		{"npm exec with the server's arguments", padded("npm exec @playwright/mcp@latest --headless"), "/usr/bin/node", inventory.RoleServer, "playwright-mcp"},
		{"npm exec with arguments of its own behind the title", []string{"npm exec @upstash/context7-mcp", "--api-key", "x"}, "", inventory.RoleServer, "context7-mcp"},
		{"npx in full", words("node /usr/lib/node_modules/npm/bin/npx-cli.js -y @upstash/context7-mcp@1.0.14"), "", inventory.RoleServer, "context7-mcp"},
		{"npx with a package and its program", words("npx -y -p @acme/tools-mcp acme-tool"), "", inventory.RoleServer, "acme-tool"},
		{"npm exec in full", words("npm exec --yes -- @modelcontextprotocol/server-memory"), "", inventory.RoleServer, "server-memory"},
		{"the shell below npm exec", []string{"sh", "-c", "'mcp-server-memory'"}, "/usr/bin/dash", inventory.RoleServer, "mcp-server-memory"},
		{"the shell below npm exec, with arguments", []string{"sh", "-c", "'playwright-mcp' --headless"}, "/usr/bin/dash", inventory.RoleServer, "playwright-mcp"},
		{"the leaf", words("node " + npx + "mcp-server-sequential-thinking"), "/usr/bin/node", inventory.RoleServer, "mcp-server-sequential-thinking"},
		{"the leaf on Node 24", words("/opt/node24/bin/node " + npx + "context7-mcp"), "/opt/node24/bin/node", inventory.RoleServer, "context7-mcp"},
		{"a login shell that goes somewhere first", []string{"bash", "-lc", "export PATH=/usr/bin:/bin; cd /tmp && npx -y @modelcontextprotocol/server-sequential-thinking"}, "", inventory.RoleServer, "server-sequential-thinking"},
		{"a shell with docker run", []string{"sh", "-c", "docker run -i --rm --name demo --label docker-mcp=true --label docker-mcp-name=x demo/eofblind"}, "", inventory.RoleServer, "x"},
		{"a shell with a Python module", []string{"sh", "-c", "cd /path && python3 -m mcp_server.server --transport stdio"}, "", inventory.RoleServer, "mcp_server"},
		{"a server with its output in a file too", []string{"sh", "-c", "mcp-server-time 2>&1 | tee /tmp/log"}, "", inventory.RoleServer, "mcp-server-time"},
		{"a package's file", words("node /home/dev/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js /home/dev"), "", inventory.RoleServer, "server-filesystem"},
		{"a server by its folder, as DollhouseMCP's", words("node /Users/a/src/mcp-server/dist/index.js"), "", inventory.RoleServer, "mcp-server"},
		{"a server in a folder called so", words("python3 /srv/weather-mcp/server.py"), "", inventory.RoleServer, "weather-mcp"},
		{"interpreter flags with values", words("node -r ./env.js --max-old-space-size=4096 --require x /srv/foo-mcp/build/index.js"), "", inventory.RoleServer, "foo-mcp"},
		{"a Python module", words("/venv/bin/python -X utf8 -u -m mcp_server_fetch --x"), "", inventory.RoleServer, "mcp_server_fetch"},
		{"a Python module that ends in mcp", words("python3.12 -m acme.mcp"), "", inventory.RoleServer, ""},
		{"uv's title", words("uv tool uvx --from chroma-mcp==0.2.6 chroma-mcp --client-type persistent"), "", inventory.RoleServer, "chroma-mcp"},
		{"uvx", words("uvx mcp-server-fetch"), "", inventory.RoleServer, "mcp-server-fetch"},
		{"what uvx starts", words("/home/dev/.cache/uv/archive-v0/h1/bin/python /home/dev/.cache/uv/archive-v0/h1/bin/mcp-yfinance-server"), "", inventory.RoleServer, "mcp-yfinance-server"},
		{"uv with a folder", words("uv --directory /srv/weather-mcp run server.py"), "", inventory.RoleServer, "weather-mcp"},
		{"uv run with the SDK", []string{"uv", "run", "--with", "mcp[cli]", "mcp", "run", "/srv/server.py"}, "", inventory.RoleServer, "mcp"},
		{"serena from its repository", words("uvx --from git+https://github.com/oraios/serena serena start-mcp-server --context ide"), "", inventory.RoleServer, "serena"},
		{"bunx on a Mac", words("node /private/tmp/bunx-501-@delorenj/mcp-server-trello@latest/node_modules/.bin/mcp-server-trello"), "", inventory.RoleServer, "mcp-server-trello"},
		{"bunx", words("bunx @acme/mcp"), "", inventory.RoleServer, "acme-mcp"},
		{"bun x", words("bun x @acme/foo-mcp@1"), "", inventory.RoleServer, "foo-mcp"},
		{"contextplus", words("node /var/folders/x/bunx-501-contextplus@latest/node_modules/.bin/contextplus"), "", inventory.RoleServer, "contextplus"},
		{"pnpm exec", words("pnpm exec gitnexus mcp"), "", inventory.RoleServer, "gitnexus"},
		{"what pnpm exec starts", words("node ./node_modules/.bin/../gitnexus/dist/cli/index.js mcp"), "", inventory.RoleServer, "gitnexus"},
		{"pnpm dlx", words("pnpm dlx @acme/mcp-server"), "", inventory.RoleServer, "acme-mcp-server"},
		{"a subcommand", words("/usr/local/bin/engram mcp --tools=agent --project=mini-ceo-bg"), "", inventory.RoleServer, "engram"},
		{"a subcommand of a script", words("node /usr/lib/node_modules/likec4/bin/likec4 mcp --stdio docs/diagrams"), "", inventory.RoleServer, "likec4"},
		{"a subcommand of a package", padded("npm exec xcodebuildmcp@latest mcp"), "", inventory.RoleServer, "xcodebuildmcp"},
		{"a flag", words("node /data/.local/bin/link-cli --mcp"), "", inventory.RoleServer, "link-cli"},
		{"claude as a bridge to Chrome", words("claude --claude-in-chrome-mcp"), "", inventory.RoleServer, "claude-in-chrome"},
		{"one of goose's own", words("goose mcp developer"), "", inventory.RoleServer, "goose-developer"},
		{"a native one", words("/home/dev/lab/bin/github-mcp-server stdio"), "/home/dev/lab/bin/github-mcp-server", inventory.RoleServer, "github-mcp-server"},
		{"a native one with flags", words("github-mcp-server --toolsets actions,issues,pull_requests,repos stdio"), "", inventory.RoleServer, "github-mcp-server"},
		{"another word behind mcp", words("mcp-codebase-index"), "", inventory.RoleServer, "mcp-codebase-index"},
		{"mcp as the last word", words("codebase-memory-mcp"), "", inventory.RoleServer, "codebase-memory-mcp"},
		{"one whose name does not say so", words("ast-grep-server"), "", inventory.RoleServer, "ast-grep-server"},
		{"gbrain", words("gbrain serve"), "", inventory.RoleServer, "gbrain"},
		{"conport", words("/home/dev/.venv/bin/python /home/dev/.venv/bin/conport-mcp --mode stdio"), "", inventory.RoleServer, "conport-mcp"},
		{"php", words("php /Applications/Herd.app/Contents/Resources/herd-mcp.phar"), "", inventory.RoleServer, "herd-mcp"},
		{"java", words("java -Xmx64m -jar /opt/foo-mcp-server.jar"), "", inventory.RoleServer, "foo-mcp-server"},
		{"a wrapper that its own editor starts", words("node /ext/a4d-mcp-wrapper.js @salesforce/mcp@latest"), "", inventory.RoleServer, "a4d-mcp-wrapper"},
		{"for another architecture", words("/Users/a/.pencil/mcp/cursor/out/mcp-server-darwin-arm64 --agent cursorIDE"), "", inventory.RoleServer, ""},
		{"under its own title", padded("chrome-devtools-mcp"), "/usr/bin/node", inventory.RoleServer, "chrome-devtools-mcp"},
		{"tsx", words("node /srv/x/node_modules/.bin/tsx watch --env-file .env /srv/notes-mcp/src/index.ts"), "", inventory.RoleServer, "notes-mcp"},
		{"npx tsx", words("npx -y tsx /srv/notes-mcp/src/index.ts"), "", inventory.RoleServer, "notes-mcp"},
		{"deno", words("deno run -A npm:@acme/mcp"), "", inventory.RoleServer, "acme-mcp"},
		{"go run", words("go run github.com/acme/foo-mcp/cmd/foo-mcp@latest"), "", inventory.RoleServer, "foo-mcp"},
		{"cargo run", words("cargo run --release --bin foo-mcp -- --stdio"), "", inventory.RoleServer, "foo-mcp"},
		{"the disclaimer of Claude Desktop", words("/Applications/Claude.app/Contents/Helpers/disclaimer -- npx -y @acme/mcp"), "", inventory.RoleServer, "acme-mcp"},
		{"reaperd exec in front", words("/usr/bin/reaperd exec --grace 5s --name acme -- npx -y @acme/mcp"), "", inventory.RoleServer, "acme-mcp"},
		{"a secret manager in front", words("op run --env-file=.env -- npx -y @acme/mcp"), "", inventory.RoleServer, "acme-mcp"},
		{"env in front", words("env -i FOO=bar PATH=/bin nohup stdbuf -oL mcp-server-git"), "", inventory.RoleServer, "mcp-server-git"},
		{"timeout in front", words("timeout -k 5 3600 mcp-server-git"), "", inventory.RoleServer, "mcp-server-git"},
		{"Windows", words("cmd.exe /c npx -y xcodebuildmcp@latest mcp"), "", inventory.RoleServer, "xcodebuildmcp"},
		{"Windows, below", []string{`C:\Program Files\nodejs\node.exe`, `C:\Program Files\nodejs\node_modules\npm\bin\npx-cli.js`, "-y", "@acme/mcp"}, "", inventory.RoleServer, "acme-mcp"},
		{"known by its executable", words("server --stdio"), "/opt/bin/github-mcp-server", inventory.RoleServer, ""},

		{"docker run of the documented image", words("docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server"), "", inventory.RoleServer, "github-mcp-server"},
		{"docker run of an image of mcp", words("docker run --rm -i mcp/fetch"), "", inventory.RoleServer, "fetch"},
		{"docker run by its labels", words("docker run --rm -i --init -l docker-mcp=true -l docker-mcp-tool-type=mcp -l docker-mcp-name=gomcp demo/x:1"), "", inventory.RoleServer, "gomcp"},
		{"docker run of a server in a plain image", words("docker run -i --rm node:22 npx -y @acme/mcp"), "", inventory.RoleServer, ""},
		{"docker exec of a server", words("docker exec -i box node /srv/foo-mcp/dist/index.js"), "", inventory.RoleServer, ""},
		{"docker start of a server", words("docker start -ai github-mcp"), "", inventory.RoleServer, "github-mcp"},
		{"the toolkit's socat", words("docker run -i --rm alpine/socat STDIO TCP:host.docker.internal:8811"), "", inventory.RoleServer, "socat"},
		{"podman", words("podman run -i --rm docker.io/mcp/time"), "", inventory.RoleServer, "time"},
	})
}

// TestHowWellANameTellsAServer: what only servers are called is known; an agent, a client or
// a job may be called all else that has mcp in it.
func TestHowWellANameTellsAServer(t *testing.T) {
	for line, wantLikely := range map[string]bool{
		"npx -y @playwright/mcp@latest":                                   false,
		"npx -y @acme/mcp-tools":                                          false,
		"uvx mcp-server-fetch":                                            false,
		"uvx conport-mcp":                                                 false,
		"node /home/dev/.npm/_npx/1/node_modules/.bin/godot-mcp":          false,
		"node /srv/x/node_modules/chrome-devtools-mcp/build/src/index.js": false,
		"/venv/bin/python -m mcp_server_fetch":                            false,
		"/home/dev/.venv/bin/python /home/dev/.venv/bin/conport-mcp":      false,
		"github-mcp-server stdio":                                         false,
		"python3 /srv/weather-mcp/server.py":                              false,
		"python3 /srv/app/mcp_server.py":                                  false,
		"node /srv/mcp-server/dist/index.js":                              false,
		"serena start-mcp-server":                                         false,
		"pnpm exec gitnexus mcp":                                          false,
		"docker run -i --rm mcp/fetch":                                    false,
		"docker run -i --rm acme/foo-mcp":                                 false,

		"python3 mcp_chatbot.py":                         true,
		"python3 /home/dev/my-mcp-bot/main.py":           true,
		"node /srv/mcp-orchestrator.js":                  true,
		"node /srv/weather-mcp/build/index.js":           true,
		"/home/dev/.venv/bin/python mcp-agent-runner.py": true,
		"npx -y mcp-chatbot":                             true,
		"/usr/local/bin/agent --mcp playwright":          true,
		"/usr/local/bin/agent mcp":                       true,
		"docker run -i --rm acme/mcp-bot":                true,
	} {
		class := New().Process(&inventory.Process{PID: 4121, Argv: words(line)})
		if class.Role != inventory.RoleServer || class.Likely != wantLikely {
			t.Errorf("%q: %s, likely %v, want likely %v (%s)", line, roleName(class.Role), class.Likely, wantLikely, class.Why)
		}
	}
}

// TestNoServers are processes with mcp in their arguments that must never be
// taken for servers.
func TestNoServers(t *testing.T) {
	for _, line := range []string{
		"vim mcp.json", "vim mcp", "nvim /srv/mcp-server/index.ts", "nano mcp_server.py", "less mcp-server.log", "man mcp", "cat mcp", "watch mcp",
		"tail -f mcp.log", "tail -f /var/log/mcp-server/out.log", "grep -r mcp .", "rg mcp-server", "find . -name mcp", "ls mcp", "rm -rf mcp",
		"git clone https://github.com/acme/foo-mcp", "git commit -m mcp", "gh repo view acme/mcp-server", "ssh host mcp-server-git", "ssh host mcp",
		"pytest tests/test_mcp.py", "python -m pytest tests/test_mcp.py", "/venv/bin/python /venv/bin/pytest mcp", "python test_mcp_server.py",
		"go test ./mcp", "go build ./cmd/mcp-server", "/tmp/go-build1/b001/mcp.test -test.v", "cargo test mcp", "cargo build -p foo-mcp",
		"npm test", "npm test mcp", "npm install @acme/mcp", "npm ci", "npm view @acme/mcp", "node /usr/lib/node_modules/npm/bin/npm-cli.js install @acme/foo-mcp",
		"vitest mcp", "node /srv/foo-mcp/node_modules/.bin/vitest mcp", "node /srv/foo-mcp/node_modules/vitest/dist/cli.js run mcp",
		"tsc -p mcp-server", "node /srv/foo-mcp/node_modules/typescript/bin/tsc --watch", "node /srv/foo-mcp/node_modules/esbuild/bin/esbuild mcp",
		"node --inspect build.js mcp", "node /srv/foo-mcp/build.js mcp", "node /srv/foo-mcp/scripts/release.js", "bash build-mcp.sh", "sh /srv/foo-mcp/install.sh",
		"node -e mcp", "python3 -c mcp", "bun test mcp", "deno test mcp", "dotnet test foo-mcp",
		"docker build -t x-mcp .", "docker pull mcp/fetch", "docker logs my-mcp", "docker logs -f foo-mcp-server", "docker stop my-mcp", "docker rm -f foo-mcp",
		"docker run -d --name x mcp/fetch", "docker run -di mcp/fetch", "docker run --rm -p 80:80 mcp/fetch", "docker run -it mcp/fetch sh",
		"docker run -i --rm alpine cat mcp", "docker run -i --rm postgres:16", "docker exec -it foo-mcp sh", "docker compose up foo-mcp", "docker ps",
		"docker run -i -l docker-mcp=true -l docker-mcp-proxy=true docker/mcp-l4proxy",
		"kubectl logs foo-mcp", "thv run fetch", "thv start fetch --foreground", "thv mcp", "make mcp-server", "uv sync", "uv pip install mcp-server-git",
		"uv add mcp", "pip install mcp-server-fetch", "curl http://127.0.0.1/mcp", "mcp-cli tools", "mcp dev server.py", "mcp", "mcp a b",
		"fastmcp version", "gitnexus mcp --help", "gitnexus mcp list", "foo-mcp install", "foo-mcp --help", "foo-mcp --version", "code-server mcp",
		"node /srv/foo-mcp/node_modules/chrome-devtools-mcp/build/src/telemetry/watchdog/main.js --parent-pid=7", "reaperd explain foo-mcp",
		"systemctl restart foo-mcp", "journalctl -fu foo-mcp", "xargs mcp-server", "entr mcp-server", "htop", "bash", "-zsh", "node", "python3", "",
		"mcp-inspector-x.json", "docker run -i --rm --unknown x mcp/fetch",
	} {
		p := &inventory.Process{PID: 4121, Argv: words(line), Comm: "mcp-server-x"}
		class := New().Process(p)
		if class.Role == inventory.RoleServer || class.Role == inventory.RoleGateway {
			t.Errorf("%q is taken for a %s: %s", line, roleName(class.Role), class.Why)
		}
	}
	for _, line := range []string{"tail -f mcp.log | grep mcp", "mcp-server-x --help; tail -f log", "git clone x-mcp && cd x-mcp", "pkill -f mcp-server", "npm ci && npm test mcp",
		"source ~/.rc && eval 'npx -y @acme/mcp' < /dev/null && pwd -P >| /tmp/cwd", "echo mcp-server # mcp-server", "cat <<EOF | grep mcp-server"} {
		if class := New().Process(&inventory.Process{PID: 9, Argv: []string{"sh", "-c", line}}); class.Role != inventory.RoleWrapper {
			t.Errorf("sh -c %q is taken for a %s: %s", line, roleName(class.Role), class.Why)
		}
	}
}

func TestWrappers(t *testing.T) {
	check(t, []world{
		{"npm exec of a command line", padded("npm exec"), "/usr/bin/node", inventory.RoleWrapper, ""},
		{"npm start", words("npm start"), "", inventory.RoleWrapper, ""},
		{"npm run", words("npm run mcp"), "", inventory.RoleWrapper, ""},
		{"bun run", words("bun run --cwd /srv/x --shell=bun --silent start"), "", inventory.RoleWrapper, ""},
		{"make", words("make -s crystaldba/postgres-mcp-pro"), "", inventory.RoleWrapper, ""},
		{"a shell", []string{"sh", "-c", "node x.js"}, "", inventory.RoleWrapper, ""},
		{"sudo", words("sudo -u dev node x.js"), "", inventory.RoleWrapper, ""},
		{"su", []string{"su", "-", "dev", "-c", "node x.js"}, "", inventory.RoleWrapper, ""},
		{"uv run", words("uv run x.py"), "", inventory.RoleWrapper, ""},
		{"openclaw's relay", words("/opt/node24/bin/node /x/node_modules/openclaw/dist/process/supervisor/service-child-relay.js"), "/opt/node24/bin/node", inventory.RoleWrapper, ""},
		{"openclaw's anchor", words("/opt/node24/bin/node /x/node_modules/openclaw/dist/process/supervisor/service-child-group-anchor.js"), "", inventory.RoleWrapper, ""},
		{"tini that is no init", words("/usr/bin/tini -s -- python3 x.py"), "", inventory.RoleWrapper, ""},
		{"the disclaimer with the agent", words("/Applications/Claude.app/Contents/Helpers/disclaimer -- /x/claude --resume"), "", inventory.RoleWrapper, "claude-code"},
	})
}

func TestBoundaries(t *testing.T) {
	check(t, []world{
		{"systemd", words("/sbin/init splash"), "/usr/lib/systemd/systemd", inventory.RoleBoundary, ""},
		{"systemd of a user", words("/usr/lib/systemd/systemd --user"), "", inventory.RoleBoundary, "systemd"},
		{"launchd", words("/sbin/launchd"), "", inventory.RoleBoundary, "launchd"},
		{"a shim", words("/usr/bin/containerd-shim-runc-v2 -namespace moby -id 0123 -address /run/x.sock"), "", inventory.RoleBoundary, "containerd-shim-runc-v2"},
		{"docker-init, with a server in it", words("/sbin/docker-init -- /gomcp"), "", inventory.RoleBoundary, "docker-init"},
		{"conmon", words("/usr/bin/conmon --api-version 1"), "", inventory.RoleBoundary, "conmon"},
		{"WSL", words("/init"), "", inventory.RoleBoundary, "init"},
		{"a supervisor owns what it started", words("/usr/bin/python3 /usr/bin/supervisord -n"), "", inventory.RoleNone, ""},
		{"runsv owns what it started", words("runsv foo"), "", inventory.RoleNone, ""},
		{"a program of one's own called init", words("/home/dev/bin/init x"), "", inventory.RoleNone, ""},
	})
	for _, comm := range []string{"Relay(497)", "SessionLeader", "systemd", "init"} {
		if class := New().Process(&inventory.Process{PID: 77, Comm: comm}); class.Role != inventory.RoleBoundary {
			t.Errorf("%s, unreadable but for its short name, is %s", comm, roleName(class.Role))
		}
	}
	if class := New().Process(&inventory.Process{PID: 77, Comm: "init", Argv: words("node /srv/x.js")}); class.Role != inventory.RoleNone {
		t.Errorf("the short name was believed although argv says more: %s", roleName(class.Role))
	}
	for _, first := range []*inventory.Process{
		{PID: 1, Argv: words("/usr/bin/tini -- python3 x.py")},
		{PID: 812, ContainerID: strings.Repeat("ab", 32), Argv: words("/usr/bin/tini -- mcp-server-x")},
		{PID: 1, Argv: words("node /srv/foo-mcp/dist/index.js")},
		{PID: 1},
	} {
		if class := New().Process(first); class.Role != inventory.RoleBoundary {
			t.Errorf("%q, PID %d: %s, want boundary", first.Argv, first.PID, roleName(class.Role))
		}
	}
	session := &inventory.Process{PID: 1, Argv: words("node dist/index.js gateway --bind lan --port 18789")}
	if class := New().Process(session); class.Role != inventory.RoleSession {
		t.Errorf("a gateway that is PID 1 of its container is %s", roleName(class.Role))
	}
}

func TestAddedEntries(t *testing.T) {
	has := func(part string) func(*inventory.Process) bool {
		return func(p *inventory.Process) bool { return strings.Contains(strings.Join(p.Argv, " "), part) }
	}
	catalogue := New(
		Extra{Sessions: []Entry{{Name: "my-agent", Matches: has("my-agent")}}, Servers: []Entry{{Name: "dialpad", Matches: has("dialpad")}, {Name: "broken"}}},
		Extra{Sessions: []Entry{{Name: "their-agent", Matches: has("foo-mcp")}}},
	)
	check := func(line string, role inventory.Role, name string) {
		t.Helper()
		if class := catalogue.Process(&inventory.Process{PID: 9, Argv: words(line)}); class.Role != role || class.Name != name {
			t.Errorf("%q: %s %q, want %s %q", line, roleName(class.Role), class.Name, roleName(role), name)
		}
	}
	check("/opt/my-agent", inventory.RoleSession, "my-agent")
	check("/usr/local/bin/dialpad-messaging", inventory.RoleServer, "dialpad")
	check("foo-mcp", inventory.RoleSession, "their-agent")
	check("claude fix dialpad", inventory.RoleSession, "claude-code") // an added server makes none of a client
	check("vim x", inventory.RoleNone, "")
}

func TestProgram(t *testing.T) {
	rows := []struct {
		argv []string
		cwd  string
		want string
	}{
		{words("node /home/dev/.npm/_npx/15b/node_modules/.bin/mcp-server-memory"), "", "mcp-server-memory"},
		{padded("npm exec @playwright/mcp@latest --headless"), "", "playwright-mcp"},
		{padded("npm exec @upstash/context7-mcp@1.0"), "", "context7-mcp"},
		{padded("npm exec @modelcontextprotocol/server-memory"), "", "server-memory"},
		{padded("npm exec"), "/home/dev/src/dialpad", "dialpad"},
		{[]string{"bash", "-c", "cd /srv/notes; npm start"}, "/srv/notes", "notes"},
		// What a shell does itself never takes the name of its folder.
		{[]string{"/bin/bash", "-c", "-l", "source /home/dev/.claude/shell-snapshots/s.sh && eval 'node server.mjs --http' < /dev/null && pwd -P >| /tmp/claude-1-cwd"}, "/home/dev/B", "bash"},
		{[]string{"/bin/bash", "-c", "source /home/dev/.claude/s.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval 'npx -y @acme/mcp --port 1 &' \\< /dev/null && pwd -P >| /tmp/c"}, "/home/dev/B", "bash"},
		{[]string{"bash", "-lc", "while true; do sleep 1; done"}, "/home/dev/B", "bash"},
		{[]string{"bash", "-lc", "cd /srv/B && . ./env"}, "/home/dev/B", "bash"},
		{[]string{"bash", "-lc", ""}, "/home/dev/B", "bash"},
		{[]string{"bash", "-c"}, "/home/dev/B", "bash"},
		{[]string{"bash", "-c", "$CMD --x"}, "/home/dev/B", "bash"},
		{[]string{"bash", "-c", "\"$1\" --x"}, "/home/dev/B", "bash"},
		{[]string{"sh", "-c", "exec \"$0\" \"$@\"", "node", "/srv/x/tool.js"}, "/home/dev/B", "tool"},
		{[]string{"sh", "-c", "cd /srv && exec \"$@\"", "sh", "node", "/srv/x/tool.js"}, "/home/dev/B", "tool"},
		{[]string{"sh", "-c", "cd X && npx -y @acme/mcp"}, "/home/dev/B", "acme-mcp"},
		{[]string{"sh", "-c", "cd 'My Folder' && exec node dist/index.js"}, "/home/dev/My Folder", "My Folder"},
		{[]string{"sh", "-c", "FOO=1 BAR='a b' nohup node /srv/x/tool.js >/tmp/log 2>&1 &"}, "/home/dev/B", "tool"},
		{[]string{"sh", "-c", "(cd /srv/x; python3 -m http.server 80)"}, "/home/dev/B", "http"},
		{[]string{"sh", "-c", "trap 'kill 0' EXIT; node a.js & node b.js & wait"}, "/home/dev/B", "b"},
		{[]string{"-bash"}, "/home/dev/B", "bash"},
		{[]string{"zsh", "-l", "-i"}, "/home/dev/B", "zsh"},
		{[]string{"su", "-", "dev", "-c", "codex app-server"}, "/", "codex"},
		{words("sudo -u dev -- node /srv/x/tool.js"), "/home/dev/B", "tool"},
		{words("timeout 5 bash"), "/home/dev/B", "bash"},
		{words("env"), "/home/dev/B", "env"},
		{words("node -e process.exit()"), "/home/dev/B", "node"},
		{words("python3 -c pass"), "/home/dev/B", "python3"},
		{words("npm start"), "/srv/notes", "notes"},
		{words("npm start"), "", "npm"},
		{words("node /x/mcp-server/dist/index.js"), "", "mcp-server"},
		{words("node dist/index.js"), "/home/dev/weather", "weather"},
		{words("node dist/index.js"), "", "index.js"},
		{words("bun server.ts"), "/home/dev/.claude/plugins/telegram", "telegram"},
		{words("node /usr/lib/node_modules/@playwright/mcp/cli.js"), "", "playwright-mcp"},
		{words("python -m mcp_server_fetch"), "", "mcp_server_fetch"},
		{words("python3 -m src.main"), "", "src.main"},
		{words("python3 /home/dev/lab/scripts/pyserver.py"), "", "pyserver"},
		{words("uv tool uvx --from a==1 chroma-mcp --client-type persistent"), "", "chroma-mcp"},
		{words("uvx git+https://user:secret@host/acme/foo-mcp.git@main"), "", "foo-mcp"},
		{words("docker run --rm -i -l docker-mcp-name=github-official ghcr.io/github/github-mcp-server@sha256:5049"), "", "github-official"},
		{words("docker run -i --rm ghcr.io/enuno/unifi-mcp-server:latest"), "", "unifi-mcp-server"},
		{words("docker ps"), "", "docker"},
		{[]string{"sh", "-c", "'playwright-mcp' --headless"}, "", "playwright-mcp"},
		{[]string{"bash", "-lc", "cd /x && npx -y @acme/mcp"}, "", "acme-mcp"},
		{words("/usr/local/bin/dialpad-messaging"), "", "dialpad-messaging"},
		{words("/usr/local/bin/mcp-server stdio"), "", "mcp-server"},
		{words("/opt/foo-mcp/bin/server"), "", "foo-mcp"},
		{words("/srv/foo/target/release/server"), "", "server"},
		{words("python3 /home/dev/weather/mcp_server.py"), "", "weather"},
		{words("/venv/bin/python /usr/local/bin/mcp-server"), "", "mcp-server"},
		{words("node /opt/node_modules/corepack/dist/pnpm.js dlx @acme/mcp"), "", "acme-mcp"},
		{padded("openclaw-mcp"), "", "openclaw-mcp"},
		{words("-zsh"), "", "zsh"},
		{words("php artisan boost:mcp"), "", "artisan"},
	}
	for _, row := range rows {
		if got := New().Program(&inventory.Process{PID: 9, Argv: row.argv, Cwd: row.cwd}); got != row.want {
			t.Errorf("%q in %q is called %q, want %q", row.argv, row.cwd, got, row.want)
		}
	}
	if got := New().Program(&inventory.Process{PID: 9, Exe: "/usr/bin/foo (deleted)", Comm: "x"}); got != "foo" {
		t.Errorf("without argv the executable names it, not %q", got)
	}
	if got := New().Program(&inventory.Process{PID: 9, Comm: "npm exec @model"}); got != "npm exec @model" {
		t.Errorf("with nothing else its short name names it, not %q", got)
	}
}

func FuzzProcess(f *testing.F) {
	for _, seed := range []string{"sh\x00-c\x00a | b && (c; d) # e", "npx\x00-p\x00", "env\x00-S\x00x y", "sh\x00-c\x00$((", "uv\x00run\x00-m", "java\x00-jar", "node\x00@", "npm exec @/\x00", "cmd\x00/c", "bun\x00x", "@\x00", "docker\x00run\x00-i\x00sh\x00docker", "node\x00/node_modules/@/"} {
		f.Add(seed)
	}
	catalogue := New()
	f.Fuzz(func(t *testing.T, text string) {
		p := &inventory.Process{PID: 9, Argv: strings.Split(text, "\x00")}
		if class := catalogue.Process(p); class.Role != inventory.RoleNone && class.Why == "" {
			t.Errorf("%q: %+v says nothing of why", p.Argv, class)
		}
		catalogue.Program(p)
	})
}
