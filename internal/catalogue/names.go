package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// isServer reports that the command is an MCP server, and why. name is its
// [commandName].
func isServer(c *cmdline.Command, name string) (why string, ok bool) {
	if len(c.Argv) == 0 {
		return "", false
	}
	if line, isDocker := cmdline.ReadContainer(c.Argv); isDocker {
		return containerServer(line)
	}
	if cmdline.IsTool(name) || keepers[name] || len(c.Argv) > 1 && managing[c.Argv[1]] {
		return "", false
	}
	return looksLikeServer(c, name)
}

// looksLikeServer decides by the program's name, then by its arguments.
func looksLikeServer(c *cmdline.Command, name string) (why string, ok bool) {
	if c.Package != "" && isServerPackage(c.Package) || c.Source != "" && isServerPackage(c.Source) {
		return "package " + cmdline.PackageName(c.Package+c.Source), true
	}
	if isServerProgram(c) {
		return "program " + name, true
	}
	for _, known := range knownServers {
		if known.name != name {
			continue
		}
		if _, fits := known.form.fits(c.Args(), nil); fits {
			return "program " + name + ", as in " + known.source, true
		}
	}
	return serverByArguments(c, name)
}

// isServerProgram decides by the program's name alone.
func isServerProgram(c *cmdline.Command) bool {
	switch {
	case c.Package != "":
		return false
	case c.Module:
		return isServerModule(c.Argv[0])
	}
	file := c.File()
	if c.Script || path.IsAbs(file) {
		return isServerPath(file, c.Script)
	}
	return isServerName(cmdline.FileStem(file))
}

// serverByArguments recognises `gitnexus mcp` and `link-cli --mcp`: a program
// that is a server when it is told to be one.
func serverByArguments(c *cmdline.Command, name string) (why string, ok bool) {
	if cmdline.IsInterpreter(name) || noServers[name] || !takesSubcommands(c) {
		return "", false
	}
	args := c.Args()
	if len(args) > 0 && serverCommands[args[0]] && !asksOnly(args[1:]) {
		return args[0] + " command of " + name, true
	}
	for _, arg := range args {
		if arg == "--" {
			return "", false
		}
		if serverFlags[arg] {
			return arg + " flag of " + name, true
		}
	}
	return "", false
}

// takesSubcommands reports a program with subcommands, as opposed to a project's
// script: `node build.js mcp` builds something named mcp.
func takesSubcommands(c *cmdline.Command) bool {
	if !c.Script {
		return true
	}
	file := cmdline.Slashed(c.Argv[0])
	stem := cmdline.FileStem(file)
	return strings.Contains(file, "node_modules/") || stem == strings.ToLower(path.Base(file)) ||
		cmdline.IsGenericFile(stem) && strings.Contains(file, "/")
}

// asksOnly reports arguments behind `mcp` with which the command only manages
// servers.
func asksOnly(args []string) bool {
	words := commands(args)
	return slices.ContainsFunc(args, isQuestion) || len(words) > 0 && chores[words[0]]
}

// isServerName looks for the word mcp in a program's name: mcp-server-memory,
// github-mcp-server, conport-mcp, xcodebuildmcp, mcp_server_fetch. Names of programs
// that build, test or inspect servers do not count.
func isServerName(name string) bool {
	name = strings.ToLower(name)
	if noServers[name] {
		return false
	}
	found, first := false, true
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' }) {
		switch {
		case found && nonServerSuffixes[word], first && taskPrefixes[word]:
			return false
		case isServerWord(word):
			found = true
		}
		first = false
	}
	return found && name != "mcp"
}

func isServerWord(word string) bool {
	return word == "mcpserver" || strings.HasSuffix(word, "mcp")
}

// isServerPath reads a program's path from the file upwards. Parts that any project
// has (dist/index.js) are skipped; the first other part decides.
func isServerPath(file string, script bool) bool {
	if pkg, rest, ok := cmdline.InsidePackage(file); ok {
		return isServerFile(pkg, rest)
	}
	parts := strings.Split(path.Clean(file), "/")
	stem := cmdline.FileStem(parts[len(parts)-1])
	if script && (stem == "mcp" || isServerName(stem)) || !script && isServerName(stem) {
		return true
	}
	if !cmdline.IsGenericFile(stem) {
		return false
	}
	folder := cmdline.TellingFolder(parts[:len(parts)-1])
	return folder == "mcp" || isServerName(folder)
}

// isServerFile decides about a file inside a package: .bin/x is a program x; any
// other file is the package's, unless its path says something else.
func isServerFile(pkg, rest string) bool {
	if pkg == ".bin" {
		return isServerName(cmdline.FileStem(rest))
	}
	parts := strings.Split(rest, "/")
	stem := cmdline.FileStem(parts[len(parts)-1])
	for _, folder := range parts[:len(parts)-1] {
		if !cmdline.IsGenericFolder(folder) && folder != "mcp" {
			return false
		}
	}
	if isServerName(stem) {
		return true
	}
	return (cmdline.IsGenericFile(stem) || stem == path.Base(pkg)) && isServerPackage(pkg)
}

// isServerModule decides about a Python module or a Java class: mcp_server_fetch,
// x.mcp, mcp_server.server.
func isServerModule(module string) bool {
	last := cmdline.ModuleName(module)
	return last == "mcp" && module != "mcp" || isServerName(last)
}

// isServerPackage decides about a package in the form that a launcher takes.
func isServerPackage(spec string) bool {
	scope, base := cmdline.SplitPackage(spec)
	switch {
	case scope == "modelcontextprotocol" && strings.HasPrefix(base, "server-"):
		return true
	case scope != "" && (base == "mcp" || base == "mcp-server"):
		return true
	}
	return isServerName(base)
}
