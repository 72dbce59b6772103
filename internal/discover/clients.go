package discover

// source is a file that a client keeps, by its place below a home or a project.
type source struct {
	client string
	name   string
	parse  parser
}

// homeSources are the files a user has once.
func homeSources() []source {
	const support = "Library/Application Support/"
	return []source{
		{"claude-code", ".claude.json", parseClaude},
		{"codex", ".codex/config.toml", parseCodex},
		{"gemini", ".gemini/settings.json", parseMCPServers},
		{"openclaw", ".openclaw/openclaw.json", parseOpenClaw},
		{"opencode", ".config/opencode/opencode.json", parseOpenCode},
		{"opencode", ".config/opencode/opencode.jsonc", parseOpenCode},
		{"goose", ".config/goose/config.yaml", parseGoose},
		{"copilot", ".copilot/mcp-config.json", parseMCPServers},
		{"cursor", ".cursor/mcp.json", parseMCPServers},
		{"windsurf", ".codeium/windsurf/mcp_config.json", parseMCPServers},
		{"zed", ".config/zed/settings.json", parseZed},
		{"vscode", ".config/Code/User/mcp.json", parseVSCode},
		{"vscode", ".config/Code - Insiders/User/mcp.json", parseVSCode},
		{"vscode", ".vscode-server/data/User/mcp.json", parseVSCode},
		{"vscode", support + "Code/User/mcp.json", parseVSCode},
		{"vscode", support + "Code - Insiders/User/mcp.json", parseVSCode},
		{"claude-desktop", ".config/Claude/claude_desktop_config.json", parseMCPServers},
		{"claude-desktop", support + "Claude/claude_desktop_config.json", parseMCPServers},
	}
}

// projectSources are the files of a project. An openclaw.json is there when a
// gateway works in its own state directory.
func projectSources() []source {
	return []source{
		{"claude-code", ".mcp.json", parseMCPServers},
		{"codex", ".codex/config.toml", parseCodex},
		{"gemini", ".gemini/settings.json", parseMCPServers},
		{"openclaw", "openclaw.json", parseOpenClaw},
		{"opencode", "opencode.json", parseOpenCode},
		{"opencode", "opencode.jsonc", parseOpenCode},
		{"cursor", ".cursor/mcp.json", parseMCPServers},
		{"vscode", ".vscode/mcp.json", parseVSCode},
		{"zed", ".zed/settings.json", parseZed},
	}
}

// Docker's MCP toolkit keeps the names of its enabled servers in one file and
// what they run in catalogs beside it. Its config.yaml has settings, which may
// be secrets, and no commands: it is not read.
const (
	dockerRegistry = ".docker/mcp/registry.yaml"
	dockerCatalogs = ".docker/mcp/catalogs"
	officialName   = "docker-mcp.yaml" // a user's own catalog comes before it
	maxCatalogs    = 64
)
