package scan

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// splitArgv splits what /proc/PID/cmdline holds. Empty arguments are kept,
// trailing ones too; no bytes at all is an empty vector, not an unknown one. A
// program that wrote its own title may leave the last NUL out.
func splitArgv(data []byte) []string {
	if len(data) == 0 {
		return []string{}
	}
	text := strings.TrimSuffix(string(data), "\x00")
	argv := make([]string, 0, strings.Count(text, "\x00")+1)
	for {
		argument, rest, more := strings.Cut(text, "\x00")
		argv = append(argv, argument)
		if !more {
			return argv
		}
		text = rest
	}
}

// markersIn picks the allow-listed names out of an environment as
// /proc/PID/environ holds it. The first of a name counts, as getenv has it.
func markersIn(environ []byte) map[string]string {
	found := map[string]string{}
	names := Markers()
	for len(environ) > 0 {
		var entry []byte
		entry, environ, _ = bytes.Cut(environ, []byte{0})
		name, value, ok := bytes.Cut(entry, []byte{'='})
		if !ok || !slices.Contains(names, string(name)) {
			continue
		}
		if _, seen := found[string(name)]; !seen {
			found[string(name)] = string(value)
		}
	}
	return found
}

// cidfileArgument returns the path that a container client was told to write
// its container's id to; empty is none.
func cidfileArgument(argv []string) string {
	if len(argv) == 0 || !slices.Contains([]string{"docker", "podman", "nerdctl"}, path.Base(argv[0])) {
		return ""
	}
	for i, argument := range argv[1:] {
		if value, ok := strings.CutPrefix(argument, "--cidfile="); ok {
			return value
		}
		if argument == "--cidfile" && i+2 < len(argv) {
			return argv[i+2]
		}
	}
	return ""
}

// isFullID reports whether s is a container's full id: 64 lower case hex digits.
func isFullID(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}
