package policy

import (
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Glossary explains each finding, with the words that screens have for some, and the kinds of
// things that have one.
func Glossary() string {
	onScreens := map[graph.Finding]string{
		graph.FindingZombies: "failing", graph.FindingRespawning: "failing", graph.FindingDuplicate: "an older copy", graph.FindingExited: "left behind",
	}
	lines := []string{"What is wrong with a thing, as policies.yaml and -o json call it:", ""}
	for _, f := range []graph.Finding{
		graph.FindingOrphaned, graph.FindingExited, graph.FindingDisconnected, graph.FindingDuplicate, graph.FindingZombies,
		graph.FindingRespawning, graph.FindingIdle, graph.FindingAmbiguous,
	} {
		line := "  " + human.Left(f.String(), 14) + Meaning(f)
		if word := onScreens[f]; word != "" {
			line += "\n" + human.Left("", 16) + "(on screens: " + word + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, `
What is orphaned is nobody's, and leaked on screens; the others have an owner that lives, or
may have one. "Unclear" on screens is a thing with nothing wrong (none) of which nothing proves
whose it is. What becomes of each is the policy's: reaperd policy show.

Kinds of things:

  session       an agent's client that runs: claude-code, codex, ...
  server        an MCP server with all its processes; a docker run is one too
  container     an MCP server's container
  gateway       a server that starts others, such as docker mcp gateway`), "\n")
}
