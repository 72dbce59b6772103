package redact

import (
	"maps"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Snapshot is a copy of a snapshot without secrets, to be saved or sent. The
// snapshot itself stays as it is.
func Snapshot(s *inventory.Snapshot) *inventory.Snapshot {
	clean := *s
	clean.Sources = slices.Clone(s.Sources)
	for i := range clean.Sources {
		clean.Sources[i].Endpoint = Text(clean.Sources[i].Endpoint)
		clean.Sources[i].Reason = Text(clean.Sources[i].Reason)
	}
	clean.Processes = slices.Clone(s.Processes)
	for i := range clean.Processes {
		p := &clean.Processes[i]
		p.Argv = Args(p.Argv)
		p.Env = environment(p.Env)
	}
	clean.Containers = slices.Clone(s.Containers)
	for i := range clean.Containers {
		c := &clean.Containers[i]
		c.Command = Args(c.Command)
		c.Labels = labels(c.Labels)
		c.Engine = Text(c.Engine)
	}
	return &clean
}

// environment masks the value of every variable that is no marker.
func environment(env map[string]string) map[string]string {
	clean := maps.Clone(env)
	for name, value := range clean {
		if value != "" && !isMarker(name) {
			clean[name] = Mask
		}
	}
	return clean
}

// isMarker recognises the variables whose values say who started a process, or
// what is wanted of it. None is a secret.
func isMarker(name string) bool {
	switch name {
	case "OPENCODE_PID", "OPENCODE", "AGENT", "GEMINI_CLI", "CLAUDECODE", "CODEX_MANAGED_BY_NPM", "OPENCLAW_SERVICE_MARKER", "TOOLHIVE_DETACHED":
		return true
	}
	return strings.HasPrefix(name, "REAPERD_")
}

// labels masks the values of labels with a secret's name, and secrets in the
// others.
func labels(all map[string]string) map[string]string {
	clean := maps.Clone(all)
	for name, value := range clean {
		switch {
		case strings.HasPrefix(name, "reaperd."):
		case IsSecretName(name):
			clean[name] = secretValue(name, value)
		default:
			clean[name] = Text(value)
		}
	}
	return clean
}
