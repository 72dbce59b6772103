package catalogue

import "github.com/reaperd/reaperd/internal/cmdline"

// This file is data: servers, gateways, and names that say something or nothing.

// gateways are the programs that start servers of their own and offer them to
// others over an address or a stdio. Docker's is in gateways.go: its command
// line is a container CLI's.
var gateways = []Gateway{
	{Name: "mcp-hub", Programs: []string{"mcp-hub"}}, // ravitemer/mcp-hub README
	{
		// Three programs of that name: punkpeye/mcp-proxy, sparfenyuk/mcp-proxy, TBXark/mcp-proxy README.
		// Called with an address only, that of sparfenyuk is a bridge to it.
		Name: "mcp-proxy", Programs: []string{"mcp-proxy"},
		Values: "--apiKey --connectionTimeout --corsAddAllowedHeader --endpoint --eventStoreMaxEvents --gracefulShutdownTimeout --host " +
			"--keepAliveTimeout --maxBodySize --port --requestTimeout --server --sessionIdleTimeout --sseEndpoint --sslCa --sslCert --sslKey " +
			"--streamEndpoint --tunnelSubdomain --sse-port --sse-host --allow-origin -e --env --cwd --log-level --transport -H --headers --config",
		When: []Form{{Flag: "--config|--named-server|--named-server-config"}, {Command: "!://"}},
	},
	{Name: "supergateway", Programs: []string{"supergateway"}, When: []Form{{Flag: "--stdio"}}}, // supercorp-ai/supergateway README: stdio to SSE, WebSocket or HTTP
	{
		Name: "1mcp", Programs: []string{"1mcp", "1mcp-agent"}, // 1mcp-app/agent README
		Values: "-c --config -d --config-dir -p --port -H --host -t --transport -f --filter", When: []Form{{Bare: true}, {Command: "serve"}},
	},
	{Name: "mcpo", Programs: []string{"mcpo"}},                                                    // open-webui/mcpo README
	{Name: "mcpjungle", Programs: []string{"mcpjungle"}, When: []Form{{Command: "start"}}},        // mcpjungle/MCPJungle README: mcpjungle start
	{Name: "mcp-superassistant-proxy", Programs: []string{"mcp-superassistant-proxy"}},            // srbhptl39/MCP-SuperAssistant README
	{Name: "agentgateway", Programs: []string{"agentgateway"}, When: []Form{{Flag: "-f|--file"}}}, // agentgateway/agentgateway README: -f config.yaml with stdio targets
	{Name: "mcp-gateway", Programs: []string{"mcp-gateway"}},                                      // lasso-security/mcp-gateway README
}

// knownServer is a server that its name does not identify as one.
type knownServer struct {
	name   string
	form   Form
	source string
}

var knownServers = []knownServer{
	{"ast-grep-server", Form{}, "openai/codex#18881"},
	{"gbrain", Form{Command: "serve"}, "openclaw/openclaw#72112"},
	{"serena", Form{Command: "start-mcp-server"}, "oraios/serena README"},
	{"mcp", Form{Command: "run"}, "modelcontextprotocol/python-sdk README"},
	{"fastmcp", Form{Command: "run"}, "modelcontextprotocol/python-sdk README"},
	{"contextplus", Form{Bare: true}, "forloopcodes/contextplus#10"},
	{"mcp-remote", Form{}, "geelen/mcp-remote README: a bridge to an address"},
	{"gitnexus", Form{Command: "mcp"}, "abhigyanpatwari/GitNexus#1546"},
	{"engram", Form{Command: "mcp"}, "openclaw/openclaw#75621"},
	{"likec4", Form{Command: "mcp"}, "likec4/likec4#3092"},
	{"xcodebuildmcp", Form{}, "getsentry/XcodeBuildMCP#273"},
	{"dollhousemcp", Form{}, "DollhouseMCP/mcp-server README"},
	{"desktop-commander", Form{Bare: true}, "wonderwhy-er/DesktopCommanderMCP README"},
	{"1mcp", Form{Command: "proxy"}, "1mcp-app/agent README: a bridge to one that runs"},
	{"supergateway", Form{}, "supercorp-ai/supergateway README: a bridge to an address"},
}

var (
	// languageServers are language servers whose names do not say so, languageEndings the ends of those that do.
	languageServers = cmdline.WordsOf("gopls clangd ccls rust-analyzer jdtls pylsp ruff-lsp jedi-language-server solargraph intelephense phpactor " +
		"omnisharp csharp-ls metals zls ocamllsp nil nixd texlab taplo tsserver vtsls sourcekit-lsp deno-lsp biome")
	languageEndings = []string{"language-server", "langserver", "languageserver", "-lsp", "-ls"}
	// noServers have mcp in their names and are clients, managers or tools.
	noServers = cmdline.WordsOf("mcp-cli mcp-client mcphost mcp-inspector mcp-get mcp-install mcp-scan mcp-publisher mcpmon " +
		"mcp-cleanup mcp-reaper mcptools mcp-agent 1mcp fastmcp docker-mcp dhcp icmp")
	// keepers manage servers on purpose; the last is reaperd itself.
	keepers = cmdline.WordsOf("thv toolhive claude-mem reaperd")
	// serverCommands make a program a server: gitnexus mcp.
	serverCommands = cmdline.WordsOf("mcp mcp-server mcp_server mcpserver start-mcp-server start-mcp serve-mcp mcp-serve mcp-stdio " +
		"mcp:serve mcp:start run-mcp run-mcp-server")
	// serverFlags do the same: link-cli --mcp.
	serverFlags = cmdline.WordsOf("--mcp --mcp=true --mcp-stdio --mcp=stdio")
	// questions behind a server command end at once, and so do chores.
	questions = cmdline.WordsOf("-h --help --version")
	chores    = cmdline.WordsOf("list ls add add-json remove rm delete get set install uninstall config configure init setup login logout auth " +
		"enable disable status doctor help version test update upgrade import export tools show inspect dev call")
	// managing are subcommands of MCP toolkits that only manage servers.
	managing = cmdline.WordsOf("install uninstall init setup config configure login logout auth help version doctor update upgrade catalog " +
		"secret policy profile feature oauth --help -h --version")
	// taskPrefixes before mcp make a name that of a task: test-mcp.
	taskPrefixes = cmdline.WordsOf("test tests build install uninstall setup deploy publish release lint format check clean cleanup bench " +
		"benchmark generate gen create init bundle compile update validate kill stop reap watch inspect conftest")
	// nonServerSuffixes behind mcp make a name that of something other than a server.
	nonServerSuffixes = cmdline.WordsOf("test tests spec build install installer setup deploy publish publisher release lint check clean cleanup " +
		"inspector client host sdk scan scanner log logs json md validator generator types example bench benchmark config")
	// noServerImages are the images of docker/mcp-gateway that are no servers.
	noServerImages = cmdline.WordsOf("docker/mcp-gateway docker/mcp-l4proxy docker/mcp-l7proxy docker/mcp-dns-forwarder")
	// relayScripts are openclaw's helpers, which pass a server's stdio on
	// (openclaw/openclaw#142965, #146620).
	relayScripts = cmdline.WordsOf("service-child-relay.js service-child-group-anchor.js")
)

// What adopts the orphans of a whole host, container or user session. Service
// supervisors that are only ever the parent of what they started themselves
// (supervisord, runsv, s6-supervise, pm2) are none: their children have a live
// owner.
var (
	boundaryPaths = cmdline.WordsOf("init /init /sbin/init /usr/sbin/init /bin/init")
	boundaryNames = cmdline.WordsOf("systemd launchd docker-init podman-init catatonit conmon s6-svscan runsvdir sessionleader")
	// smallInits are boundaries as the first process, and wrappers anywhere else.
	smallInits = cmdline.WordsOf("tini tini-static dumb-init")
)

// manager is a program that marks the containers it manages with a label.
type manager struct{ label, name string }

// managers are labels, and beginnings of labels up to a dot.
var managers = []manager{
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
	{"openclaw.sandbox", "OpenClaw"}, // openclaw/openclaw#24151
	{"mcp.deployment.id", "Obot"},    // obot-platform/obot#7100
}
