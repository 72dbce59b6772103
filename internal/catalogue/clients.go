package catalogue

import (
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// client recognises sessions, and the forms in which a client's program is a server
// or gateway.
func (c *Catalogue) client(s sighting) (inventory.Class, bool) {
	if s.command.Wrapped || s.isRelay() {
		return inventory.Class{}, false
	}
	for i := range clients {
		if client := &clients[i]; client.is(s) {
			return client.class(s), true
		}
	}
	return inventory.Class{}, false
}

func (c *Client) class(s sighting) inventory.Class {
	values := cmdline.WordsOf(c.Values)
	for _, serve := range c.Serves {
		if last, ok := serve.fits(s.args(), values); ok {
			name := strings.ReplaceAll(serve.Name, "*", last)
			return inventory.Class{Role: serve.Role, Name: name, Why: c.Name + " serves as " + name}
		}
	}
	daemon := anyFits(c.Daemons, s.args(), values)
	return inventory.Class{
		Role: inventory.RoleSession, Name: c.Name, Why: "program of " + c.Name, Adapts: c.Adapts, NoRestart: c.NoRestart,
		Headless: anyFits(c.Headless, s.args(), values), Part: s.command.Script && c.isPart(s.command.Argv[0]),
		Helper: daemon || anyFits(c.Helpers, s.args(), values) || s.command.Script && endsInAny(s.command.Argv[0], c.HelperScripts), Daemon: daemon,
	}
}

func endsInAny(text string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(text, end) })
}

func (c *Client) isPart(script string) bool {
	return containsAny("/"+cmdline.Slashed(script), c.Parts)
}

func (c *Client) is(s sighting) bool {
	return c.named(s) && (c.When == nil || anyFits(c.When, s.args(), cmdline.WordsOf(c.Values)))
}

func (c *Client) named(s sighting) bool {
	if s.command.Module {
		return false
	}
	if s.command.Script {
		return c.isScript(s.script)
	}
	if matchesAny(c.Titles, s.lower) {
		return true
	}
	return slices.ContainsFunc(s.programs, c.isProgram)
}

func (c *Client) isProgram(p program) bool {
	if containsAny(p.path, c.Except) {
		return false
	}
	return matchesAny(c.Programs, p.name) || len(c.Homes) > 0 && isVersion(p.path) && containsAny(path.Dir(p.path)+"/", c.Homes)
}

// script is a script's file as it is compared with those of the clients.
type script struct {
	rooted string // its path with slashes one way, and one more in front
	stem   string // its name without an ending
	ended  bool   // its name has one
	inBin  bool   // it is in a folder of programs
}

func scriptOf(file string) script {
	file = cmdline.Slashed(file)
	stem, folder := cmdline.FileStem(file), path.Base(path.Dir(file))
	return script{rooted: "/" + file, stem: stem, ended: stem != strings.ToLower(path.Base(file)), inBin: folder == "bin" || folder == ".bin"}
}

// isScript reports a script of the client.
func (c *Client) isScript(s script) bool {
	file := s.rooted[1:]
	if containsAny(file, c.Except) {
		return false
	}
	if slices.Contains(c.Files, file) {
		return true
	}
	for _, part := range c.Scripts {
		if at := strings.LastIndex(s.rooted, part); at >= 0 && !strings.Contains(s.rooted[at+len(part):], "node_modules/") {
			return true
		}
	}
	return matchesAny(c.Programs, s.stem) && (!s.ended || s.inBin) || matchesAny(c.Bins, s.stem) && s.inBin
}

// Resumes are the commands that continue a session in a new one, by client.
func Resumes() map[string]string {
	resumes := map[string]string{}
	for i := range clients {
		if c := &clients[i]; c.Resume != "" {
			resumes[c.Name] = c.Resume
		}
	}
	return resumes
}
