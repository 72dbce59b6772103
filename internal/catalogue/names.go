package catalogue

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/dockercli"
)

// server tells whether the command is an MCP server, and by what.
func (c *command) server() (why string, ok bool) {
	if len(c.argv) == 0 {
		return "", false
	}
	if line, isDocker := dockercli.Parse(c.argv); isDocker {
		return containerServer(line)
	}
	name := c.name("")
	if why, ok = c.looksLikeServer(name); !ok || isBystander(name) || isManager(c.argv) {
		return "", false
	}
	return why, true
}

// looksLikeServer goes by the program's name, then by its arguments.
func (c *command) looksLikeServer(name string) (why string, ok bool) {
	if c.pkg != "" && isServerPackage(c.pkg) || c.source != "" && isServerPackage(c.source) {
		return "package " + packageName(c.pkg+c.source), true
	}
	if c.isServerProgram() {
		return "program " + name, true
	}
	if source, known := knownServer(name, c.argv[1:]); known {
		return "program " + name + ", as in " + source, true
	}
	return c.serverByArguments(name)
}

// isServerProgram looks at the name of the program alone.
func (c *command) isServerProgram() bool {
	switch {
	case c.pkg != "":
		return false
	case c.module:
		return isServerModule(c.argv[0])
	}
	file := slashed(c.argv[0])
	if c.dir != "" && !path.IsAbs(file) {
		file = slashed(c.dir) + "/" + file
	}
	if c.script || path.IsAbs(file) {
		return isServerPath(file, c.script)
	}
	return isServerName(fileStem(file))
}

// serverByArguments recognises `gitnexus mcp` and `link-cli --mcp`: a program
// that is a server when it is told to be one.
func (c *command) serverByArguments(name string) (why string, ok bool) {
	if _, runs := interpreterOf(name); runs || !c.takesSubcommands() {
		return "", false
	}
	if isNoServer(name) {
		return "", false
	}
	args := c.argv[1:]
	if len(args) > 0 && isServerCommand(args[0]) && !asksOnly(args[1:]) {
		return args[0] + " command of " + name, true
	}
	for _, arg := range args {
		switch arg {
		case "--":
			return "", false
		case "--mcp", "--mcp=true", "--mcp-stdio", "--mcp=stdio":
			return arg + " flag of " + name, true
		}
	}
	return "", false
}

// takesSubcommands tells a program from a script of some project: `node
// build.js mcp` builds something called mcp.
func (c *command) takesSubcommands() bool {
	if !c.script {
		return true
	}
	file := slashed(c.argv[0])
	stem := fileStem(file)
	return strings.Contains(file, "node_modules/") || stem == strings.ToLower(path.Base(file)) ||
		isGenericFile(stem) && strings.Contains(file, "/")
}

func isServerCommand(word string) bool {
	switch word {
	case "mcp", "mcp-server", "mcp_server", "mcpserver", "start-mcp-server", "start-mcp", "serve-mcp", "mcp-serve",
		"mcp-stdio", "mcp:serve", "mcp:start", "run-mcp", "run-mcp-server":
		return true
	}
	return false
}

// asksOnly recognises what stands behind `mcp` where the command manages
// servers and ends at once.
func asksOnly(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "-h", "--help", "--version":
			return true
		}
	}
	words := commands(args)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "list", "ls", "add", "add-json", "remove", "rm", "delete", "get", "set", "install", "uninstall", "config", "configure", "init", "setup",
		"login", "logout", "auth", "enable", "disable", "status", "doctor", "help", "version", "test", "update", "upgrade",
		"import", "export", "tools", "show", "inspect", "dev", "call":
		return true
	}
	return false
}

// isManager recognises a program of an MCP toolkit that only manages servers:
// `docker-mcp catalog ls`, `foo-mcp install`, `x-mcp --version`.
func isManager(argv []string) bool {
	if len(argv) == 1 {
		return false
	}
	switch argv[1] {
	case "install", "uninstall", "init", "setup", "config", "configure", "login", "logout", "auth", "help", "version", "doctor",
		"update", "upgrade", "catalog", "secret", "policy", "profile", "feature", "oauth", "--help", "-h", "--version":
		return true
	}
	return false
}

// isServerName looks for the word mcp in a program's name: mcp-server-memory,
// github-mcp-server, conport-mcp, xcodebuildmcp, mcp_server_fetch. Names of
// what builds, tests or inspects servers are none.
func isServerName(name string) bool {
	name = strings.ToLower(name)
	if isNoServer(name) {
		return false
	}
	found := false
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' }) {
		switch {
		case found && isAftermath(word), i == 0 && isErrand(word):
			return false
		case isServerWord(word):
			found = true
		}
	}
	return found && name != "mcp"
}

func isServerWord(word string) bool {
	return word == "mcpserver" || strings.HasSuffix(word, "mcp")
}

// isErrand recognises a first word by which a name is that of a task.
func isErrand(word string) bool {
	switch word {
	case "test", "tests", "build", "install", "uninstall", "setup", "deploy", "publish", "release", "lint", "format", "check",
		"clean", "cleanup", "bench", "benchmark", "generate", "gen", "create", "init", "bundle", "compile", "update", "validate",
		"kill", "stop", "reap", "watch", "inspect", "conftest":
		return true
	}
	return false
}

// isAftermath recognises a word behind mcp by which a name is no server's.
func isAftermath(word string) bool {
	switch word {
	case "test", "tests", "spec", "build", "install", "installer", "setup", "deploy", "publish", "publisher", "release", "lint",
		"check", "clean", "cleanup", "inspector", "client", "host", "sdk", "scan", "scanner", "log", "logs", "json", "md",
		"validator", "generator", "types", "example", "bench", "benchmark", "config":
		return true
	}
	return false
}

// isServerPath looks at a program's path from its file upwards: parts that any
// project has (dist/index.js) say nothing, the first other one decides.
func isServerPath(file string, script bool) bool {
	if pkg, rest, ok := insidePackage(file); ok {
		return isServerFile(pkg, rest)
	}
	parts := strings.Split(path.Clean(file), "/")
	stem := fileStem(parts[len(parts)-1])
	if script && (stem == "mcp" || isServerName(stem)) || !script && isServerName(stem) {
		return true
	}
	if !isGenericFile(stem) {
		return false
	}
	folder := firstTelling(parts[:len(parts)-1])
	return folder == "mcp" || isServerName(folder)
}

// isServerFile looks at a file inside a package: .bin/x is a program x, any
// other is the package's as long as its path says nothing else.
func isServerFile(pkg, rest string) bool {
	if pkg == ".bin" {
		return isServerName(fileStem(rest))
	}
	parts := strings.Split(rest, "/")
	stem := fileStem(parts[len(parts)-1])
	for _, folder := range parts[:len(parts)-1] {
		if !isGenericFolder(folder) && folder != "mcp" {
			return false
		}
	}
	if isServerName(stem) {
		return true
	}
	return (isGenericFile(stem) || stem == path.Base(pkg)) && isServerPackage(pkg)
}

// insidePackage splits a path below node_modules into the package, with its
// scope, and the rest.
func insidePackage(file string) (pkg, rest string, ok bool) {
	const folder = "node_modules/"
	file = path.Clean(file)
	at := strings.LastIndex(file, folder)
	if at < 0 {
		return "", "", false
	}
	pkg, rest, _ = strings.Cut(file[at+len(folder):], "/")
	if strings.HasPrefix(pkg, "@") {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		pkg += "/" + name
	}
	return pkg, rest, rest != ""
}

// firstTelling is the last folder that says what it belongs to; empty where
// none does, or where it merely belongs to the system.
func firstTelling(folders []string) string {
	for i := len(folders) - 1; i >= 0; i-- {
		folder := strings.ToLower(folders[i])
		if folder == "" || folder == "." || folder == ".." || isGenericFolder(folder) {
			continue
		}
		if isSystemFolder(folder) {
			return ""
		}
		return folder
	}
	return ""
}

func isSystemFolder(folder string) bool {
	switch folder {
	case "usr", "local", "opt", "var", "tmp", "private", "home", "users", "root", "etc", "snap", "venv", ".venv", "homebrew", "sbin":
		return true
	}
	return false
}

// scriptName is what a person would call the program at that path; empty where
// no part of it says anything.
func scriptName(file string) string {
	stem := fileStem(file)
	if stem == "npm-cli" || stem == "npx-cli" {
		return stem
	}
	if pkg, rest, ok := insidePackage(file); ok {
		if pkg == ".bin" || pkg == "corepack" {
			return fileStem(rest)
		}
		return packageName(pkg)
	}
	if stem != "mcp" && !isGenericFile(stem) {
		return stem
	}
	parts := strings.Split(path.Clean(slashed(file)), "/")
	if folder := firstTelling(parts[:len(parts)-1]); folder != "" {
		return folder
	}
	if stem == "mcp" {
		return stem
	}
	return ""
}

func isGenericFile(stem string) bool {
	switch stem {
	case "index", "main", "server", "app", "cli", "stdio", "start", "run", "entry", "entrypoint", "serve", "launch", "launcher",
		"bin", "__main__", "bundle", "program", "index.esm", "index.cjs", "mcp-server", "mcp_server":
		return true
	}
	return false
}

func isGenericFolder(folder string) bool {
	switch folder {
	case "dist", "build", "src", "lib", "out", "bin", ".bin", "cli", "cjs", "esm", "js", "target", "release", "debug", "server",
		"app", "current", "dist-cjs", "dist-esm", "stdio", "resources", "contents", "macos", "output", "python", "node", "main":
		return true
	}
	return false
}

// isServerModule looks at a Python module or a Java class: mcp_server_fetch,
// x.mcp, mcp_server.server.
func isServerModule(module string) bool {
	last := moduleName(module)
	return last == "mcp" && module != "mcp" || isServerName(last)
}

// moduleName is the last part of a dotted name that says something, with what
// stands before it where that is no more than mcp.
func moduleName(module string) string {
	parts := strings.Split(strings.ToLower(module), ".")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "mcp_server" || !isGenericFile(parts[i]) && !isGenericFolder(parts[i]) {
			return parts[i]
		}
	}
	return strings.ToLower(module)
}

// isServerPackage looks at a package as a launcher is given it.
func isServerPackage(spec string) bool {
	scope, base := splitPackage(spec)
	switch {
	case scope == "modelcontextprotocol" && strings.HasPrefix(base, "server-"):
		return true
	case scope != "" && (base == "mcp" || base == "mcp-server"):
		return true
	}
	return isServerName(base)
}

// packageName is a package's name without scope and version. A name that says
// no more than mcp or server gets its scope in front.
func packageName(spec string) string {
	scope, base := splitPackage(spec)
	switch base {
	case "mcp", "mcp-server", "server", "cli":
		if scope != "" {
			return scope + "-" + base
		}
	}
	return base
}

// packageBin is the program that a package most likely has.
func packageBin(spec string) string {
	_, base := splitPackage(spec)
	return base
}

// splitPackage takes a package as npm, uv and their like write it apart:
// @scope/name@1.0, name[extra]==1.0, git+https://host/owner/name.git@ref, ./name.
func splitPackage(spec string) (scope, base string) {
	spec = strings.ToLower(slashed(spec))
	spec = strings.TrimPrefix(strings.TrimPrefix(spec, "npm:"), "jsr:")
	if strings.Contains(spec, "://") || strings.HasPrefix(spec, "git@") || strings.HasPrefix(spec, "github:") {
		return "", repositoryName(spec)
	}
	if rest, ok := strings.CutPrefix(spec, "@"); ok {
		var found bool
		if scope, spec, found = strings.Cut(rest, "/"); !found {
			return "", scope
		}
	}
	if at := strings.IndexAny(spec, "@=<>~![ ;"); at > 0 {
		spec = spec[:at]
	}
	return scope, path.Base(strings.TrimSuffix(spec, "/"))
}

func repositoryName(url string) string {
	url, _, _ = strings.Cut(url, "#")
	name := url[strings.LastIndex(url, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimSuffix(name, ".git")
}
