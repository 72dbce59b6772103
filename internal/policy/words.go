package policy

import (
	"github.com/reaperd/reaperd/internal/graph"
)

// anyFinding is the word in a file for every finding, none included.
const anyFinding = "any"

// extendsBuiltin is the name of the built-in policy in a file.
const extendsBuiltin = "builtin"

// The words a policy knows, in the order in which a fault lists them.

func modeWords() []string { return []string{string(ModeReport), string(ModeEnforce)} }

func actionWords() []string {
	return []string{string(ActionReport), string(ActionTerminate), string(ActionRemove)}
}

func kindWords() []string {
	return []string{string(graph.KindServer), string(graph.KindGateway), string(graph.KindSession), string(graph.KindContainer)}
}

// Findings are what can be wrong with a thing.
func Findings() []graph.Finding {
	return []graph.Finding{
		graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingRespawning, graph.FindingZombies,
		graph.FindingDuplicate, graph.FindingExited, graph.FindingAmbiguous, graph.FindingIdle,
	}
}

func findingWords() (words []string) {
	for _, f := range Findings() {
		words = append(words, string(f))
	}
	return append(words, graph.FindingNone.String(), anyFinding)
}

// stateWords are the states that Docker and Podman give a container.
func stateWords() []string {
	return []string{
		"created", "running", "paused", "restarting", "removing", "exited", "dead",
		"configured", "initialized", "stopping", "stopped",
	}
}
