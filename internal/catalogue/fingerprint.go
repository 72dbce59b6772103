package catalogue

import (
	"path"
	"strings"
)

// Fingerprint is equal for command lines of the same server: the whole
// argument vector, but for what differs from run to run of one configuration:
// the padding behind a title, the folder of the interpreter or launcher, and the
// hashed folders that npm and uv unpack into. Other arguments make another
// server. It holds the arguments as they are, secrets too: it is for comparing,
// never for showing.
func Fingerprint(args []string) string {
	for len(args) > 0 && strings.TrimSpace(args[len(args)-1]) == "" {
		args = args[:len(args)-1]
	}
	if len(args) == 0 {
		return ""
	}
	parts := make([]string, len(args))
	for i, arg := range args {
		parts[i] = withoutHash(withoutHash(arg, "/_npx/"), "/archive-v0/")
	}
	if name := programName(parts[0]); strings.Contains(parts[0], "/") && (runsOthers(name) || name == "docker" || name == "podman" || name == "nerdctl") {
		parts[0] = path.Base(parts[0])
	}
	return strings.Join(parts, "\x00")
}

// withoutHash takes the folder behind cache out of a path.
func withoutHash(arg, cache string) string {
	before, after, ok := strings.Cut(arg, cache)
	if !ok {
		return arg
	}
	hash, rest, ok := strings.Cut(after, "/")
	if !ok || hash == "" {
		return arg
	}
	return before + cache + rest
}
