package history

import (
	"slices"

	"github.com/reaperd/reaperd/internal/done"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// WaysBack says how to get back what the acts of the history have ended. resumes are the
// commands that resume a session in a new one, by client.
func (h *History) WaysBack(resumes map[string]string) []string {
	var reaped []journal.Entry
	for i := range h.Acts {
		if done.Result(h.Acts[i].Result).Reaped() {
			reaped = append(reaped, h.Acts[i].Entry)
		}
	}
	return waysBack(reaped, resumes)
}

// waysBack says how to get back what was ended, each way once: a session by its client's
// command, a server by its session if that lives. Nobody misses what was orphaned.
func waysBack(entries []journal.Entry, resumes map[string]string) []string {
	folders := map[string]string{} // of sessions that were ended, by what entries call them
	for i := range entries {
		if entry := &entries[i]; entry.Kind == string(graph.KindSession) && entry.Cwd != "" {
			folders[journal.Who(entry.Name, entry.TargetID)] = entry.Cwd
		}
	}
	var lines []string
	for i := range entries {
		entry := &entries[i]
		session := entry.With
		if entry.Kind == string(graph.KindSession) {
			session = journal.Who(entry.Name, entry.TargetID)
		}
		line := ""
		switch command := resumes[clientOf(session)]; {
		case command != "":
			line = wayOn(clientOf(session), folders[session], command)
		case entry.With == "" && isMissed(entry.Finding) && clientOf(entry.Owner) == "claude-code":
			line = "To reconnect a server in Claude Code: /mcp"
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// wayOn says how to go on with a session that has ended. folder is empty if it is not known.
func wayOn(client, folder, command string) string {
	if folder == "" {
		return "To go on with a session of " + human.Safe(client) + " that has ended, in its folder: " + human.Safe(command)
	}
	return "To go on with the " + human.Safe(client) + " session that has ended, in " + human.Safe(folder) + ": " + human.Safe(command)
}

// isMissed reports a finding of something that its session had and may want back. It had hung
// up on what was disconnected.
func isMissed(finding string) bool {
	return !slices.Contains([]graph.Finding{graph.FindingOrphaned, graph.FindingExited, graph.FindingDuplicate, graph.FindingDisconnected}, graph.ParseFinding(finding))
}
