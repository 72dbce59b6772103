package catalogue

import (
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
)

// This file is data: who is known, and from where.

// clients are the agent clients that run in a terminal or below another program.
func clients() []client {
	return []client{
		{
			name:     "claude-code",
			source:   "anthropics/claude-code#12433, #58004, #72445; thedotmack/claude-mem#603; openai/codex#18881",
			programs: []string{"claude", "claude-code"},
			scripts:  []string{"/@anthropic-ai/claude-code/"},
			homes:    []string{"/claude/versions/"},
			except:   []string{"/Claude.app/Contents/MacOS/", "/AnthropicClaude/"},
			serves:   claudeServes,
			headless: claudeHeadless,
		},
		{
			name:     "codex",
			source:   "openai/codex#18881, #30408; openclaw/openclaw#154865",
			programs: []string{"codex", "codex-x86_64-*", "codex-aarch64-*", "codex-app-server", "codex-exec"},
			scripts:  []string{"/@openai/codex/bin/"},
			except:   []string{"/Codex.app/Contents/MacOS/"},
			serves:   codexServes,
			headless: codexHeadless,
		},
		{
			name:     "openclaw",
			source:   "openclaw/openclaw#8069, #11309, #70664; openclaw package: dist/index.js gateway",
			programs: []string{"openclaw", "clawdbot", "moltbot"},
			titles:   []string{"openclaw", "openclaw-*", "clawdbot", "clawdbot-*", "moltbot", "moltbot-*"},
			scripts: []string{"/node_modules/openclaw/dist/", "/openclaw/dist/index.js", "/openclaw/dist/entry.js", "/openclaw.mjs",
				"/node_modules/clawdbot/dist/", "/clawdbot/dist/index.js", "/clawdbot/dist/entry.js", "/clawdbot.mjs", "/moltbot.mjs"},
			except: []string{"/spawn-broker/"},
			serves: openclawServes,
		},
		{
			name:     "gemini",
			source:   "google-gemini/gemini-cli packages/cli/src/utils/relaunch.ts, #15873",
			programs: []string{"gemini", "gemini-cli"},
			scripts:  []string{"/@google/gemini-cli/"},
			headless: func(args []string) bool { return hasFlag(args, "--acp --experimental-acp") },
		},
		{
			name:     "qwen-code",
			source:   "QwenLM/qwen-code README: @qwen-code/qwen-code, --acp",
			programs: []string{"qwen", "qwen-code"},
			scripts:  []string{"/@qwen-code/qwen-code/"},
			headless: func(args []string) bool { return hasFlag(args, "--acp --experimental-acp") },
		},
		{
			name:     "opencode",
			source:   "anomalyco/opencode#15808, #46035",
			programs: []string{"opencode"},
			scripts:  []string{"/opencode-ai/bin/"},
			headless: firstIs("acp"),
		},
		{
			name:     "goose",
			source:   "aaif-goose/goose#8229; goose documentation: session, run, acp, mcp",
			programs: []string{"goose", "goosed"},
			when:     bareOr("session s run acp web agent serve mcp configure project projects p ps schedule sched recipe term info doctor"),
			serves:   gooseServes,
			headless: firstIs("acp"),
		},
		{
			name:     "cursor",
			source:   "cursor/cursor#3588: cursor-agent/versions/<v>/index.js worker-server",
			programs: []string{"cursor-agent"},
			scripts:  []string{"/cursor-agent/versions/"},
			headless: firstIs("acp"),
		},
		{
			name:     "copilot",
			source:   "github/copilot-cli#4392, #4461: @github/copilot",
			programs: []string{"copilot", "copilot-language-server"},
			scripts:  []string{"/@github/copilot/", "/@github/copilot-language-server/"},
			headless: func(args []string) bool { return hasFlag(args, "--acp --stdio") },
		},
		{
			name:     "zed",
			source:   "zed-industries/zed#54793",
			programs: []string{"zed", "zed-editor", "zeditor", "zed-remote-server*"},
			except:   []string{"/sbin/zed"}, // the event daemon of ZFS
		},
		{
			name:     "amp",
			source:   "ampcode.com/manual: @sourcegraph/amp",
			scripts:  []string{"/@sourcegraph/amp/", "/.amp/bin/amp"},
			programs: []string{"amp"},
		},
		{
			name:     "crush",
			source:   "charmbracelet/crush README: MCPs",
			programs: []string{"crush"},
			scripts:  []string{"/@charmland/crush/"},
		},
		{
			name:     "kiro",
			source:   "kirodotdev/Kiro: kiro-cli chat; KiroCrew#10601",
			programs: []string{"kiro-cli", "kiro-cli-chat"},
			headless: firstIs("acp"),
		},
		{
			name:     "amazon-q",
			source:   "aws/amazon-q-developer-cli README: q chat",
			programs: []string{"q", "qchat"},
			when:     firstIs("chat"),
		},
		{
			name:     "droid",
			source:   "docs.factory.ai/cli: droid mcp",
			programs: []string{"droid"},
		},
		{
			name:     "auggie",
			source:   "augmentcode/auggie README: @augmentcode/auggie",
			programs: []string{"auggie"},
			scripts:  []string{"/@augmentcode/auggie/"},
			headless: func(args []string) bool { return hasFlag(args, "--acp") },
		},
		{
			name:     "hermes",
			source:   "NousResearch/hermes-agent#15012, #75483",
			programs: []string{"hermes", "hermes-agent"},
			when:     bareOr("chat gateway acp run"),
			headless: firstIs("acp"),
		},
		{
			name:     "pi",
			source:   "mksglu/context-mode#854: @mariozechner/pi-coding-agent",
			scripts:  []string{"/pi-coding-agent/dist/"},
			headless: func(args []string) bool { return flagValue(args, "--mode") == "rpc" },
		},
		{
			name:     "mcphost",
			source:   "mark3labs/mcphost README",
			programs: []string{"mcphost"},
		},
		{
			name:     "mcp-inspector",
			source:   "modelcontextprotocol/inspector README",
			programs: []string{"mcp-inspector", "mcp-inspector-*"},
			scripts:  []string{"/@modelcontextprotocol/inspector"},
		},
		{
			// The gateway from a checkout or inside its image says nothing of
			// openclaw but how it is called.
			name:   "openclaw",
			source: "openclaw/openclaw docker-compose.yml: node dist/index.js gateway --bind lan --port 18789",
			files:  []string{"dist/index.js", "./dist/index.js", "/app/dist/index.js", "dist/entry.js", "/app/dist/entry.js"},
			when: func(args []string) bool {
				return len(args) > 0 && args[0] == "gateway" && hasFlag(args, "--port --bind")
			},
		},
	}
}

// bareOr tells a client from another program of its name by its subcommands; a
// bare command is the client's.
func bareOr(words string) func(args []string) bool {
	return func(args []string) bool {
		rest := scan(args, "", nil)
		return len(rest) == 0 || contains(words, rest[0])
	}
}

func firstIs(word string) func(args []string) bool {
	return func(args []string) bool { return len(args) > 0 && args[0] == word }
}

// claudeServes: `claude mcp serve` serves, and the bridge to Chrome is a server
// (anthropics/claude-code#15861).
func claudeServes(args []string) (graph.Role, string) {
	switch {
	case hasFlag(args, "--claude-in-chrome-mcp"):
		return graph.RoleServer, "claude-in-chrome"
	case len(args) > 1 && args[0] == "mcp" && args[1] == "serve":
		return graph.RoleGateway, "claude-mcp"
	}
	return graph.RoleNone, ""
}

func claudeHeadless(args []string) bool {
	return flagValue(args, "--input-format") == "stream-json" || flagValue(args, "--output-format") == "stream-json"
}

const codexValues = "-c --config -m --model -p --profile -s --sandbox -a --ask-for-approval -C --cd --add-dir -i --image --enable --disable " +
	"--local-provider --remote --color -o --output-last-message --output-schema"

// codexServes: `codex mcp-server`, formerly `codex mcp serve`, serves.
func codexServes(args []string) (graph.Role, string) {
	words := scan(args, codexValues, nil)
	switch {
	case len(words) > 0 && words[0] == "mcp-server",
		len(words) > 1 && words[0] == "mcp" && words[1] == "serve":
		return graph.RoleGateway, "codex-mcp"
	}
	return graph.RoleNone, ""
}

// codexHeadless: the app server speaks over stdio unless it is told to listen
// elsewhere.
func codexHeadless(args []string) bool {
	words := scan(args, codexValues, nil)
	if len(words) == 0 || words[0] != "app-server" && words[0] != "proto" {
		return false
	}
	listen := flagValue(words, "--listen")
	commands := scan(words[1:], codexValues+" --listen", nil)
	return len(commands) == 0 && (listen == "" || strings.HasPrefix(listen, "stdio:"))
}

// openclawServes: `openclaw mcp serve` serves.
func openclawServes(args []string) (graph.Role, string) {
	if len(args) > 1 && args[0] == "mcp" && args[1] == "serve" {
		return graph.RoleGateway, "openclaw-mcp"
	}
	return graph.RoleNone, ""
}

// gooseServes: `goose mcp developer` is one of goose's own servers.
func gooseServes(args []string) (graph.Role, string) {
	if len(args) > 1 && args[0] == "mcp" {
		return graph.RoleServer, "goose-" + args[1]
	}
	return graph.RoleNone, ""
}

// apps are the clients on the desktop.
func apps() []app {
	return []app{
		{
			name:     "claude-desktop",
			source:   "anthropics/claude-code#55169, #68626; DollhouseMCP/mcp-server StaleProcessRecovery.ts",
			bundle:   "Claude",
			programs: []string{"claude-desktop"},
		},
		{
			name:   "codex-desktop",
			source: "openai/codex#18881: Codex.app",
			bundle: "Codex",
		},
		{
			name:     "cursor",
			source:   "forum.cursor.com 160598: Cursor Helper: mcp-process",
			bundle:   "Cursor",
			programs: []string{"cursor"},
			folders:  []string{"/.cursor-server/"},
		},
		{
			name:     "vscode",
			source:   "microsoft/vscode#316266; code.visualstudio.com/docs: MCP servers",
			bundle:   "Visual Studio Code",
			programs: []string{"code", "code-insiders", "code-oss", "codium", "vscodium"},
			folders:  []string{"/.vscode-server", "/.vscode-remote/", "/code-server/", "/openvscode-server/", "/vscode-server/"},
		},
		{
			name:   "vscode",
			source: "microsoft/vscode, the Insiders build",
			bundle: "Visual Studio Code - Insiders",
		},
		{
			name:   "vscode",
			source: "VSCodium/vscodium",
			bundle: "VSCodium",
		},
		{
			name:     "windsurf",
			source:   "DollhouseMCP/mcp-server StaleProcessRecovery.ts: Windsurf.app; its language server starts the servers",
			bundle:   "Windsurf",
			programs: []string{"windsurf"},
			folders:  []string{"/.windsurf-server/"},
			helpers:  []string{"language_server_*"},
		},
		{
			name:     "kiro",
			source:   "kirodotdev/Kiro: an editor on the base of VS Code",
			bundle:   "Kiro",
			programs: []string{"kiro"},
			folders:  []string{"/.kiro-server/"},
		},
		{
			name:   "goose",
			source: "goose documentation: Goose.app",
			bundle: "Goose",
		},
		{
			name:   "zed",
			source: "zed-industries/zed#54793: Zed.app",
			bundle: "Zed",
		},
		{
			name:   "lm-studio",
			source: "lmstudio.ai/docs: MCP host",
			bundle: "LM Studio",
		},
	}
}

// isRelayScript recognises openclaw's helpers, which pass a server's stdio on
// (openclaw/openclaw#142965, #146620).
func isRelayScript(file string) bool {
	return file == "service-child-relay.js" || file == "service-child-group-anchor.js"
}

// isBoundary recognises, by program, what adopts the orphans of a whole host,
// container or user session. Service supervisors that are only ever the parent
// of what they started themselves (supervisord, runsv, s6-supervise, pm2) are
// none: their children have a live owner.
func isBoundary(program string) bool {
	switch program {
	case "init", "/init", "/sbin/init", "/usr/sbin/init", "/bin/init":
		return true
	}
	switch name := programName(program); name {
	case "systemd", "launchd", "docker-init", "podman-init", "catatonit", "conmon", "s6-svscan", "runsvdir", "sessionleader":
		return true
	default:
		return strings.HasPrefix(name, "containerd-shim") || strings.HasPrefix(name, "relay(") && strings.HasSuffix(name, ")")
	}
}

// adopts recognises the small inits, which are boundaries where they are the
// first process and wrappers anywhere else.
func adopts(name string) bool { return name == "tini" || name == "tini-static" || name == "dumb-init" }

// knownServer recognises servers whose names do not say that they are, with the
// public report or page that shows them.
func knownServer(name string, args []string) (source string, ok bool) {
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	switch name {
	case "ast-grep-server":
		return "openai/codex#18881", true
	case "gbrain":
		return "openclaw/openclaw#72112", first == "serve"
	case "serena":
		return "oraios/serena README", first == "start-mcp-server"
	case "mcp", "fastmcp":
		return "modelcontextprotocol/python-sdk README", first == "run"
	case "contextplus":
		return "forloopcodes/contextplus#10", first == ""
	case "desktop-commander":
		return "wonderwhy-er/DesktopCommanderMCP README", first == ""
	case "supergateway":
		return "supercorp-ai/supergateway README", true
	}
	return "", false
}

// isNoServer are names with mcp in them that are no servers: clients, managers,
// tools.
func isNoServer(name string) bool {
	switch name {
	case "mcp-cli", "mcp-client", "mcphost", "mcp-inspector", "mcp-get", "mcp-install", "mcp-scan", "mcp-publisher", "mcpmon",
		"mcp-cleanup", "mcp-reaper", "mcptools", "mcp-agent", "fastmcp", "docker-mcp", "dhcp", "icmp":
		return true
	}
	return false
}

// isNoServerImage are the images of docker/mcp-gateway that are no servers: the
// gateway itself and its proxies.
func isNoServerImage(names string) bool {
	switch names {
	case "docker/mcp-gateway", "docker/mcp-l4proxy", "docker/mcp-l7proxy", "docker/mcp-dns-forwarder":
		return true
	}
	return false
}

// manager is what looks after containers that carry a label of its own.
type manager struct{ label, name string }

// managers are labels, and beginnings of labels up to a dot.
func managers() []manager {
	return []manager{
		{"com.docker.compose", "Docker Compose"},
		{"com.docker.swarm", "Docker Swarm"},
		{"com.docker.stack", "Docker Swarm"},
		{"org.testcontainers", "Testcontainers"},
		{"devcontainer", "a dev container"},
		{"com.gitlab.gitlab-runner", "GitLab Runner"},
		{"io.kubernetes", "Kubernetes"},
		{"com.hashicorp.nomad", "Nomad"},
		{"com.amazonaws.ecs", "Amazon ECS"},
		{"io.hass", "Home Assistant"},
		{"io.balena", "balena"},
	}
}

// isBystander recognises programs that are handed the names of servers and are
// none: editors, pagers, search and build tools, test runners, downloaders. It
// is asked before a subcommand or a flag is believed.
func isBystander(name string) bool { return contains(bystanders, name) }

const bystanders = "" +
	// editors and viewers
	"vi vim nvim gvim vimdiff view nano pico micro helix hx kak emacs emacsclient ed ex joe ne mg code-server subl sublime_text atom gedit kate " +
	"kwrite mousepad xed notepad idea pycharm webstorm goland clion rider open xdg-open start less more most bat batcat man info tldr glow " +
	// files and text
	"cat tac head tail tee cp mv rm ln ls ll eza exa dir tree mkdir rmdir touch chmod chown chgrp stat file du df find fd fdfind locate grep egrep " +
	"fgrep zgrep rg ag ack sed awk gawk mawk cut sort uniq wc tr diff cmp patch xargs parallel jq yq xmllint column paste join split od xxd " +
	"hexdump strings md5sum sha256sum base64 tar gzip gunzip zip unzip xz zstd cpio rsync dd sync inotifywait entr watchexec watchman fswatch " +
	// processes and the shell's own
	"ps pgrep pkill kill killall top htop btop pstree lsof fuser watch strace ltrace gdb lldb perf time which whereis type command test [ echo " +
	"printf sleep yes seq date env printenv id whoami su sudo login ssh scp sftp mosh telnet nc ncat netcat socat curl wget http https xh aria2c " +
	"ping dig host nslookup ip ss netstat tcpdump journalctl systemctl launchctl service crontab at screen tmux zellij script asciinema tput clear " +
	// version control and releases
	"git hg svn jj gh glab tig lazygit gitk pre-commit lefthook husky lint-staged commitlint semantic-release changeset release-please goreleaser " +
	// builds and packages
	"make gmake cmake ninja meson bazel bazelisk buck2 gradle gradlew mvn mvnw ant sbt go gofmt gopls golangci-lint staticcheck dlv cargo rustc " +
	"rustfmt rust-analyzer gcc g++ clang cc c++ ld ar tsc tsserver tsup esbuild rollup vite webpack parcel swc babel turbo nx lerna rush " +
	"changesets nodemon pm2 forever concurrently npm-run-all run-p run-s rimraf npm npx pnpm yarn bun deno node pip pip3 uv pipx poetry conda brew " +
	"apt apt-get dpkg dnf yum apk pacman snap flatpak nix nix-build nix-shell gem bundle composer dotnet java javac kotlinc swift swiftc xcodebuild " +
	"docker-compose docker-buildx buildctl buildx buildah skopeo kaniko helm kubectl k9s terraform tofu ansible ansible-playbook vagrant packer act " +
	"smithery " +
	// tests and checks
	"pytest py.test tox nox unittest vitest jest mocha ava tap tape karma cypress playwright eslint prettier biome oxlint stylelint ruff black isort " +
	"flake8 pylint mypy pyright basedpyright shellcheck shfmt yamllint hadolint codespell typos knip depcheck c8 nyc coverage hyperfine k6 wrk " +
	// daemons that keep servers on purpose, and reaperd itself
	"thv toolhive claude-mem reaperd"
