package policy

import (
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// Glossary explains each finding, with the words that screens have for some, and the kinds of
// things that have one.
func Glossary() string {
	text := "What is wrong with a thing, as policies.yaml and -o json call it:\n"
	shown := map[graph.Finding]string{graph.FindingExited: "left behind", graph.FindingDuplicate: "an older copy", graph.FindingZombies: "failing", graph.FindingRespawning: "failing"}
	for _, f := range Findings() {
		text += "\n  " + human.Left(f.String(), 14) + Meaning(f)
		if shown[f] != "" {
			text += "\n" + human.Left("", 16) + "(on screens: " + shown[f] + ")"
		}
	}
	return text + "\n" + `
What is orphaned is nobody's, and leaked on screens; the others have an owner that lives, or
may have one. "Unclear" on screens is a thing with nothing wrong (none) of which nothing proves
whose it is. What becomes of each is the policy's: reaperd policy show.

Kinds of things:

  session       an agent's client that runs: claude-code, codex, ...
  server        an MCP server with all its processes; a docker run is one too
  container     an MCP server's container
  gateway       a server that starts others, such as docker mcp gateway`
}
