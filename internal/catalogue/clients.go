package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
)

// client is an agent client that starts MCP servers.
type client struct {
	name   string
	source string // where its processes are documented or shown
	// programs are the base names of the program or its script; a script must
	// have no ending or lie in a bin folder. A trailing * stands for anything.
	programs []string
	// titles are what the program writes over argv[0], like programs.
	titles []string
	// scripts are parts of the paths of its scripts.
	scripts []string
	// homes are parts of the paths of the folders that hold its versions: the
	// program there is called by its version.
	homes []string
	// except are parts of paths of other programs of the same name.
	except []string
	// files are scripts whose whole path is known.
	files []string
	// when tells it from another program of that name; nil where there is none.
	when func(args []string) bool
	// serves says what it is, and its name, where it is no session but serves;
	// nil where it never does.
	serves func(args []string) (role graph.Role, name string)
	// headless tells whether it is spoken to over its own stdio.
	headless func(args []string) bool
}

// client recognises sessions, and what the clients' own programs are when they
// serve instead.
func (c *Catalogue) client(s sighting) (graph.Class, bool) {
	if s.command.wrapped || s.isRelay() {
		return graph.Class{}, false
	}
	for _, client := range c.clients {
		if client.is(s) {
			return client.class(s.args()), true
		}
	}
	return graph.Class{}, false
}

func (c *client) class(args []string) graph.Class {
	class := graph.Class{Role: graph.RoleSession, Name: c.name, Why: "program of " + c.name}
	if c.serves != nil {
		if role, name := c.serves(args); role != graph.RoleNone {
			return graph.Class{Role: role, Name: name, Why: c.name + " serves as " + name}
		}
	}
	class.Headless = c.headless != nil && c.headless(args)
	return class
}

func (c *client) is(s sighting) bool {
	return c.named(s) && (c.when == nil || c.when(s.args()))
}

func (c *client) named(s sighting) bool {
	if s.command.module {
		return false
	}
	if s.command.script {
		return c.isScript(slashed(s.command.argv[0]))
	}
	if matchesAny(c.titles, strings.ToLower(s.title)) {
		return true
	}
	return slices.ContainsFunc(s.programs(), func(program string) bool { return c.isProgram(slashed(program)) })
}

func (c *client) isProgram(file string) bool {
	if containsAny(file, c.except) {
		return false
	}
	if matchesAny(c.programs, programName(file)) {
		return true
	}
	if len(c.homes) == 0 {
		return false
	}
	base := path.Base(file)
	return base[0] >= '0' && base[0] <= '9' && containsAny(path.Dir(file)+"/", c.homes)
}

func (c *client) isScript(file string) bool {
	if containsAny(file, c.except) {
		return false
	}
	if slices.Contains(c.files, file) {
		return true
	}
	for _, part := range c.scripts {
		if at := strings.LastIndex("/"+file, part); at >= 0 && !strings.Contains(("/" + file)[at+len(part):], "node_modules/") {
			return true
		}
	}
	base := strings.ToLower(path.Base(file))
	ended := fileStem(file) != base
	folder := path.Base(path.Dir(file))
	return matchesAny(c.programs, fileStem(file)) && (!ended || folder == "bin" || folder == ".bin")
}

// matchesAny compares with names of which each may end in *.
func matchesAny(names []string, name string) bool {
	return slices.ContainsFunc(names, func(pattern string) bool {
		start, open := strings.CutSuffix(pattern, "*")
		return pattern == name || open && strings.HasPrefix(name, start)
	})
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// hasFlag reports whether a flag was given, with or without a value.
func hasFlag(args []string, flags string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return contains(flags, name)
	})
}

// flagValue is the value of the first such flag.
func flagValue(args []string, flag string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// app is a client on the desktop: one program with many helper processes, of
// which only those that start servers are sessions.
type app struct {
	name     string
	source   string
	bundle   string   // the bundle's name on macOS: Cursor is Cursor.app
	programs []string // base names elsewhere
	folders  []string // parts of the paths of its remote servers
	helpers  []string // programs beside it that start servers
}

// application recognises desktop clients: the main process, and the helpers
// that start servers (extension hosts, Cursor's mcp-process).
func (c *Catalogue) application(s sighting) (graph.Class, bool) {
	if s.command.wrapped {
		return graph.Class{}, false
	}
	for _, app := range c.apps {
		if why, ok := app.is(s); ok {
			return graph.Class{Role: graph.RoleSession, Name: app.name, Why: why + " of " + app.name}, true
		}
	}
	return graph.Class{}, false
}

func (a *app) is(s sighting) (why string, ok bool) {
	paths := []string{s.title, s.process.Exe}
	switch {
	case a.isRemote(s):
		return "server", true
	case slices.ContainsFunc(paths, a.isMain):
		return "main process", !isHelperType(s.process.Argv)
	case slices.ContainsFunc(paths, a.isHost):
		return "extension host", true
	case s.command.interpreted():
		return "", false
	}
	for _, program := range s.programs() {
		name := programName(program)
		if len(a.helpers) > 0 && matchesAny(a.helpers, name) && containsAny(strings.ToLower(program), []string{strings.ToLower(a.name), strings.ToLower(a.bundle)}) {
			return "helper", true
		}
		if slices.Contains(a.programs, name) && path.Base(slashed(program)) == name {
			return "program", !isHelperType(s.process.Argv)
		}
	}
	return "", false
}

// isMain recognises the main process on macOS, by the path of its program.
func (a *app) isMain(file string) bool {
	return strings.Contains(file, ".app/") && strings.HasSuffix(file, "/"+a.bundle+".app/Contents/MacOS/"+mainProgram(a.bundle))
}

// mainProgram is the program inside a bundle; VS Code calls it Electron.
func mainProgram(bundle string) string {
	if strings.HasPrefix(bundle, "Visual Studio Code") {
		return "Electron"
	}
	return bundle
}

// isHost recognises the helpers that start servers by what they are called:
// "Cursor Helper (Plugin): extension-host …", "Cursor Helper: mcp-process".
func (a *app) isHost(title string) bool {
	bundle := strings.TrimPrefix(a.bundle, "Visual Studio ")
	if bundle == "" || !strings.Contains(title, " Helper") {
		return false
	}
	name := title[strings.LastIndex(title, "/")+1:]
	helper, ok := strings.CutPrefix(name, bundle+" Helper")
	return ok && (strings.HasPrefix(helper, " (Plugin)") || strings.HasPrefix(helper, ": mcp-process") || strings.HasPrefix(helper, ": extension-host"))
}

// isRemote recognises the server and the extension host that run where an
// editor is connected to.
func (a *app) isRemote(s sighting) bool {
	if !s.command.script || !containsAny(slashed(s.command.argv[0]), a.folders) {
		return false
	}
	switch fileStem(s.command.argv[0]) {
	case "server-main", "server", "code-server", "cursor-server", "windsurf-server":
		return true
	case "bootstrap-fork":
		return flagValue(s.args(), "--type") == "extensionHost"
	}
	return false
}

// isHelperType recognises Chromium's own processes (renderer, GPU, zygote …);
// a utility that runs Node is an extension host.
func isHelperType(argv []string) bool {
	switch kind := flagValue(argv, "--type"); kind {
	case "", "extensionHost":
		return false
	case "utility":
		return !strings.HasPrefix(flagValue(argv, "--utility-sub-type"), "node.mojom.")
	}
	return true
}
