package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Snapshot is a copy of a snapshot without secrets, to be saved or sent.
func Snapshot(s *inventory.Snapshot) *inventory.Snapshot {
	clean := *s
	if s.Sources != nil {
		clean.Sources = Sources(s.Sources)
	}
	clean.Processes = slices.Clone(s.Processes)
	for i := range clean.Processes {
		p := &clean.Processes[i]
		p.Argv, p.ArgvHash = argvOf(p)
		p.Env = environment(p.Env)
		p.Cwd, p.Exe, p.ConfiguredIn = Text(p.Cwd), Text(p.Exe), Text(p.ConfiguredIn)
		p.Configured = Name(p.Configured)
	}
	clean.Containers = slices.Clone(s.Containers)
	for i := range clean.Containers {
		c := &clean.Containers[i]
		c.Command = Args(c.Command)
		c.Name = Name(c.Name)
		c.Labels = labels(c.Labels)
		c.Engine = Text(c.Engine)
	}
	return &clean
}

// Sources is a copy of the sources without secrets; never nil.
func Sources(sources []inventory.Source) []inventory.Source {
	clean := append([]inventory.Source{}, sources...)
	for i := range clean {
		clean[i].Endpoint, clean[i].Reason = Text(clean[i].Endpoint), Text(clean[i].Reason)
	}
	return clean
}

// argvOf is a process's command line without secrets. If it is cut, hash tells it
// from others with the same beginning.
func argvOf(p *inventory.Process) (argv []string, hash string) {
	if p.ArgvHash == "" && !fits(p.Argv, maxBytes) {
		sum := sha256.Sum256([]byte(strings.Join(p.Argv, "\x00")))
		return Args(p.Argv), hex.EncodeToString(sum[:])
	}
	return Args(p.Argv), p.ArgvHash
}

// environment masks every variable but the markers (who started a process, what is
// wanted of it) with a value in their plain form.
func environment(env map[string]string) map[string]string {
	clean := maps.Clone(env)
	for name, value := range clean {
		if value != "" && !isMarker(name, value) {
			clean[name] = Mask
		}
	}
	return clean
}

// isMarker reports a marker whose value has the form that markers have.
func isMarker(name, value string) bool {
	if !slices.Contains(inventory.Markers(), name) && !strings.HasPrefix(name, "REAPERD_") {
		return false
	}
	return plainWord().MatchString(value)
}

// plainWord is a number, a yes or no, a moment, or the identity of a process with
// its boot: PID:START:BOOT:NAMESPACE.
var plainWord = lazily(`^(?i:[0-9]{1,20}|true|false|yes|no|on|off|[0-9]+:[0-9]+(?::[0-9a-f\-]{36})?(?::[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+\-][0-9:]+))$`)

// labels masks the values of labels with a secret's name, and secrets in all others.
func labels(all map[string]string) map[string]string {
	clean := maps.Clone(all)
	for name, value := range clean {
		switch {
		case strings.HasPrefix(name, "reaperd."):
			if value != "" && !plainWord().MatchString(value) {
				clean[name] = Mask
			}
		case isSecretName(name):
			clean[name] = secretValue(name, value)
		default:
			clean[name] = Name(Text(value))
		}
	}
	return clean
}
