package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// application recognises desktop clients: the main process, and the helpers
// that start servers (extension hosts, Cursor's mcp-process).
func (c *Catalogue) application(s sighting) (inventory.Class, bool) {
	if s.command.Wrapped {
		return inventory.Class{}, false
	}
	for c := range clients {
		client := &clients[c]
		for i := range client.Desktop {
			if why, ok := client.Desktop[i].is(s); ok {
				return inventory.Class{Role: inventory.RoleSession, Name: client.Name, Why: why + " of " + client.Name, Editor: true, Helper: why == "helper process"}, true
			}
		}
	}
	return inventory.Class{}, false
}

func (d *Desktop) is(s sighting) (why string, ok bool) {
	paths := []string{s.title, s.process.Exe}
	switch {
	case d.isRemote(s):
		return "server", true
	case d.isFork(s):
		return "helper process", true
	case slices.ContainsFunc(paths, d.isMain):
		return "main process", !isHelperType(s.process.Argv)
	case slices.ContainsFunc(paths, d.isHost):
		return "extension host", true
	case s.command.Interpreted():
		return "", false
	}
	for _, program := range s.programs {
		if matchesAny(d.Helpers, program.name) && strings.Contains(strings.ToLower(program.path), strings.ToLower(d.Bundle)) {
			return "helper", true
		}
		if slices.Contains(d.Programs, program.name) && path.Base(program.path) == program.name {
			return "program", !isHelperType(s.process.Argv)
		}
	}
	return "", false
}

// isMain recognises the main process on macOS, by the path of its program.
func (d *Desktop) isMain(file string) bool {
	main := d.Main
	if main == "" {
		main = d.Bundle
	}
	return strings.Contains(file, ".app/") && strings.HasSuffix(file, "/"+d.Bundle+".app/Contents/MacOS/"+main)
}

// isHost recognises the helpers that start servers, by their titles: "Cursor Helper
// (Plugin): extension-host …", "Cursor Helper: mcp-process".
func (d *Desktop) isHost(title string) bool {
	if !strings.Contains(title, " Helper") {
		return false
	}
	name := title[strings.LastIndex(title, "/")+1:]
	helper, ok := strings.CutPrefix(name, strings.TrimPrefix(d.Bundle, "Visual Studio ")+" Helper")
	return ok && (strings.HasPrefix(helper, " (Plugin)") || strings.HasPrefix(helper, ": mcp-process") || strings.HasPrefix(helper, ": extension-host"))
}

// remoteServers are the scripts of an editor's server on a remote host.
var remoteServers = cmdline.WordsOf("server-main server code-server cursor-server windsurf-server")

// isRemote recognises an editor's server and extension host on the remote host.
func (d *Desktop) isRemote(s sighting) bool {
	if !s.command.Script || !containsAny(cmdline.Slashed(s.command.Argv[0]), d.Folders) {
		return false
	}
	stem := cmdline.FileStem(s.command.Argv[0])
	return remoteServers[stem] || stem == "bootstrap-fork" && flagValue(s.args(), "--type") == "extensionHost"
}

// isFork recognises the other processes that an editor's server forks: agentHost, ptyHost,
// fileWatcher.
func (d *Desktop) isFork(s sighting) bool {
	return s.command.Script && cmdline.FileStem(s.command.Argv[0]) == "bootstrap-fork" && containsAny(cmdline.Slashed(s.command.Argv[0]), d.Folders)
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
