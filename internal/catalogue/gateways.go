package catalogue

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// gateway recognises gateways and the launchers in front of them.
func gateway(s sighting) (inventory.Class, bool) {
	if s.isDockerGateway() {
		return inventory.Class{Role: inventory.RoleGateway, Name: "docker-mcp-gateway", Why: "docker mcp gateway run"}, true
	}
	for i := range gateways {
		if gateways[i].is(s) {
			return inventory.Class{Role: inventory.RoleGateway, Name: gateways[i].Name, Why: "program " + gateways[i].Name + ", a gateway"}, true
		}
	}
	return inventory.Class{}, false
}

func (g *Gateway) is(s sighting) bool {
	named := slices.Contains(g.Programs, s.called) || slices.ContainsFunc(g.Programs, s.is)
	if !named || slices.ContainsFunc(s.args(), isQuestion) {
		return false
	}
	return g.When == nil || anyFits(g.When, s.args(), cmdline.WordsOf(g.Values))
}

func isQuestion(arg string) bool { return questions[arg] }

// isDockerGateway recognises Docker's MCP gateway, its plugin, and the launchers
// before them.
func (s sighting) isDockerGateway() bool {
	words := s.args()
	if line, ok := cmdline.ReadContainer(s.command.Argv); ok {
		if line.Command != "mcp" {
			return false
		}
		words = line.Args
	} else if !s.is("docker-mcp") {
		return false
	}
	words = commands(words)
	if len(words) > 0 && words[0] == "mcp" {
		words = words[1:]
	}
	return len(words) > 1 && words[0] == "gateway" && words[1] == "run"
}

// is reports that argv or the executable gives the program that name.
func (s sighting) is(name string) bool {
	return slices.ContainsFunc(s.programs, func(p program) bool { return p.name == name })
}

// commands are the arguments that are no flags.
func commands(args []string) []string {
	var words []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	return words
}
