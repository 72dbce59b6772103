package catalogue

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/dockercli"
)

// maxLayers bounds how many launchers deep a command line is read.
const maxLayers = 12

// command is what an argument vector runs in the end.
type command struct {
	// argv is the program and its arguments; empty where a launcher does not
	// say what it launches (`npm start`).
	argv []string
	// wrapped tells that a launcher, a shell or a prefix stands in front.
	wrapped bool
	// launcher is the outermost of them.
	launcher string
	// pkg is the package that a launcher was asked for, where the program is
	// that package's own: "@playwright/mcp@latest".
	pkg string
	// source is the package that a launcher was told to take the program from.
	source string
	// script, module: an interpreter runs the program, as a file or by a
	// dotted name.
	script, module bool
	// dir is the folder in which a launcher looks for a relative program.
	dir string
}

// readCommand takes off what stands in front of the program that runs.
func readCommand(argv []string) command {
	c := command{argv: spread(argv)}
	for range maxLayers {
		if len(c.argv) == 0 || !c.peel() {
			break
		}
	}
	return c
}

// spread takes apart the title that npm and its like give themselves, where
// arguments still stand behind it.
func spread(argv []string) []string {
	if len(argv) == 0 || !strings.Contains(argv[0], " ") {
		return argv
	}
	words := strings.Fields(argv[0])
	if len(words) < 2 || !isLauncher(words[0]) {
		return argv
	}
	return append(words, argv[1:]...)
}

// interpreted reports whether an interpreter runs the program.
func (c *command) interpreted() bool { return c.script || c.module }

// peel takes one layer off; false says that there is none.
func (c *command) peel() bool {
	name, args := programName(c.argv[0]), c.argv[1:]
	if c.module {
		return false
	}
	if c.script {
		if name = scriptName(c.argv[0]); !isScriptedLauncher(name) {
			return false
		}
	}
	if prefix, ok := prefixOf(name); ok {
		return c.unwrap(name, prefix, args)
	}
	switch {
	case isShell(name):
		return c.shell(name, args)
	case isLauncher(name):
		return c.launch(name, args)
	}
	if in, ok := interpreterOf(name); ok {
		return c.interpret(in, args)
	}
	return false
}

// below replaces the command by what a launcher runs.
func (c *command) below(launcher string, inner command) bool {
	inner.wrapped = true
	if inner.launcher = c.launcher; inner.launcher == "" {
		inner.launcher = launcher
	}
	if inner.dir == "" {
		inner.dir = c.dir
	}
	*c = inner
	return true
}

func (c *command) unwrap(name string, prefix prefix, args []string) bool {
	rest, ok := prefix.strip(args)
	if !ok {
		return false
	}
	return c.below(name, command{argv: rest})
}

// shell reads `sh -c LINE` as the program of that line, and `sh FILE` as FILE.
func (c *command) shell(name string, args []string) bool {
	line, isLine, rest := shellArguments(name, args)
	switch {
	case isLine:
		return c.below(name, command{argv: lineProgram(line)})
	case len(rest) == 0:
		return false
	case name == "cmd":
		return c.below(name, command{argv: rest})
	}
	c.argv, c.script, c.pkg, c.source = rest, true, "", ""
	return true
}

func (c *command) interpret(in interpreter, args []string) bool {
	program, ok := in.program(args)
	if !ok {
		return false
	}
	if program.wrapped {
		return c.below(in.name, program)
	}
	program.wrapped, program.launcher, program.dir = c.wrapped, c.launcher, c.dir
	*c = program
	return true
}

// name is what a person would call the program; empty where nothing says it.
// cwd names a task of a package manager and a script in the current folder.
func (c *command) name(cwd string) string {
	switch {
	case len(c.argv) == 0:
		return c.taskName(cwd)
	case c.pkg != "":
		return packageName(c.pkg)
	case c.module:
		return moduleName(c.argv[0])
	}
	if line, ok := dockercli.Parse(c.argv); ok {
		return containerLineName(line)
	}
	if name := c.pathName(); name != "" {
		return name
	}
	if c.script && cwd != "" && cwd != "/" && !path.IsAbs(slashed(c.argv[0])) {
		return path.Base(slashed(cwd))
	}
	return programName(c.argv[0])
}

func (c *command) taskName(cwd string) string {
	if c.wrapped && cwd != "" && cwd != "/" {
		return path.Base(slashed(cwd))
	}
	return c.launcher
}

// pathName is the name that the program's path gives; empty where every part
// of it is one that any project has.
func (c *command) pathName() string {
	file := slashed(c.argv[0])
	if c.dir != "" && !path.IsAbs(file) {
		file = slashed(c.dir) + "/" + file
	}
	if c.script {
		return scriptName(file)
	}
	// /opt/foo-mcp/bin/server is foo-mcp, /usr/local/bin/mcp-server itself.
	name := programName(file)
	if !isServerName(name) && isGenericFile(name) && path.IsAbs(file) && isServerPath(file, false) {
		return scriptName(file)
	}
	return name
}

func containerLineName(line dockercli.Line) string {
	for _, name := range []string{line.Labels[labelName], dockercli.ImageBase(line.Image), line.Container} {
		if name != "" {
			return name
		}
	}
	return line.Program
}

// slashed is a path with its slashes one way.
func slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// programName is a program's base name as it is compared: lower case, without
// .exe or .cmd, and without the dash of a login shell.
func programName(program string) string {
	name := strings.ToLower(path.Base(slashed(program)))
	if name == "." || name == "/" {
		return ""
	}
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimPrefix(name, "-")
}
