package cmdline

import "strings"

// maxLayers bounds how many layers of launchers are read.
const maxLayers = 12

// Command is the program that an argument vector runs in the end.
type Command struct {
	// Argv is the program and its arguments. It is empty if the vector does not tell
	// the program (`npm start`, a shell that runs only built-ins).
	Argv []string
	// Wrapped tells that a launcher, a shell or a wrapper stands in front.
	Wrapped bool
	// Launcher is the outermost of them.
	Launcher string
	// Task marks a task of the project in the working directory, run by a package
	// manager or make.
	Task bool
	// Package is the package that a launcher was given, if the program is that
	// package's own: "@playwright/mcp@latest".
	Package string
	// Source is the package that a launcher takes the program from.
	Source string
	// Script and Module mean that an interpreter runs the program, as a file or by a
	// dotted name.
	Script, Module bool
	// Dir is the folder in which a launcher looks for a relative program.
	Dir string
}

// Read finds the program that an argument vector runs.
func Read(argv []string) Command {
	c := Command{Argv: spread(argv)}
	for range maxLayers {
		if len(c.Argv) == 0 || !c.peel() {
			break
		}
	}
	return c
}

// spread splits the title that npm and similar programs give themselves, if arguments
// stand behind it.
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

// Interpreted reports whether an interpreter runs the program.
func (c *Command) Interpreted() bool { return c.Script || c.Module }

// Args are the program's arguments.
func (c *Command) Args() []string {
	if len(c.Argv) == 0 {
		return nil
	}
	return c.Argv[1:]
}

// File is the path of the program as far as the arguments say it.
func (c *Command) File() string {
	file := Slashed(c.Argv[0])
	if c.Dir != "" && !strings.HasPrefix(file, "/") {
		file = Slashed(c.Dir) + "/" + file
	}
	return file
}

// RunsOthers reports executables whose name says nothing of the program that they
// run.
func RunsOthers(name string) bool {
	return IsInterpreter(name) || wrappers[name] != nil || IsShell(name) || isLauncher(name) || manyPrograms[name]
}

// scripted are launchers, wrappers and interpreters that are scripts themselves and
// thus run below an interpreter.
var scripted = WordsOf("npm npx npm-cli npx-cli pnpm pnpx yarn corepack bunx pipx poetry pdm hatch pipenv " +
	"cross-env cross-env-shell dotenvx tsx ts-node ts-node-esm")

// peel takes one layer off. It returns false if there is none.
func (c *Command) peel() bool {
	name, args := ProgramName(c.Argv[0]), c.Argv[1:]
	if c.Module {
		return false
	}
	if c.Script {
		if name = ScriptName(c.Argv[0]); !scripted[name] {
			return false
		}
	}
	if wrapper := wrappers[name]; wrapper != nil {
		rest, ok := wrapper.strip(args)
		return ok && c.below(name, Command{Argv: rest})
	}
	if IsShell(name) {
		return c.shell(name, args)
	}
	if launcher := launchers[name]; launcher != nil {
		return c.launch(name, launcher, args)
	}
	if in := interpreterOf(name); in != nil {
		return c.interpret(name, in, args)
	}
	return false
}

// below replaces the command with the one that a launcher runs.
func (c *Command) below(launcher string, inner Command) bool {
	inner.Wrapped = true
	if inner.Launcher = c.Launcher; inner.Launcher == "" {
		inner.Launcher = launcher
	}
	if inner.Dir == "" {
		inner.Dir = c.Dir
	}
	*c = inner
	return true
}

// shell reads `sh -c LINE` as the program of that line, and `sh FILE` as FILE.
func (c *Command) shell(name string, args []string) bool {
	line, isLine, rest := shellArguments(name, args)
	switch {
	case isLine:
		return c.below(name, Command{Argv: inserted(lineProgram(line), rest)})
	case len(rest) == 0:
		return false
	case name == "cmd":
		return c.below(name, Command{Argv: rest})
	}
	c.Argv, c.Script, c.Package, c.Source = rest, true, "", ""
	return true
}

func (c *Command) interpret(name string, in *interpreter, args []string) bool {
	program, ok := in.program(args)
	if !ok {
		return false
	}
	if program.Wrapped {
		return c.below(name, program)
	}
	program.Wrapped, program.Launcher, program.Dir = c.Wrapped, c.Launcher, c.Dir
	*c = program
	return true
}
