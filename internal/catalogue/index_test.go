package catalogue

import (
	"path"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TestTheIndexLeavesNobodyOut calls a process by every name that an entry has, in the
// places where a name may stand, and compares what the index says with what the
// entries say.
func TestTheIndexLeavesNobodyOut(t *testing.T) {
	found := map[string]int{}
	for _, name := range everyName() {
		for _, p := range calledBy(name) {
			s := look(p)
			for i := range clients {
				if clients[i].named(s) {
					found["client"]++
					if !s.mayBeClient() {
						t.Errorf("%q, executable %q: no client for the index, %s for its entry", p.Argv, p.Exe, clients[i].Name)
					}
				}
				for d := range clients[i].Desktop {
					if _, is := clients[i].Desktop[d].is(s); is {
						found["desktop"]++
						if !s.mayBeDesktop() {
							t.Errorf("%q, executable %q: not on the desktop for the index, %s for its entry", p.Argv, p.Exe, clients[i].Name)
						}
					}
				}
			}
			for i := range gateways {
				if gateways[i].is(s) {
					found["gateway"]++
					if !s.mayBeGateway() {
						t.Errorf("%q, executable %q: no gateway for the index, %s for its entry", p.Argv, p.Exe, gateways[i].Name)
					}
				}
			}
		}
	}
	for _, kind := range []string{"client", "desktop", "gateway"} {
		if found[kind] < len(gateways) {
			t.Errorf("only %d processes fit an entry of a %s", found[kind], kind)
		}
	}
	if s := look(&inventory.Process{PID: 7, Argv: []string{"/usr/bin/vim", "notes"}, Exe: "/usr/bin/vim.basic"}); s.mayBeClient() || s.mayBeDesktop() || s.mayBeGateway() {
		t.Error("an editor has to be compared with every entry")
	}
}

// everyName returns the names and the paths of all entries, with each wildcard replaced
// by a sample text.
func everyName() []string {
	var all []string
	for i := range clients {
		c := &clients[i]
		all = append(all, c.Programs...)
		all = append(all, c.Bins...)
		all = append(all, c.Titles...)
		all = append(all, c.Files...)
		for _, part := range c.Scripts {
			all = append(all, "/opt"+part+"/x.js")
		}
		for _, home := range c.Homes {
			all = append(all, "/home/dev"+home+"2.1.0")
		}
		for _, d := range c.Desktop {
			all = append(all, d.Programs...)
			for _, helper := range d.Helpers {
				all = append(all, "/opt/"+d.Bundle+"/"+helper)
			}
			for _, folder := range d.Folders {
				all = append(all, "/home/dev/"+folder+"/server-main.js")
			}
			main := d.Main
			if main == "" {
				main = d.Bundle
			}
			all = append(all, "/Applications/"+d.Bundle+".app/Contents/MacOS/"+main, d.Bundle+" Helper (Plugin): extension-host")
		}
	}
	for i := range gateways {
		all = append(all, gateways[i].Programs...)
	}
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "*", "7x")
	}
	return all
}

// calledBy are processes that bear a name as a program, with and without a folder, as
// a title, as an executable under another title, and as a script.
func calledBy(name string) []*inventory.Process {
	file := name
	if !path.IsAbs(file) {
		file = "/opt/node_modules/.bin/" + name
	}
	return []*inventory.Process{
		{PID: 7, Argv: []string{name}},
		{PID: 7, Argv: []string{strings.ToUpper(name), "--flag"}},
		{PID: 7, Argv: []string{file, "serve"}, Exe: file},
		{PID: 7, Argv: []string{"something else"}, Exe: file},
		{PID: 7, Argv: []string{"x"}, Exe: file + " (deleted)"},
		{PID: 7, Argv: []string{"node", file, "--flag"}, Exe: "/usr/bin/node"},
		{PID: 7, Argv: []string{file, "--stdio", "x", "--config", "y", "-f", "z", "start"}, Exe: file},
	}
}
