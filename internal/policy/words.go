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

func findingWords() []string {
	return []string{
		string(graph.FindingOrphaned), string(graph.FindingDisconnected), string(graph.FindingRespawning),
		string(graph.FindingZombies), string(graph.FindingDuplicate), string(graph.FindingExited),
		string(graph.FindingAmbiguous), string(graph.FindingIdle), graph.FindingNone.String(), anyFinding,
	}
}

// stateWords are the states that Docker and Podman give a container.
func stateWords() []string {
	return []string{
		"created", "running", "paused", "restarting", "removing", "exited", "dead",
		"configured", "initialized", "stopping", "stopped",
	}
}
