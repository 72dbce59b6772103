package catalogue

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// grade is how well a name tells an MCP server.
type grade uint8

const (
	noServer grade = iota
	likely         // it has mcp in it: an agent or a client may be called so
	known          // an entry of the catalogue, or a name that only servers have
)

// isServer tells how well the command is known for an MCP server, and by what. name is
// its [commandName].
func isServer(c *cmdline.Command, name string) (why string, by grade) {
	if len(c.Argv) == 0 {
		return "", noServer
	}
	if line, isDocker := cmdline.ReadContainer(c.Argv); isDocker {
		return containerServer(line)
	}
	if cmdline.IsTool(name) || keepers[name] || len(c.Argv) > 1 && managing[c.Argv[1]] {
		return "", noServer
	}
	return looksLikeServer(c, name)
}

// looksLikeServer decides by the entries, then by the program's name, then by its arguments.
func looksLikeServer(c *cmdline.Command, name string) (why string, by grade) {
	for _, entry := range knownServers {
		if entry.name != name || len(c.Argv) > 2 && asksOnly(c.Argv[2:]) {
			continue
		}
		if _, fits := entry.form.fits(c.Args(), nil); fits {
			return "program " + name + ", as in " + entry.source, known
		}
	}
	if by = max(packageGrade(c.Package), packageGrade(c.Source)); by > noServer {
		return "package " + cmdline.PackageName(c.Package+c.Source), by
	}
	if by = programGrade(c); by > noServer {
		return "program " + name, by
	}
	return serverByArguments(c, name)
}

// programGrade decides by the program's name alone.
func programGrade(c *cmdline.Command) grade {
	switch {
	case c.Package != "":
		return noServer
	case c.Module:
		return moduleGrade(c.Argv[0])
	}
	file := c.File()
	if c.Script || path.IsAbs(file) {
		return pathGrade(file, c.Script)
	}
	return nameGrade(cmdline.FileStem(file), true)
}

// serverByArguments recognises `gitnexus mcp` and `link-cli --mcp`: a program that is a
// server when it is told to be one, or a client that is told which server to use.
func serverByArguments(c *cmdline.Command, name string) (why string, by grade) {
	if cmdline.IsInterpreter(name) || noServers[name] || !takesSubcommands(c) {
		return "", noServer
	}
	args := c.Args()
	if len(args) > 0 && serverCommands[args[0]] && !asksOnly(args[1:]) {
		return args[0] + " command of " + name, likely
	}
	for _, arg := range args {
		if arg == "--" {
			return "", noServer
		}
		if serverFlags[arg] {
			return arg + " flag of " + name, likely
		}
	}
	return "", noServer
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

// nameGrade looks for the word mcp in a program's name: mcp-server-memory,
// github-mcp-server, conport-mcp, xcodebuildmcp, mcp_server_fetch. Names of programs
// that build, test or inspect servers do not count. installed means that the name is a
// package's, or a program's that a package brings: such a name needs not say server.
func nameGrade(name string, installed bool) grade {
	name = strings.ToLower(name)
	if noServers[name] {
		return noServer
	}
	found, says, last, first := false, false, "", true
	for word := range wordsOf(name) {
		switch {
		case found && nonServerSuffixes[word], first && taskPrefixes[word]:
			return noServer
		case isServerWord(word):
			found = true
		}
		says = says || word == "server" || word == "servers" || word == "mcpserver"
		last, first = word, false
	}
	switch {
	case !found || name == "mcp":
		return noServer
	case says, installed && last == "mcp":
		return known
	}
	return likely
}

// wordsOf are the words of a name: github-mcp-server has three.
func wordsOf(name string) iter.Seq[string] {
	return strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' })
}

func isServerWord(word string) bool {
	return word == "mcpserver" || strings.HasSuffix(word, "mcp")
}

// pathGrade reads a program's path from the file upwards. Parts that any project
// has (dist/index.js) are skipped; the first other part decides.
func pathGrade(file string, script bool) grade {
	if pkg, rest, ok := cmdline.InsidePackage(file); ok {
		return fileGrade(pkg, rest)
	}
	parts := strings.Split(path.Clean(file), "/")
	stem := cmdline.FileStem(parts[len(parts)-1])
	if script && stem == "mcp" {
		return likely
	}
	if by := nameGrade(stem, isBin(parts)); by > noServer || !cmdline.IsGenericFile(stem) {
		return by
	}
	switch folder := cmdline.TellingFolder(parts[:len(parts)-1]); {
	case folder == "mcp":
		return likely
	case nameGrade(folder, false) > noServer && strings.Contains(stem, "server"): // foo-mcp/server.py
		return known
	default:
		return nameGrade(folder, false)
	}
}

// isBin reports a program in a folder of installed programs.
func isBin(parts []string) bool {
	return len(parts) > 1 && strings.HasSuffix(parts[len(parts)-2], "bin")
}

// fileGrade decides about a file inside a package: .bin/x is a program x; any
// other file is the package's, unless its path says something else.
func fileGrade(pkg, rest string) grade {
	if pkg == ".bin" {
		return nameGrade(cmdline.FileStem(rest), true)
	}
	parts := strings.Split(rest, "/")
	stem := cmdline.FileStem(parts[len(parts)-1])
	for _, folder := range parts[:len(parts)-1] {
		if !cmdline.IsGenericFolder(folder) && folder != "mcp" {
			return noServer
		}
	}
	if by := nameGrade(stem, true); by > noServer {
		return by
	}
	if cmdline.IsGenericFile(stem) || stem == path.Base(pkg) {
		return packageGrade(pkg)
	}
	return noServer
}

// moduleGrade decides about a Python module or a Java class: mcp_server_fetch,
// x.mcp, mcp_server.server.
func moduleGrade(module string) grade {
	last := cmdline.ModuleName(module)
	if last == "mcp" && module != "mcp" {
		return known
	}
	return nameGrade(last, true)
}

// packageGrade decides about a package in the form that a launcher takes.
func packageGrade(spec string) grade {
	scope, base := cmdline.SplitPackage(spec)
	switch {
	case scope == "modelcontextprotocol" && strings.HasPrefix(base, "server-"):
		return known
	case scope != "" && (base == "mcp" || strings.HasPrefix(base, "mcp-") && nameGrade(base, true) > noServer):
		return known
	}
	return nameGrade(base, true)
}

// isAid reports a language server, and what stands in a folder of hooks.
func (s sighting) isAid() bool {
	isHook := slices.ContainsFunc(s.programs, func(p program) bool { return strings.Contains(p.path, "/hooks/") })
	return isHook || languageServers[s.called] || slices.ContainsFunc(languageEndings, func(end string) bool { return strings.HasSuffix(s.called, end) })
}
