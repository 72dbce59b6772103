package catalogue

import "github.com/reaperd/reaperd/internal/inventory"

// support is where programs keep their files on macOS.
const support = "Library/Application Support/"

var mcpServers = []string{"mcpServers"}

// everywhere is a file of the home that may lie in a project too.
func everywhere(c Config) []Config {
	project := c
	project.Project = true
	return []Config{c, project}
}

// inStorage are files with the one that an extension keeps in the storage of VS Code, on Linux, on
// macOS and on a remote host.
func inStorage(file string, others ...Config) []Config {
	for _, editor := range []string{".config/Code", support + "Code", ".vscode-server/data"} {
		others = append(others, Config{File: editor + "/User/globalStorage/" + file, Tables: mcpServers})
	}
	return others
}

// clients are the agent clients, one entry each, with where its processes and files are documented or
// shown. The first that fits counts.
var clients = []Client{
	{
		Name:     "claude-code",     // anthropics/claude-code#12433, #58004, #72445, #15861; thedotmack/claude-mem#603; openai/codex#18881; code.claude.com/docs: MCP
		Resume:   "claude --resume", // code.claude.com/docs: CLI reference; claude --help, 2.1.197
		Programs: []string{"claude", "claude-code"},
		Scripts:  []string{"/@anthropic-ai/claude-code/", "/@anthropic-ai/claude-agent-sdk/cli.js"},
		Homes:    []string{"/claude/versions/"},
		Except:   []string{"/Claude.app/Contents/MacOS/", "/AnthropicClaude/"},
		Serves: []Serve{
			{Form{Flag: "--claude-in-chrome-mcp"}, inventory.RoleServer, "claude-in-chrome"},
			{Form{Command: "mcp serve"}, inventory.RoleGateway, "claude-mcp"},
		},
		Headless: []Form{{Flag: "--input-format=stream-json"}, {Flag: "--output-format=stream-json"}},
		Helpers:  []Form{{Flag: "--bg-pty-host"}, {Flag: "--bg-spare"}},
		Daemons:  []Form{{Command: "daemon run"}},
		Configs: []Config{
			{File: ".claude.json", Tables: []string{"mcpServers", "projects/*/mcpServers"}},
			{File: ".mcp.json", Project: true, Tables: mcpServers},
		},
	},
	{
		Name:     "claude-code-acp", // zed-industries/claude-code-acp; agentclientprotocol/claude-agent-acp: an adapter that starts claude
		Programs: []string{"claude-code-acp", "claude-agent-acp"},
		Scripts:  []string{"/@zed-industries/claude-code-acp/dist/", "/@agentclientprotocol/claude-agent-acp/dist/"},
		Adapts:   "claude-code",
		Headless: []Form{{}},
	},
	{
		Name:     "codex",        // openai/codex#18881, #30408; openclaw/openclaw#154865; openai/codex docs/config.md
		Resume:   "codex resume", // openai/codex: codex resume --help, since 0.39
		Programs: []string{"codex", "codex-x86_64-*", "codex-aarch64-*", "codex-app-server", "codex-exec"},
		Scripts:  []string{"/@openai/codex/bin/"},
		Except:   []string{"/Codex.app/Contents/MacOS/"},
		Values: "-c --config -m --model -p --profile -s --sandbox -a --ask-for-approval -C --cd --add-dir -i --image --enable --disable " +
			"--local-provider --remote --color -o --output-last-message --output-schema --listen",
		Serves:    []Serve{{Form{Command: "mcp-server"}, inventory.RoleGateway, "codex-mcp"}, {Form{Command: "mcp serve"}, inventory.RoleGateway, "codex-mcp"}},
		Daemons:   []Form{{Command: "app-server daemon"}, {Command: "app-server", Flag: "--managed-daemon"}},
		NoRestart: true, // a call of a server that has ended fails with "Transport closed", 0.171
		// The app server speaks over stdio unless it is told to listen elsewhere.
		Headless: []Form{
			{Command: "app-server|proto", Alone: true, Without: "--listen"},
			{Command: "app-server|proto", Alone: true, Flag: "--listen=stdio:*"},
		},
		Configs: everywhere(Config{File: ".codex/config.toml", Format: TOML, Tables: []string{"mcp_servers"}}),
	},
	{
		Name:     "codex-acp", // zed-industries/codex-acp 0.16: starts the servers of ~/.codex/config.toml itself
		Programs: []string{"codex-acp"},
		Scripts:  []string{"/@zed-industries/codex-acp/bin/", "/@agentclientprotocol/codex-acp/"},
		Adapts:   "codex", NoRestart: true,
		Headless: []Form{{}},
	},
	{
		Name:     "openclaw", // openclaw/openclaw#8069, #11309, #70664; openclaw package: dist/index.js gateway
		Programs: []string{"openclaw", "clawdbot", "moltbot"},
		Titles:   []string{"openclaw", "openclaw-*", "clawdbot", "clawdbot-*", "moltbot", "moltbot-*"},
		Scripts: []string{"/node_modules/openclaw/dist/", "/openclaw/dist/index.js", "/openclaw/dist/entry.js", "/openclaw.mjs",
			"/node_modules/clawdbot/dist/", "/clawdbot/dist/index.js", "/clawdbot/dist/entry.js", "/clawdbot.mjs", "/moltbot.mjs"},
		Except:        []string{"/spawn-broker/"},
		HelperScripts: []string{".worker.js"},
		Serves:        []Serve{{Form{Command: "mcp serve"}, inventory.RoleGateway, "openclaw-mcp"}},
		Configs: []Config{
			// Installers write mcpServers; a gateway may work in its own state folder.
			{File: ".openclaw/openclaw.json", Format: JSON5, Tables: []string{"mcp/servers", "mcpServers"}},
			{File: "openclaw.json", Project: true, Format: JSON5, Tables: []string{"mcp/servers", "mcpServers"}},
		},
	},
	{
		Name:     "gemini",          // google-gemini/gemini-cli packages/cli/src/utils/relaunch.ts, #15873
		Resume:   "gemini --resume", // google-gemini/gemini-cli: gemini --help, 0.61
		Programs: []string{"gemini", "gemini-cli"},
		Scripts:  []string{"/@google/gemini-cli/"},
		Headless: []Form{{Flag: "--acp"}, {Flag: "--experimental-acp"}},
		Configs:  everywhere(Config{File: ".gemini/settings.json", Tables: mcpServers}),
	},
	{
		Name:     "qwen-code", // QwenLM/qwen-code README, docs: MCP; @qwen-code/qwen-code 0.24: --acp, ~/.qwen/settings.json
		Programs: []string{"qwen", "qwen-code"},
		Scripts:  []string{"/@qwen-code/qwen-code/"},
		Headless: []Form{{Flag: "--acp"}, {Flag: "--experimental-acp"}},
		Configs:  everywhere(Config{File: ".qwen/settings.json", Tables: mcpServers}),
	},
	{
		Name:     "opencode",            // anomalyco/opencode#15808, #46035; opencode.ai/docs: MCP servers
		Resume:   "opencode --continue", // opencode.ai/docs: CLI
		Programs: []string{"opencode"},
		Scripts:  []string{"/opencode-ai/bin/"},
		Headless: []Form{{Command: "acp"}},
		Configs: []Config{
			{File: ".config/opencode/opencode.json", Tables: []string{"mcp"}},
			{File: ".config/opencode/opencode.jsonc", Tables: []string{"mcp"}},
			{File: "opencode.json", Project: true, Tables: []string{"mcp"}},
			{File: "opencode.jsonc", Project: true, Tables: []string{"mcp"}},
		},
	},
	{
		Name:     "continue", // @continuedev/cli 1.5: bin cn, dist/cn.js; docs.continue.dev: config.yaml, mcpServers blocks
		Bins:     []string{"cn"},
		Scripts:  []string{"/@continuedev/cli/"},
		Headless: []Form{{Command: "acp"}},
		Configs: []Config{
			{File: ".continue/config.yaml", Format: YAML, Tables: mcpServers},
			{File: ".continue/mcpServers/*.yaml", Format: YAML, Tables: mcpServers},
			{File: ".continue/mcpServers/*.yml", Format: YAML, Tables: mcpServers},
			{File: ".continue/mcpServers/*.json", Tables: []string{"mcpServers", "."}},
			{File: ".continue/mcpServers/*.yaml", Project: true, Format: YAML, Tables: mcpServers},
			{File: ".continue/mcpServers/*.yml", Project: true, Format: YAML, Tables: mcpServers},
			{File: ".continue/mcpServers/*.json", Project: true, Tables: []string{"mcpServers", "."}},
		},
	},
	{
		Name:     "cline", // cline 3.0 from npm: @cline/cli-*/bin/cline, --acp, --cline-hub-daemon; docs.cline.bot: MCP
		Programs: []string{"cline", ".cline"},
		Titles:   []string{"cline-hub-daemon"},
		Daemons:  []Form{{Flag: "--cline-hub-daemon"}},
		Scripts:  []string{"/node_modules/cline/bin/"},
		Headless: []Form{{Flag: "--acp"}},
		Configs: inStorage("saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			Config{File: ".cline/data/settings/cline_mcp_settings.json", Tables: mcpServers}),
	},
	{
		// An extension of VS Code: its servers hang below the extension host.
		Name: "roo-code", // docs.roocode.com: using MCP in Roo
		Configs: inStorage("rooveterinaryinc.roo-cline/settings/mcp_settings.json",
			Config{File: ".roo/mcp.json", Project: true, Tables: mcpServers}),
	},
	{
		Name:     "kilo-code", // @kilocode/cli 7.8 from npm: bin kilo, kilocode; kilo.ai/docs: using MCP in Kilo Code, in the CLI
		Programs: []string{"kilo", "kilocode", ".kilo"},
		Scripts:  []string{"/@kilocode/cli/bin/"},
		Headless: []Form{{Command: "acp"}},
		Configs: inStorage("kilocode.kilo-code/settings/mcp_settings.json",
			Config{File: ".config/kilo/kilo.json", Tables: []string{"mcp"}},
			Config{File: ".config/kilo/kilo.jsonc", Tables: []string{"mcp"}},
			Config{File: ".kilocode/cli/global/settings/mcp_settings.json", Tables: mcpServers},
			Config{File: "kilo.json", Project: true, Tables: []string{"mcp"}},
			Config{File: "kilo.jsonc", Project: true, Tables: []string{"mcp"}},
			Config{File: ".kilo/kilo.json", Project: true, Tables: []string{"mcp"}},
			Config{File: ".kilo/kilo.jsonc", Project: true, Tables: []string{"mcp"}},
			Config{File: ".kilocode/mcp.json", Project: true, Tables: mcpServers}),
	},
	{
		Name:     "mcporter", // mcporter 0.12 from npm: dist/cli.js daemon start --foreground, serve; dist/paths.js
		Programs: []string{"mcporter"},
		Scripts:  []string{"/mcporter/dist/"},
		Values:   "--config --root --log-level --oauth-timeout",
		Serves:   []Serve{{Form{Command: "serve"}, inventory.RoleGateway, "mcporter-serve"}},
		Configs: []Config{
			{File: ".mcporter/mcporter.json", Tables: mcpServers},
			{File: ".mcporter/mcporter.jsonc", Tables: mcpServers},
			{File: ".config/mcporter/mcporter.json", Tables: mcpServers},
			{File: ".config/mcporter/mcporter.jsonc", Tables: mcpServers},
			{File: "config/mcporter.json", Project: true, Tables: mcpServers},
		},
	},
	{
		Name:     "mcp-cli", // @wong2/mcp-cli 2.0 from npm: src/cli.js, reads the configuration of Claude Desktop
		Programs: []string{"mcp-cli"},
		Scripts:  []string{"/@wong2/mcp-cli/src/"},
	},
	{
		Name:     "goose", // aaif-goose/goose#8229; goose documentation: session, run, acp, mcp; Goose.app
		Programs: []string{"goose", "goosed"},
		When:     []Form{{Bare: true}, {Command: "session|s|run|acp|web|agent|serve|mcp|configure|project|projects|p|ps|schedule|sched|recipe|term|info|doctor"}},
		// goose has servers of its own: goose mcp developer.
		Serves:   []Serve{{Form{Command: "mcp *"}, inventory.RoleServer, "goose-*"}},
		Headless: []Form{{Command: "acp"}},
		Desktop:  []Desktop{{Bundle: "Goose"}},
		Configs:  []Config{{File: ".config/goose/config.yaml", Format: YAML, Tables: []string{"extensions"}}},
	},
	{
		Name:     "cursor", // cursor/cursor#3588: cursor-agent/versions/<v>/index.js worker-server; forum.cursor.com 160598: Cursor Helper: mcp-process; docs.cursor.com: MCP
		Programs: []string{"cursor-agent"},
		Scripts:  []string{"/cursor-agent/versions/"},
		Headless: []Form{{Command: "acp"}},
		Desktop:  []Desktop{{Bundle: "Cursor", Programs: []string{"cursor"}, Folders: []string{"/.cursor-server/"}}},
		Configs:  everywhere(Config{File: ".cursor/mcp.json", Tables: mcpServers}),
	},
	{
		Name:     "copilot", // github/copilot-cli#4392, #4461: @github/copilot, ~/.copilot/mcp-config.json
		Programs: []string{"copilot", "copilot-language-server"},
		Scripts:  []string{"/@github/copilot/", "/@github/copilot-language-server/"},
		Headless: []Form{{Flag: "--acp"}, {Flag: "--stdio"}},
		Configs:  []Config{{File: ".copilot/mcp-config.json", Tables: mcpServers}},
	},
	{
		Name:     "zed", // zed-industries/zed#54793; zed.dev/docs: context_servers
		Programs: []string{"zed", "zed-editor", "zeditor", "zed-remote-server*"},
		Except:   []string{"/sbin/zed"}, // the event daemon of ZFS
		Desktop:  []Desktop{{Bundle: "Zed"}},
		Configs: []Config{
			{File: ".config/zed/settings.json", Tables: []string{"context_servers"}},
			{File: ".zed/settings.json", Project: true, Tables: []string{"context_servers"}},
		},
	},
	{
		Name:     "amp", // ampcode.com/manual: amp.mcpServers; @sourcegraph/amp from npm
		Scripts:  []string{"/@sourcegraph/amp/", "/@ampcode/cli/", "/.amp/bin/amp"},
		Programs: []string{"amp"},
		Configs: []Config{
			{File: ".config/amp/settings.json", Tables: []string{"amp.mcpServers"}},
			{File: ".amp/settings.json", Project: true, Tables: []string{"amp.mcpServers"}},
		},
	},
	{
		Name:     "crush", // charmbracelet/crush README: MCPs, crush.json
		Programs: []string{"crush"},
		Scripts:  []string{"/@charmland/crush/"},
		Configs: []Config{
			{File: ".config/crush/crush.json", Tables: []string{"mcp"}},
			{File: "crush.json", Project: true, Tables: []string{"mcp"}},
			{File: ".crush.json", Project: true, Tables: []string{"mcp"}},
		},
	},
	{
		Name:     "kiro", // kirodotdev/Kiro: an editor on the base of VS Code, kiro-cli chat, #7554: tui.js, #11518: acp-server.js; KiroCrew#10601; kiro.dev/docs: MCP configuration
		Programs: []string{"kiro-cli", "kiro-cli-chat"},
		Scripts:  []string{"/kiro-cli/tui.js", "/@kiro/agent/dist/server/"},
		Adapts:   "kiro", // its terminal starts the agent
		Headless: []Form{{Command: "acp"}, {Flag: "--transport=stdio"}},
		Desktop:  []Desktop{{Bundle: "Kiro", Programs: []string{"kiro"}, Folders: []string{"/.kiro-server/"}}},
		Configs:  everywhere(Config{File: ".kiro/settings/mcp.json", Tables: mcpServers}),
	},
	{
		Name:     "amazon-q", // aws/amazon-q-developer-cli README: q chat; docs.aws.amazon.com/amazonq: MCP, ~/.aws/amazonq/mcp.json
		Programs: []string{"q", "qchat"},
		When:     []Form{{Command: "chat"}},
		Configs: []Config{
			{File: ".aws/amazonq/mcp.json", Tables: mcpServers},
			{File: ".amazonq/mcp.json", Project: true, Tables: mcpServers},
		},
	},
	{
		Name:     "droid", // docs.factory.ai/cli: droid mcp, mcp.json
		Programs: []string{"droid"},
		Configs:  everywhere(Config{File: ".factory/mcp.json", Tables: mcpServers}),
	},
	{
		Name:     "auggie", // augmentcode/auggie README: @augmentcode/auggie; docs.augmentcode.com/cli: MCP, ~/.augment/settings.json
		Programs: []string{"auggie"},
		Scripts:  []string{"/@augmentcode/auggie/"},
		Headless: []Form{{Flag: "--acp"}},
		Configs:  []Config{{File: ".augment/settings.json", Tables: mcpServers}},
	},
	{
		Name:     "hermes", // NousResearch/hermes-agent#15012, #75483; its documentation: ~/.hermes/config.yaml, mcp_servers
		Programs: []string{"hermes", "hermes-agent"},
		When:     []Form{{Bare: true}, {Command: "chat|gateway|acp|run"}},
		Headless: []Form{{Command: "acp"}},
		Configs:  []Config{{File: ".hermes/config.yaml", Format: YAML, Tables: []string{"mcp_servers"}}},
	},
	{
		Name:     "pi", // @earendil-works/pi-coding-agent 1.6, once @mariozechner/pi-coding-agent: docs/mcp.md; mksglu/context-mode#854
		Scripts:  []string{"/pi-coding-agent/dist/"},
		Headless: []Form{{Flag: "--mode=rpc"}},
		Configs: []Config{
			{File: ".pi/agent/mcp.json", Tables: mcpServers},
			{File: ".pi/mcp.json", Project: true, Tables: mcpServers},
		},
	},
	{
		// It calls itself so as soon as it runs, and its arguments are gone then.
		Name:   "pi", // @earendil-works/pi-coding-agent 1.6: dist/cli/setup.js, dist/rpc-entry.js
		Titles: []string{"pi", "pi-rpc"},
		When:   []Form{{Bare: true}},
	},
	{
		Name:    "grok", // @vibe-kit/grok-cli 0.0.34 from npm: dist/mcp/config.js reads the project's file alone
		Bins:    []string{"grok"},
		Scripts: []string{"/@vibe-kit/grok-cli/dist/"},
		Configs: []Config{{File: ".grok/settings.json", Project: true, Tables: mcpServers}},
	},
	{
		// It reads a project's .mcp.json too, as claude-code does.
		Name:     "nanocoder", // @nanocollective/nanocoder 1.30 from npm: dist/config/mcp-config-loader.js
		Bins:     []string{"nanocoder"},
		Scripts:  []string{"/@nanocollective/nanocoder/dist/"},
		Headless: []Form{{Flag: "--acp"}},
		Configs: []Config{
			{File: ".config/nanocoder/.mcp.json", Tables: mcpServers},
			{File: "Library/Preferences/nanocoder/.mcp.json", Tables: mcpServers},
		},
	},
	{
		// It reads a project's .mcp.json too, as claude-code does.
		Name:     "qodercli", // @qoder-ai/qodercli 1.1.52 from npm: qodercli mcp add --scope user, local, project; it starts servers after a login
		Programs: []string{"qodercli"},
		Scripts:  []string{"/@qoder-ai/qodercli/bundle/"},
		Headless: []Form{{Flag: "--acp"}},
		Configs: []Config{
			{File: ".qoder/settings.json", Tables: mcpServers},
			{File: ".qoder/settings.json", Project: true, Tables: mcpServers},
			{File: ".qoder/settings.local.json", Project: true, Tables: mcpServers},
		},
	},
	{
		Name:     "mcphost", // mark3labs/mcphost README: ~/.mcphost.yml, ~/.mcphost.json
		Programs: []string{"mcphost"},
		Configs: []Config{
			{File: ".mcphost.yml", Format: YAML, Tables: mcpServers},
			{File: ".mcphost.yaml", Format: YAML, Tables: mcpServers},
			{File: ".mcphost.json", Tables: mcpServers},
		},
	},
	{
		Name:     "mcp-inspector", // modelcontextprotocol/inspector README; 0.15: the launcher starts inspector-server, -client and -cli over pipes
		Programs: []string{"mcp-inspector", "mcp-inspector-*"},
		Scripts:  []string{"/@modelcontextprotocol/inspector"},
		Parts: []string{"/@modelcontextprotocol/inspector-", "/@modelcontextprotocol/inspector/cli/build/index.js",
			"/@modelcontextprotocol/inspector/server/build/", "/@modelcontextprotocol/inspector/client/"},
	},
	{
		// The gateway from a checkout or inside its image says nothing of
		// openclaw but how it is called.
		Name:  "openclaw", // openclaw/openclaw docker-compose.yml: node dist/index.js gateway --bind lan --port 18789
		Files: []string{"dist/index.js", "./dist/index.js", "/app/dist/index.js", "dist/entry.js", "/app/dist/entry.js"},
		When:  []Form{{Command: "gateway", Flag: "--port|--bind"}},
	},
	{
		Name:    "claude-desktop", // anthropics/claude-code#55169, #68626; DollhouseMCP/mcp-server StaleProcessRecovery.ts; modelcontextprotocol.io: claude_desktop_config.json
		Desktop: []Desktop{{Bundle: "Claude", Programs: []string{"claude-desktop"}}},
		Configs: []Config{
			{File: ".config/Claude/claude_desktop_config.json", Tables: mcpServers},
			{File: support + "Claude/claude_desktop_config.json", Tables: mcpServers},
		},
	},
	{
		Name:    "codex-desktop", // openai/codex#18881: Codex.app
		Desktop: []Desktop{{Bundle: "Codex"}},
	},
	{
		Name: "vscode", // microsoft/vscode#316266, also the Insiders build; code.visualstudio.com/docs: MCP servers; VSCodium/vscodium
		Desktop: []Desktop{
			{Bundle: "Visual Studio Code", Main: "Electron", Programs: []string{"code", "code-insiders", "code-oss", "codium", "vscodium"},
				Folders: []string{"/.vscode-server", "/.vscode-remote/", "/code-server/", "/openvscode-server/", "/vscode-server/"}},
			{Bundle: "Visual Studio Code - Insiders", Main: "Electron"},
			{Bundle: "VSCodium"},
		},
		Configs: []Config{
			{File: ".config/Code/User/mcp.json", Tables: []string{"servers"}},
			{File: ".config/Code - Insiders/User/mcp.json", Tables: []string{"servers"}},
			{File: ".vscode-server/data/User/mcp.json", Tables: []string{"servers"}},
			{File: support + "Code/User/mcp.json", Tables: []string{"servers"}},
			{File: support + "Code - Insiders/User/mcp.json", Tables: []string{"servers"}},
			{File: ".vscode/mcp.json", Project: true, Tables: []string{"servers"}},
		},
	},
	{
		Name:    "windsurf", // DollhouseMCP/mcp-server StaleProcessRecovery.ts: Windsurf.app; its language server starts the servers; docs.windsurf.com: MCP
		Desktop: []Desktop{{Bundle: "Windsurf", Programs: []string{"windsurf"}, Folders: []string{"/.windsurf-server/"}, Helpers: []string{"language_server_*"}}},
		Configs: []Config{{File: ".codeium/windsurf/mcp_config.json", Tables: mcpServers}},
	},
	{
		Name:    "antigravity", // antigravity.google/docs: MCP, ~/.gemini/antigravity/mcp_config.json
		Configs: []Config{{File: ".gemini/antigravity/mcp_config.json", Tables: mcpServers}},
	},
	{
		Name:    "junie", // jetbrains.com/help/junie: MCP settings
		Configs: everywhere(Config{File: ".junie/mcp/mcp.json", Tables: mcpServers}),
	},
	{
		Name:    "lm-studio", // lmstudio.ai/docs: MCP host; lmstudio-ai/lmstudio-bug-tracker#1371: ~/.lmstudio/mcp.json
		Desktop: []Desktop{{Bundle: "LM Studio"}},
		Configs: []Config{{File: ".lmstudio/mcp.json", Tables: mcpServers}},
	},
}
