package catalogue

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
)

// world is one process and what it should be taken for.
type world struct {
	name string
	argv []string
	exe  string
	want graph.Role
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
			if got.Role != graph.RoleNone && got.Why == "" {
				t.Errorf("%q: no word of why", w.argv)
			}
		})
	}
}

func roleName(role graph.Role) string {
	return [...]string{"nothing", "session", "gateway", "server", "wrapper", "boundary"}[role]
}

func words(line string) []string { return strings.Fields(line) }

// padded is a title as npm leaves it behind: one argument and empty ones.
func padded(title string) []string { return append([]string{title}, make([]string, 24)...) }

func TestSessions(t *testing.T) {
	const codexBin = "/home/dev/npm/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
	check(t, []world{
		{"Claude Code, native, called by its version", words("claude --resume"), "/home/dev/.local/share/claude/versions/2.1.196", graph.RoleSession, "claude-code"},
		{"Claude Code on a Mac, whose title is the version", words("2.1.196"), "/Users/a/.local/share/claude/versions/2.1.196", graph.RoleSession, "claude-code"},
		{"Claude Code replaced while it runs", words("claude"), "/home/dev/.local/share/claude/versions/2.1.110 (deleted)", graph.RoleSession, "claude-code"},
		{"Claude Code from npm", words("node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "/usr/bin/node", graph.RoleSession, "claude-code"},
		{"Claude Code by its bin", words("node /home/dev/.npm-global/bin/claude"), "/usr/bin/node", graph.RoleSession, "claude-code"},
		{"Claude Code as npm's ELF", words("/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe"), "", graph.RoleSession, "claude-code"},
		{"Claude Code inside Claude Desktop", words("claude --output-format stream-json"), "/Users/a/Library/Application Support/Claude/claude-code/2.1.121/claude.app/Contents/MacOS/claude", graph.RoleSession, "claude-code"},
		{"Claude Code's spare", words("claude --bg-spare"), "", graph.RoleSession, "claude-code"},
		{"claude mcp list starts every server to see whether it answers", words("claude mcp list"), "", graph.RoleSession, "claude-code"},
		{"Claude Desktop", []string{"/Applications/Claude.app/Contents/MacOS/Claude"}, "/Applications/Claude.app/Contents/MacOS/Claude", graph.RoleSession, "claude-desktop"},
		{"Claude Desktop's renderer", []string{"/Applications/Claude.app/Contents/Frameworks/Claude Helper (Renderer).app/Contents/MacOS/Claude Helper (Renderer)", "--type=renderer"}, "", graph.RoleNone, ""},
		{"codex, the launcher", words("node /home/dev/npm/node_modules/.bin/codex app-server"), "/usr/bin/node", graph.RoleSession, "codex"},
		{"codex, the agent", words(codexBin + " app-server"), codexBin, graph.RoleSession, "codex"},
		{"codex, the launcher by its file", words(`node /opt/lib/node_modules/@openai/codex/bin/codex.js -c cli_auth_credentials_store="ephemeral" app-server --listen stdio://`), "", graph.RoleSession, "codex"},
		{"codex's daemon", words("/home/dev/.codex/packages/app-server-daemon/releases/0.169.0/bin/codex app-server --listen unix:// --analytics-default-enabled --managed-daemon"), "", graph.RoleSession, "codex"},
		{"codex inside Codex Desktop", words("/Applications/Codex.app/Contents/Resources/codex app-server --analytics-default-enabled"), "", graph.RoleSession, "codex"},
		{"Codex Desktop", words("/Applications/Codex.app/Contents/MacOS/Codex"), "", graph.RoleSession, "codex-desktop"},
		{"codex without asking", words("codex --dangerously-bypass-approvals-and-sandbox"), "", graph.RoleSession, "codex"},
		{"openclaw's gateway under its own title", padded("openclaw-gateway"), "/usr/bin/node", graph.RoleSession, "openclaw"},
		{"openclaw's probe under its own title", padded("openclaw-mcp"), "/usr/bin/node", graph.RoleSession, "openclaw"},
		{"openclaw's terminal", padded("openclaw-tui"), "/usr/bin/node", graph.RoleSession, "openclaw"},
		{"openclaw by its bin", words("node /home/dev/npm/node_modules/.bin/openclaw mcp probe"), "", graph.RoleSession, "openclaw"},
		{"openclaw by its file", words("/usr/bin/node /usr/lib/node_modules/openclaw/dist/index.js gateway --port 18789"), "", graph.RoleSession, "openclaw"},
		{"openclaw.mjs", words("node /srv/openclaw/openclaw.mjs gateway"), "", graph.RoleSession, "openclaw"},
		{"openclaw.mjs from the current folder", words("node openclaw.mjs gateway"), "", graph.RoleSession, "openclaw"},
		{"clawdbot, as it was called", padded("clawdbot-gateway"), "", graph.RoleSession, "openclaw"},
		{"openclaw's gateway in compose", words("node dist/index.js gateway --bind lan --port 18789"), "/usr/local/bin/node", graph.RoleSession, "openclaw"},
		{"another program's dist/index.js", words("node dist/index.js serve --port 1"), "", graph.RoleNone, ""},
		{"gemini, launcher and agent alike", words("/usr/bin/node --max-old-space-size=8192 /home/dev/npm/node_modules/.bin/gemini --acp"), "", graph.RoleSession, "gemini"},
		{"qwen", words("node /usr/lib/node_modules/@qwen-code/qwen-code/dist/cli.js"), "", graph.RoleSession, "qwen-code"},
		{"opencode", words("/home/dev/.opencode/bin/opencode serve"), "", graph.RoleSession, "opencode"},
		{"opencode from npm", words("/home/dev/npm/node_modules/.bin/opencode acp"), "", graph.RoleSession, "opencode"},
		{"goose", words("goose session"), "", graph.RoleSession, "goose"},
		{"goosed", words("/Applications/Goose.app/Contents/Resources/bin/goosed agent"), "", graph.RoleSession, "goose"},
		{"goose, the one that migrates databases", words("goose postgres dsn up"), "", graph.RoleNone, ""},
		{"cursor-agent", words("/home/dev/.local/share/cursor-agent/versions/2026.1/node --use-system-ca /home/dev/.local/share/cursor-agent/versions/2026.1/index.js worker-server"), "", graph.RoleSession, "cursor"},
		{"Cursor on Linux", words("/usr/share/cursor/cursor"), "/usr/share/cursor/cursor", graph.RoleSession, "cursor"},
		{"Cursor's GPU process", words("/usr/share/cursor/cursor --type=gpu-process"), "/usr/share/cursor/cursor", graph.RoleNone, ""},
		{"Cursor's extension host on Linux", words("/proc/self/exe --type=utility --utility-sub-type=node.mojom.NodeService"), "/usr/share/cursor/cursor", graph.RoleSession, "cursor"},
		{"Cursor's MCP process on a Mac", []string{"Cursor Helper: mcp-process"}, "/Applications/Cursor.app/Contents/Frameworks/Cursor Helper.app/Contents/MacOS/Cursor Helper", graph.RoleSession, "cursor"},
		{"Cursor's extension host on a Mac", []string{"Cursor Helper (Plugin): extension-host (user) ws [1-1]"}, "", graph.RoleSession, "cursor"},
		{"Cursor's file watcher", []string{"Cursor Helper: fileWatcher"}, "", graph.RoleNone, ""},
		{"VS Code's extension host on a Mac", []string{"/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)", "--type=utility"}, "", graph.RoleSession, "vscode"},
		{"VS Code on Linux", words("/usr/share/code/code"), "", graph.RoleSession, "vscode"},
		{"VS Code opening a server's folder", words("code mcp-server/"), "", graph.RoleSession, "vscode"},
		{"VS Code's server on a remote host", words("/home/dev/.vscode-server/bin/1/node /home/dev/.vscode-server/bin/1/out/bootstrap-fork --type=extensionHost"), "", graph.RoleSession, "vscode"},
		{"VS Code's terminals on a remote host", words("/home/dev/.vscode-server/bin/1/node /home/dev/.vscode-server/bin/1/out/bootstrap-fork --type=ptyHost"), "", graph.RoleNone, ""},
		{"Windsurf's language server", words("/opt/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64 --api_server_url x"), "", graph.RoleSession, "windsurf"},
		{"Zed", words("/usr/lib/zed-editor"), "", graph.RoleSession, "zed"},
		{"ZFS's event daemon", words("/usr/sbin/zed -F"), "/usr/sbin/zed", graph.RoleNone, ""},
		{"Copilot", words("node /usr/lib/node_modules/@github/copilot/index.js"), "", graph.RoleSession, "copilot"},
		{"Kiro", words("/usr/share/kiro/kiro"), "", graph.RoleSession, "kiro"},
		{"the inspector", words("node /home/dev/.npm/_npx/16ff/node_modules/.bin/mcp-inspector"), "", graph.RoleSession, "mcp-inspector"},
		{"a program in a client's package is not the client", words("/usr/lib/node_modules/@anthropic-ai/claude-code/vendor/ripgrep/rg x"), "", graph.RoleNone, ""},
		{"a server below a client's folder is not the client", words("node /usr/lib/node_modules/openclaw/node_modules/@acme/mcp/dist/index.js"), "", graph.RoleServer, "acme-mcp"},
		{"an argument is not a program", words("vim /usr/bin/claude"), "", graph.RoleNone, ""},
		{"what a client's launcher runs is no session twice", padded("npm exec @google/gemini-cli"), "/usr/bin/node", graph.RoleWrapper, "gemini"},
		{"a shell with a client", []string{"bash", "-lc", "cd /srv && codex exec x"}, "", graph.RoleWrapper, "codex"},
	})
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
	}
	for line, want := range rows {
		class := New().Process(&inventory.Process{PID: 9, Argv: words(line)})
		if class.Role != graph.RoleSession || class.Headless != want {
			t.Errorf("%q: %s, headless %v, want %v", line, roleName(class.Role), class.Headless, want)
		}
	}
}

func TestGateways(t *testing.T) {
	check(t, []world{
		{"Docker's gateway", words("docker mcp gateway run --profile x"), "", graph.RoleGateway, "docker-mcp-gateway"},
		{"its plugin", words("/Users/a/.docker/cli-plugins/docker-mcp mcp gateway run"), "", graph.RoleGateway, "docker-mcp-gateway"},
		{"the plugin on its own", words("/home/dev/lab/bin/docker-mcp gateway run --catalog x.yaml --servers gomcp --transport streaming --port 33676"), "/home/dev/lab/bin/docker-mcp", graph.RoleGateway, "docker-mcp-gateway"},
		{"with global flags", words("docker --context x mcp gateway run"), "", graph.RoleGateway, ""},
		{"below a shell", []string{"sh", "-c", "docker mcp gateway run"}, "", graph.RoleGateway, ""},
		{"another command of the plugin", words("docker mcp catalog ls"), "", graph.RoleNone, ""},
		{"another command of the plugin itself", words("docker-mcp mcp catalog ls"), "", graph.RoleNone, ""},
		{"claude mcp serve", words("/opt/homebrew/bin/claude mcp serve"), "", graph.RoleGateway, "claude-mcp"},
		{"codex mcp-server", words("codex mcp-server"), "", graph.RoleGateway, "codex-mcp"},
		{"codex mcp-server behind flags", words("codex -c features.x=true mcp-server"), "", graph.RoleGateway, ""},
		{"codex mcp serve, as it was", words("codex mcp serve"), "", graph.RoleGateway, ""},
		{"codex mcp list", words("codex mcp list"), "", graph.RoleSession, "codex"},
	})
}

func TestServers(t *testing.T) {
	const npx = "/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/"
	check(t, []world{
		{"npm exec under its title", padded("npm exec @modelcontextprotocol/server-everything"), "/usr/bin/node", graph.RoleServer, "server-everything"},
		{"npm exec with the server's arguments", padded("npm exec @playwright/mcp@latest --headless"), "/usr/bin/node", graph.RoleServer, "playwright-mcp"},
		{"npm exec with arguments of its own behind the title", []string{"npm exec @upstash/context7-mcp", "--api-key", "x"}, "", graph.RoleServer, "context7-mcp"},
		{"npx in full", words("node /usr/lib/node_modules/npm/bin/npx-cli.js -y @upstash/context7-mcp@1.0.14"), "", graph.RoleServer, "context7-mcp"},
		{"npx with a package and its program", words("npx -y -p @acme/tools-mcp acme-tool"), "", graph.RoleServer, "acme-tool"},
		{"npm exec in full", words("npm exec --yes -- @modelcontextprotocol/server-memory"), "", graph.RoleServer, "server-memory"},
		{"the shell below npm exec", []string{"sh", "-c", "'mcp-server-memory'"}, "/usr/bin/dash", graph.RoleServer, "mcp-server-memory"},
		{"the shell below npm exec, with arguments", []string{"sh", "-c", "'playwright-mcp' --headless"}, "/usr/bin/dash", graph.RoleServer, "playwright-mcp"},
		{"the leaf", words("node " + npx + "mcp-server-sequential-thinking"), "/usr/bin/node", graph.RoleServer, "mcp-server-sequential-thinking"},
		{"the leaf on Node 24", words("/opt/node24/bin/node " + npx + "context7-mcp"), "/opt/node24/bin/node", graph.RoleServer, "context7-mcp"},
		{"a login shell that goes somewhere first", []string{"bash", "-lc", "export PATH=/usr/bin:/bin; cd /tmp && npx -y @modelcontextprotocol/server-sequential-thinking"}, "", graph.RoleServer, "server-sequential-thinking"},
		{"a shell with docker run", []string{"sh", "-c", "docker run -i --rm --name demo --label docker-mcp=true --label docker-mcp-name=x demo/eofblind"}, "", graph.RoleServer, "x"},
		{"a shell with a Python module", []string{"sh", "-c", "cd /path && python3 -m mcp_server.server --transport stdio"}, "", graph.RoleServer, "mcp_server"},
		{"a server with its output in a file too", []string{"sh", "-c", "mcp-server-time 2>&1 | tee /tmp/log"}, "", graph.RoleServer, "mcp-server-time"},
		{"a package's file", words("node /home/dev/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js /home/dev"), "", graph.RoleServer, "server-filesystem"},
		{"a server by its folder, as DollhouseMCP's", words("node /Users/a/src/mcp-server/dist/index.js"), "", graph.RoleServer, "mcp-server"},
		{"a server in a folder called so", words("python3 /srv/weather-mcp/server.py"), "", graph.RoleServer, "weather-mcp"},
		{"interpreter flags with values", words("node -r ./env.js --max-old-space-size=4096 --require x /srv/foo-mcp/build/index.js"), "", graph.RoleServer, "foo-mcp"},
		{"a Python module", words("/venv/bin/python -X utf8 -u -m mcp_server_fetch --x"), "", graph.RoleServer, "mcp_server_fetch"},
		{"a Python module that ends in mcp", words("python3.12 -m acme.mcp"), "", graph.RoleServer, ""},
		{"uv's title", words("uv tool uvx --from chroma-mcp==0.2.6 chroma-mcp --client-type persistent"), "", graph.RoleServer, "chroma-mcp"},
		{"uvx", words("uvx mcp-server-fetch"), "", graph.RoleServer, "mcp-server-fetch"},
		{"what uvx starts", words("/home/dev/.cache/uv/archive-v0/h1/bin/python /home/dev/.cache/uv/archive-v0/h1/bin/mcp-yfinance-server"), "", graph.RoleServer, "mcp-yfinance-server"},
		{"uv with a folder", words("uv --directory /srv/weather-mcp run server.py"), "", graph.RoleServer, "weather-mcp"},
		{"uv run with the SDK", []string{"uv", "run", "--with", "mcp[cli]", "mcp", "run", "/srv/server.py"}, "", graph.RoleServer, "mcp"},
		{"serena from its repository", words("uvx --from git+https://github.com/oraios/serena serena start-mcp-server --context ide"), "", graph.RoleServer, "serena"},
		{"bunx on a Mac", words("node /private/tmp/bunx-501-@delorenj/mcp-server-trello@latest/node_modules/.bin/mcp-server-trello"), "", graph.RoleServer, "mcp-server-trello"},
		{"bunx", words("bunx @acme/mcp"), "", graph.RoleServer, "acme-mcp"},
		{"bun x", words("bun x @acme/foo-mcp@1"), "", graph.RoleServer, "foo-mcp"},
		{"contextplus", words("node /var/folders/x/bunx-501-contextplus@latest/node_modules/.bin/contextplus"), "", graph.RoleServer, "contextplus"},
		{"pnpm exec", words("pnpm exec gitnexus mcp"), "", graph.RoleServer, "gitnexus"},
		{"what pnpm exec starts", words("node ./node_modules/.bin/../gitnexus/dist/cli/index.js mcp"), "", graph.RoleServer, "gitnexus"},
		{"pnpm dlx", words("pnpm dlx @acme/mcp-server"), "", graph.RoleServer, "acme-mcp-server"},
		{"a subcommand", words("/usr/local/bin/engram mcp --tools=agent --project=mini-ceo-bg"), "", graph.RoleServer, "engram"},
		{"a subcommand of a script", words("node /usr/lib/node_modules/likec4/bin/likec4 mcp --stdio docs/diagrams"), "", graph.RoleServer, "likec4"},
		{"a subcommand of a package", padded("npm exec xcodebuildmcp@latest mcp"), "", graph.RoleServer, "xcodebuildmcp"},
		{"a flag", words("node /data/.local/bin/link-cli --mcp"), "", graph.RoleServer, "link-cli"},
		{"claude as a bridge to Chrome", words("claude --claude-in-chrome-mcp"), "", graph.RoleServer, "claude-in-chrome"},
		{"one of goose's own", words("goose mcp developer"), "", graph.RoleServer, "goose-developer"},
		{"a native one", words("/home/dev/lab/bin/github-mcp-server stdio"), "/home/dev/lab/bin/github-mcp-server", graph.RoleServer, "github-mcp-server"},
		{"a native one with flags", words("github-mcp-server --toolsets actions,issues,pull_requests,repos stdio"), "", graph.RoleServer, "github-mcp-server"},
		{"another word behind mcp", words("mcp-codebase-index"), "", graph.RoleServer, "mcp-codebase-index"},
		{"mcp as the last word", words("codebase-memory-mcp"), "", graph.RoleServer, "codebase-memory-mcp"},
		{"one whose name does not say so", words("ast-grep-server"), "", graph.RoleServer, "ast-grep-server"},
		{"gbrain", words("gbrain serve"), "", graph.RoleServer, "gbrain"},
		{"conport", words("/home/dev/.venv/bin/python /home/dev/.venv/bin/conport-mcp --mode stdio"), "", graph.RoleServer, "conport-mcp"},
		{"php", words("php /Applications/Herd.app/Contents/Resources/herd-mcp.phar"), "", graph.RoleServer, "herd-mcp"},
		{"java", words("java -Xmx64m -jar /opt/foo-mcp-server.jar"), "", graph.RoleServer, "foo-mcp-server"},
		{"a wrapper that its own editor starts", words("node /ext/a4d-mcp-wrapper.js @salesforce/mcp@latest"), "", graph.RoleServer, "a4d-mcp-wrapper"},
		{"for another architecture", words("/Users/a/.pencil/mcp/cursor/out/mcp-server-darwin-arm64 --agent cursorIDE"), "", graph.RoleServer, ""},
		{"under its own title", padded("chrome-devtools-mcp"), "/usr/bin/node", graph.RoleServer, "chrome-devtools-mcp"},
		{"tsx", words("node /srv/x/node_modules/.bin/tsx watch --env-file .env /srv/notes-mcp/src/index.ts"), "", graph.RoleServer, "notes-mcp"},
		{"npx tsx", words("npx -y tsx /srv/notes-mcp/src/index.ts"), "", graph.RoleServer, "notes-mcp"},
		{"deno", words("deno run -A npm:@acme/mcp"), "", graph.RoleServer, "acme-mcp"},
		{"go run", words("go run github.com/acme/foo-mcp/cmd/foo-mcp@latest"), "", graph.RoleServer, "foo-mcp"},
		{"cargo run", words("cargo run --release --bin foo-mcp -- --stdio"), "", graph.RoleServer, "foo-mcp"},
		{"the disclaimer of Claude Desktop", words("/Applications/Claude.app/Contents/Helpers/disclaimer -- npx -y @acme/mcp"), "", graph.RoleServer, "acme-mcp"},
		{"reaperd exec in front", words("/usr/bin/reaperd exec --grace 5s --name acme -- npx -y @acme/mcp"), "", graph.RoleServer, "acme-mcp"},
		{"a secret manager in front", words("op run --env-file=.env -- npx -y @acme/mcp"), "", graph.RoleServer, "acme-mcp"},
		{"env in front", words("env -i FOO=bar PATH=/bin nohup stdbuf -oL mcp-server-git"), "", graph.RoleServer, "mcp-server-git"},
		{"timeout in front", words("timeout -k 5 3600 mcp-server-git"), "", graph.RoleServer, "mcp-server-git"},
		{"Windows", words("cmd.exe /c npx -y xcodebuildmcp@latest mcp"), "", graph.RoleServer, "xcodebuildmcp"},
		{"Windows, below", []string{`C:\Program Files\nodejs\node.exe`, `C:\Program Files\nodejs\node_modules\npm\bin\npx-cli.js`, "-y", "@acme/mcp"}, "", graph.RoleServer, "acme-mcp"},
		{"known by its executable", words("server --stdio"), "/opt/bin/github-mcp-server", graph.RoleServer, ""},

		{"docker run of the documented image", words("docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server"), "", graph.RoleServer, "github-mcp-server"},
		{"docker run of an image of mcp", words("docker run --rm -i mcp/fetch"), "", graph.RoleServer, "fetch"},
		{"docker run by its labels", words("docker run --rm -i --init -l docker-mcp=true -l docker-mcp-tool-type=mcp -l docker-mcp-name=gomcp demo/x:1"), "", graph.RoleServer, "gomcp"},
		{"docker run of a server in a plain image", words("docker run -i --rm node:22 npx -y @acme/mcp"), "", graph.RoleServer, ""},
		{"docker exec of a server", words("docker exec -i box node /srv/foo-mcp/dist/index.js"), "", graph.RoleServer, ""},
		{"docker start of a server", words("docker start -ai github-mcp"), "", graph.RoleServer, "github-mcp"},
		{"the toolkit's socat", words("docker run -i --rm alpine/socat STDIO TCP:host.docker.internal:8811"), "", graph.RoleServer, "socat"},
		{"podman", words("podman run -i --rm docker.io/mcp/time"), "", graph.RoleServer, "time"},
	})
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
		if class.Role == graph.RoleServer || class.Role == graph.RoleGateway {
			t.Errorf("%q is taken for a %s: %s", line, roleName(class.Role), class.Why)
		}
	}
	for _, line := range []string{"tail -f mcp.log | grep mcp", "mcp-server-x --help; tail -f log", "git clone x-mcp && cd x-mcp", "pkill -f mcp-server", "npm ci && npm test mcp",
		"source ~/.rc && eval 'npx -y @acme/mcp' < /dev/null && pwd -P >| /tmp/cwd", "echo mcp-server # mcp-server", "cat <<EOF | grep mcp-server"} {
		if class := New().Process(&inventory.Process{PID: 9, Argv: []string{"sh", "-c", line}}); class.Role != graph.RoleWrapper {
			t.Errorf("sh -c %q is taken for a %s: %s", line, roleName(class.Role), class.Why)
		}
	}
}

func TestWrappers(t *testing.T) {
	check(t, []world{
		{"npm exec of a command line", padded("npm exec"), "/usr/bin/node", graph.RoleWrapper, ""},
		{"npm start", words("npm start"), "", graph.RoleWrapper, ""},
		{"npm run", words("npm run mcp"), "", graph.RoleWrapper, ""},
		{"bun run", words("bun run --cwd /srv/x --shell=bun --silent start"), "", graph.RoleWrapper, ""},
		{"make", words("make -s crystaldba/postgres-mcp-pro"), "", graph.RoleWrapper, ""},
		{"a shell", []string{"sh", "-c", "node x.js"}, "", graph.RoleWrapper, ""},
		{"sudo", words("sudo -u dev node x.js"), "", graph.RoleWrapper, ""},
		{"su", []string{"su", "-", "dev", "-c", "node x.js"}, "", graph.RoleWrapper, ""},
		{"uv run", words("uv run x.py"), "", graph.RoleWrapper, ""},
		{"openclaw's relay", words("/opt/node24/bin/node /x/node_modules/openclaw/dist/process/supervisor/service-child-relay.js"), "/opt/node24/bin/node", graph.RoleWrapper, ""},
		{"openclaw's anchor", words("/opt/node24/bin/node /x/node_modules/openclaw/dist/process/supervisor/service-child-group-anchor.js"), "", graph.RoleWrapper, ""},
		{"tini that is no init", words("/usr/bin/tini -s -- python3 x.py"), "", graph.RoleWrapper, ""},
		{"the disclaimer with the agent", words("/Applications/Claude.app/Contents/Helpers/disclaimer -- /x/claude --resume"), "", graph.RoleWrapper, "claude-code"},
	})
}

func TestBoundaries(t *testing.T) {
	check(t, []world{
		{"systemd", words("/sbin/init splash"), "/usr/lib/systemd/systemd", graph.RoleBoundary, ""},
		{"systemd of a user", words("/usr/lib/systemd/systemd --user"), "", graph.RoleBoundary, "systemd"},
		{"launchd", words("/sbin/launchd"), "", graph.RoleBoundary, "launchd"},
		{"a shim", words("/usr/bin/containerd-shim-runc-v2 -namespace moby -id 0123 -address /run/x.sock"), "", graph.RoleBoundary, "containerd-shim-runc-v2"},
		{"docker-init, with a server in it", words("/sbin/docker-init -- /gomcp"), "", graph.RoleBoundary, "docker-init"},
		{"conmon", words("/usr/bin/conmon --api-version 1"), "", graph.RoleBoundary, "conmon"},
		{"WSL", words("/init"), "", graph.RoleBoundary, "init"},
		{"a supervisor owns what it started", words("/usr/bin/python3 /usr/bin/supervisord -n"), "", graph.RoleNone, ""},
		{"runsv owns what it started", words("runsv foo"), "", graph.RoleNone, ""},
		{"a program of one's own called init", words("/home/dev/bin/init x"), "", graph.RoleNone, ""},
	})
	for _, comm := range []string{"Relay(497)", "SessionLeader", "systemd", "init"} {
		if class := New().Process(&inventory.Process{PID: 77, Comm: comm}); class.Role != graph.RoleBoundary {
			t.Errorf("%s, unreadable but for its short name, is %s", comm, roleName(class.Role))
		}
	}
	if class := New().Process(&inventory.Process{PID: 77, Comm: "init", Argv: words("node /srv/x.js")}); class.Role != graph.RoleNone {
		t.Errorf("the short name was believed although argv says more: %s", roleName(class.Role))
	}
	for _, first := range []*inventory.Process{
		{PID: 1, Argv: words("/usr/bin/tini -- python3 x.py")},
		{PID: 812, ContainerID: strings.Repeat("ab", 32), Argv: words("/usr/bin/tini -- mcp-server-x")},
		{PID: 1, Argv: words("node /srv/foo-mcp/dist/index.js")},
		{PID: 1},
	} {
		if class := New().Process(first); class.Role != graph.RoleBoundary {
			t.Errorf("%q, PID %d: %s, want boundary", first.Argv, first.PID, roleName(class.Role))
		}
	}
	session := &inventory.Process{PID: 1, Argv: words("node dist/index.js gateway --bind lan --port 18789")}
	if class := New().Process(session); class.Role != graph.RoleSession {
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
	check := func(line string, role graph.Role, name string) {
		t.Helper()
		if class := catalogue.Process(&inventory.Process{PID: 9, Argv: words(line)}); class.Role != role || class.Name != name {
			t.Errorf("%q: %s %q, want %s %q", line, roleName(class.Role), class.Name, roleName(role), name)
		}
	}
	check("/opt/my-agent", graph.RoleSession, "my-agent")
	check("/usr/local/bin/dialpad-messaging", graph.RoleServer, "dialpad")
	check("foo-mcp", graph.RoleSession, "their-agent")
	check("claude fix dialpad", graph.RoleSession, "claude-code") // an added server makes none of a client
	check("vim x", graph.RoleNone, "")
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

func TestFingerprint(t *testing.T) {
	same := [][2][]string{
		{padded("npm exec @acme/mcp"), {"npm exec @acme/mcp"}},
		{words("/usr/bin/node /srv/x.js"), words("/opt/node24/bin/node /srv/x.js")},
		{words("node /h/.npm/_npx/15b07286cbcc3329/node_modules/.bin/x"), words("node /h/.npm/_npx/eea2bd7412d4593b/node_modules/.bin/x")},
		{words("/usr/bin/docker run -i mcp/fetch"), words("docker run -i mcp/fetch")},
		{words("/h/.cache/uv/archive-v0/a/bin/python /h/.cache/uv/archive-v0/a/bin/x"), words("/h/.cache/uv/archive-v0/b/bin/python /h/.cache/uv/archive-v0/b/bin/x")},
	}
	for _, pair := range same {
		if Fingerprint(pair[0]) != Fingerprint(pair[1]) {
			t.Errorf("%q and %q are the same server", pair[0], pair[1])
		}
	}
	different := [][2][]string{
		{words("engram mcp --project=a"), words("engram mcp --project=b")}, // openclaw/openclaw#75621
		{words("node /srv/a.js"), words("node /srv/b.js")},
		{words("/opt/a/server"), words("/opt/b/server")},
		{words("node x y"), {"node", "x y"}},
		{nil, words("node")},
	}
	for _, pair := range different {
		if Fingerprint(pair[0]) == Fingerprint(pair[1]) {
			t.Errorf("%q and %q are different servers", pair[0], pair[1])
		}
	}
}

func FuzzProcess(f *testing.F) {
	for _, seed := range []string{"sh\x00-c\x00a | b && (c; d) # e", "npx\x00-p\x00", "env\x00-S\x00x y", "sh\x00-c\x00$((", "uv\x00run\x00-m", "java\x00-jar", "node\x00@", "npm exec @/\x00", "cmd\x00/c", "bun\x00x", "@\x00", "docker\x00run\x00-i\x00sh\x00docker", "node\x00/node_modules/@/"} {
		f.Add(seed)
	}
	catalogue := New()
	f.Fuzz(func(t *testing.T, text string) {
		p := &inventory.Process{PID: 9, Argv: strings.Split(text, "\x00")}
		if class := catalogue.Process(p); class.Role != graph.RoleNone && class.Why == "" {
			t.Errorf("%q: %+v says nothing of why", p.Argv, class)
		}
		catalogue.Program(p)
		Fingerprint(p.Args())
	})
}
