package discover

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// candidate is one form of a configured server's command in a process table. One
// command has several: npx renames itself, uvx becomes uv, a shell replaces itself
// with its only command.
type candidate struct {
	server  *Server
	program program
	args    []argument
	// relative marks a command that means something else in another folder.
	relative bool
	// title marks a program that joins its arguments to a title and replaces secrets
	// in it with ***.
	title bool
}

// program is the program of a command: an absolute path, a path below the working
// directory, or a name to look up in PATH.
type program struct {
	path argument // of an absolute or relative path; empty for a name
	base string   // canonical
	kind programKind
}

type programKind uint8

const (
	byName programKind = iota
	byAbsolutePath
	byRelativePath
)

// index compiles servers into candidates, by the base name of the program.
func index(servers []Server) map[string][]candidate {
	found := map[string][]candidate{}
	for i := range servers {
		for _, c := range compile(&servers[i]) {
			found[c.program.base] = append(found[c.program.base], c)
		}
	}
	return found
}

// compile makes every form of a server's command. There is none for a server with an
// address only, for a command of Windows, for one that could be anything, and for `reaperd mcp`, which is reaperd.
func compile(s *Server) []candidate {
	words := append([]string{s.Command}, s.Args...)
	if path.Base(s.Command) == "reaperd" && len(s.Args) > 0 && s.Args[0] == "mcp" {
		return nil
	}
	found := shapes(s, words)
	if len(s.Args) == 0 && !strings.HasPrefix(s.Command, "/") {
		if fields := strings.Fields(s.Command); len(fields) > 1 { // "npx -y pkg" in one string
			found = append(found, shapes(s, fields)...)
		}
	}
	return found
}

func shapes(s *Server, words []string) []candidate {
	words = withoutEnv(words)
	if len(words) == 0 || len(words) > 2*maxArgs || words[0] == "" || forWindows(words[0]) {
		return nil
	}
	plain := shape(s, words)
	found := []candidate{plain}
	switch base := plain.program.base; {
	case base == "npx":
		found = append(found, npxShapes(s, words[1:])...)
	case base == "npm":
		found = append(found, npmShapes(s, words[1:])...)
	case base == "uvx":
		found = append(found, shape(s, append([]string{"uv", "tool", "uvx"}, words[1:]...)))
	case base == "reaperd":
		found = append(found, shapes(s, supervised(words))...)
	case cmdline.IsShell(base):
		found = append(found, shellShapes(s, words)...)
	}
	return slices.DeleteFunc(found, candidate.tooBroad)
}

// shape is a command as it is written.
func shape(s *Server, words []string) candidate {
	for len(words) > 1 && strings.TrimSpace(words[len(words)-1]) == "" {
		words = words[:len(words)-1] // in a process table they look like padding
	}
	c := candidate{server: s, program: newProgram(s, words[0])}
	for _, word := range words[1:] {
		c.args = append(c.args, newArgument(s, word))
	}
	c.relative = dependsOnFolder(c.program, words[1:])
	return c
}

func newProgram(s *Server, command string) program {
	p := program{path: newArgument(s, command)}
	last := p.path.pieces[len(p.path.pieces)-1]
	if len(p.path.pieces) > 1 && !strings.Contains(last, "/") {
		return program{} // even its name is a variable
	}
	p.base = canonical(last)
	switch first := p.path.pieces[0]; {
	case strings.HasPrefix(first, "/") || first == "":
		p.kind = byAbsolutePath
	case strings.Contains(first, "/") || len(p.path.pieces) > 1:
		p.kind = byRelativePath
	}
	return p
}

// tooBroad reports a candidate that would match processes that nobody configured: a
// shell without arguments, an interpreter without a particular script.
func (c candidate) tooBroad() bool {
	if c.program.base == "" {
		return true
	}
	if !saysNothing(c.program.base) {
		return false
	}
	return !slices.ContainsFunc(c.args, argument.tells)
}

// supervised is the command that `reaperd exec` runs; nil for any other command of
// reaperd. The server is recognised by it even after reaperd itself has gone.
func supervised(words []string) []string {
	dashes := slices.Index(words, "--")
	if len(words) < 2 || words[1] != "exec" || dashes < 0 {
		return nil
	}
	return words[dashes+1:]
}

// withoutEnv drops a leading `env NAME=value`: env replaces itself with the command.
func withoutEnv(words []string) []string {
	if len(words) == 0 || canonical(words[0]) != "env" {
		return words
	}
	for i, word := range words[1:] {
		if strings.HasPrefix(word, "-") && word != "-i" {
			return nil
		}
		if word != "-i" && !strings.Contains(word, "=") {
			return words[i+1:]
		}
	}
	return nil
}

func forWindows(command string) bool {
	switch strings.ToLower(path.Ext(command)) {
	case ".exe", ".cmd", ".bat", ".ps1":
		return true
	}
	return command == "cmd" || strings.Contains(command, `\`)
}

// npxShapes are the title that npx gives itself (`npm exec PACKAGE ARGS`) and, for
// -c, the shell that it starts.
func npxShapes(s *Server, args []string) []candidate {
	words, call := cmdline.NPMWords(args, true)
	return npmTitle(s, append([]string{"exec"}, words...), call)
}

// npmShapes is the title that npm gives itself: its words without its options.
func npmShapes(s *Server, args []string) []candidate {
	words, call := cmdline.NPMWords(args, false)
	return npmTitle(s, words, call)
}

func npmTitle(s *Server, words []string, call string) []candidate {
	if call != "" {
		return []candidate{shape(s, []string{"sh", "-c", call})}
	}
	words = strings.Fields(strings.Join(words, " "))
	if len(words) == 0 || len(words) == 1 && isNPMExec(words[0]) {
		return nil // the title of every `npm exec -c`
	}
	title := shape(s, append([]string{"npm"}, words...))
	title.title = true
	return []candidate{title}
}

func isNPMExec(word string) bool { return word == "exec" || word == "x" }

// shellShapes is the command that a shell replaces itself with if it is the only one
// behind -c.
func shellShapes(s *Server, words []string) []candidate {
	if len(words) != 3 || !strings.HasPrefix(words[1], "-") || !strings.HasSuffix(words[1], "c") {
		return nil
	}
	inner := strings.Fields(strings.TrimPrefix(strings.TrimSpace(words[2]), "exec "))
	if strings.ContainsAny(words[2], "|&;<>()$`\"'\\*?[]#~=%{}!\n") || len(inner) == 0 || cmdline.IsShell(canonical(inner[0])) {
		return nil
	}
	return shapes(s, inner)
}

// dependsOnFolder reports a command that means something else in another working
// directory: a relative path, a project's script, an interpreter with a relative
// script.
func dependsOnFolder(p program, args []string) bool {
	switch {
	case p.kind == byRelativePath:
		return true
	case isProjectTool(p.base, args):
		return !slices.ContainsFunc(args, namesFolder)
	case p.base == "bun" && len(args) > 0 && args[0] == "x": // as npx
		return false
	case runsScripts(p.base):
		at := scriptAt(args)
		return at >= 0 && isRelativePath(args[at])
	}
	return false
}

// isProjectTool reports a command that runs something defined by the project in the
// working directory.
func isProjectTool(base string, args []string) bool {
	words, _ := cmdline.NPMWords(args, false)
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch base {
	case "npm":
		return !isNPMExec(verb)
	case "pnpm", "yarn":
		return verb != "dlx" && verb != "create"
	case "deno":
		return verb == "task"
	case "cargo", "go", "uv", "dotnet":
		return verb == "run"
	case "make", "just", "task", "poetry", "pdm", "hatch", "rye", "pipenv", "mise", "gradle", "mvn", "rake", "bundle":
		return true
	}
	return false
}

// namesFolder reports an argument that names the project's folder, so that the
// working directory does not matter.
func namesFolder(arg string) bool {
	_, text, ok := strings.Cut(arg, "=")
	return strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "~/") || strings.HasPrefix(arg, "$") || ok && namesFolder(text)
}

// isRelativePath reports a script's path that is looked up below the working
// directory. A variable may be absolute, so it is none.
func isRelativePath(word string) bool {
	return !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "~") && !strings.HasPrefix(word, "$") &&
		!strings.HasPrefix(word, "{") && !strings.Contains(word, "://") && !strings.HasPrefix(word, "npm:") && !strings.HasPrefix(word, "jsr:")
}

// scriptAt is the index of an interpreter's script among its arguments; -1 if it runs
// text or a module instead.
func scriptAt(args []string) int {
	for i, arg := range args {
		switch {
		case arg == "run" && i == 0: // deno run, bun run
		case !strings.HasPrefix(arg, "-"):
			return i
		case isTextOption(arg):
			return -1
		}
	}
	return -1
}

// isTextOption reports an option that is followed by text to run or by a module's
// name, or that ends an interpreter's options.
func isTextOption(arg string) bool {
	switch arg {
	case "-c", "-lc", "-ic", "-lic", "-e", "-p", "-pe", "-m", "--eval", "--print", "-":
		return true
	}
	return false
}

// canonical is a program's name without folder and version: python3.11 and macOS's
// Python are both python.
func canonical(command string) string {
	command = strings.TrimSuffix(command, " (deleted)")
	base := command[strings.LastIndexByte(command, '/')+1:]
	switch {
	case base == "nodejs":
		return "node"
	case len(base) >= 6 && (base[0] == 'p' || base[0] == 'P') && base[1:6] == "ython" && strings.Trim(base[6:], "0123456789.") == "":
		return "python"
	}
	return base
}

// runsScripts reports a program that runs a script named in its arguments.
func runsScripts(base string) bool {
	name := cmdline.ProgramName(base)
	return cmdline.IsShell(name) || cmdline.IsInterpreter(name)
}

// saysNothing reports a program whose own name says nothing about what it runs.
func saysNothing(base string) bool {
	name := cmdline.ProgramName(base)
	return cmdline.IsContainerCLI(name) || cmdline.RunsOthers(name) || cmdline.IsTool(name)
}
