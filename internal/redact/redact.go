// Package redact takes secrets out of argument vectors, text, names and snapshots
// before they leave memory: before anything is printed, logged, journalled or
// saved. It is the only place that knows what a secret looks like.
//
// It works on what the text says, in four ways, all of them always:
//
//   - by name: the value of a flag, a variable, a header, a URL parameter or a
//     JSON member whose name is a secret's (--api-key X, TOKEN=x,
//     "password": "x"). Names are compared word by word: --keyboard and --monkey
//     hold no key, --key-file and --token-limit name something else.
//   - by place: credentials in a URL, what stands behind Bearer, behind -u NAME: and
//     -p, the path of a webhook, every value that docker run -e and env are given,
//     and every value of an "env" or "headers" object, for a name says little there.
//   - by issuer: tokens that have a prefix (ghp_, sk-, xoxb-, AKIA …) and private
//     keys, wherever they stand.
//   - by looks: an argument that is 64 hexadecimal digits or a long word of mixed
//     letters and digits, unless a container program or a flag for an id has it.
//
// What is written percent-encoded is decoded to be looked at.
//
// The mask is three stars; the name in front stays, so that two command lines
// still differ where they did. What identifies a thing is left alone: paths,
// package names, container ids, image digests. Redacting twice is redacting
// once.
//
// The work does not grow with the text: of an argument vector, and of a text, no
// more than [maxBytes] are read and shown.
//
// gitleaks' detector was weighed as a module beside these rules. Of 13 shapes that
// command lines have it found one, a GitHub token: its rules look for assignments in
// source code and ask for entropy. It takes 16 µs for a short command line and 13 ms
// for 32 KiB, about as long as this package, needs 46 ms at start, and a program with
// nothing else in it has 8.8 MB. So it is not used; its list of issuers' prefixes is
// what ours is compared with.
package redact

import (
	"path"
	"strings"
)

// Mask stands where a secret was.
const Mask = "***"

// maxBytes is how much of an argument vector or a text is read, in bytes. What is
// beyond is left out, which "…" says.
const maxBytes = 8 << 10

const cut = "…"

// Args is a copy of an argument vector without its secrets.
func Args(argv []string) []string { return ArgsWithin(argv, maxBytes) }

// ArgsWithin is [Args] of no more than so many bytes.
func ArgsWithin(argv []string, most int) []string {
	if argv == nil {
		return nil
	}
	argv = bounded(argv, most)
	clean := make([]string, len(argv))
	l := line{assigns: runsWithEnvironment(argv), containers: runsContainers(argv), starts: startsOthers(argv)}
	for i, arg := range argv {
		switch {
		case l.assigns && isVariable(arg):
			clean[i] = assignment(arg)
		case i == 0: // a program, or a whole line as a title
			clean[i] = Text(arg)
		case l.header && !isSwitchedOn(arg):
			clean[i] = headerValue(arg)
		case l.flag != "" && isValue(arg):
			clean[i] = l.valueOf(arg)
		default:
			clean[i] = l.argument(arg)
		}
		l.pass(i, arg)
	}
	return clean
}

func fits(argv []string, most int) bool {
	size := 0
	for _, arg := range argv {
		size += len(arg) + 1
	}
	return size <= most
}

// bounded is as much of an argument vector as is read. An argument is never cut
// in the middle, since half a secret is not known for one.
func bounded(argv []string, most int) []string {
	if fits(argv, most) {
		return argv
	}
	size := 0
	for i, arg := range argv {
		if size += len(arg) + 1; size <= most {
			continue
		}
		if i == 0 { // a title
			return []string{boundedText(arg, most)}
		}
		return append(append([]string{}, argv[:i]...), cut)
	}
	return argv
}

// boundedText is as much of a text as is read, up to the end of a word.
func boundedText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndexAny(s[:most-len(cut)], " \n\t")+1] + cut
}

// line is the state of reading an argument vector from left to right.
type line struct {
	assigns    bool   // variables may stand here
	containers bool   // the program runs containers: long hexadecimal words are ids
	starts     bool   // the program starts others
	flag       string // the flag whose value comes next
	header     bool   // the value of a header with a secret comes next
	positional bool   // an argument that is no flag has been read
}

// pass notes what an argument says of the next one.
func (l *line) pass(i int, arg string) {
	wasValue := l.flag != "" && !isSwitchFlag(l.flag)
	l.header = opensHeader(arg) || l.header && isScheme(arg)
	l.flag = ""
	if isBareFlag(arg) {
		l.flag = arg
	} else if i > 0 && !wasValue {
		l.positional = true
	}
	if i > 0 && l.assigns && !strings.HasPrefix(arg, "-") && !isVariable(arg) {
		l.assigns = false // the program: what follows is its own
	}
}

// isSwitchFlag recognises flags of package runners and containers that take no value.
func isSwitchFlag(flag string) bool {
	switch flag {
	case "-y", "--yes", "-q", "--quiet", "-i", "-t", "-it", "-d", "--rm", "--init", "--isolated":
		return true
	}
	return false
}

// argument redacts one argument that no flag stands in front of.
func (l *line) argument(arg string) string {
	for _, flag := range []string{"--env=", "--build-arg=", "-e="} {
		if value, ok := strings.CutPrefix(arg, flag); ok {
			return flag + assignment(value)
		}
	}
	if value, ok := strings.CutPrefix(arg, "-e"); ok && isVariable(value) {
		return "-e" + assignment(value)
	}
	if value, ok := strings.CutPrefix(arg, "-H"); ok && strings.Contains(value, ":") {
		return "-H" + Text(value)
	}
	name, value, ok := strings.Cut(arg, "=")
	switch {
	case ok && isName(name) && isSecretName(name):
		return name + "=" + secretValue(name, value)
	case ok && strings.HasPrefix(name, "-") && isName(name):
		named := *l
		named.flag = name
		return name + "=" + named.valueOf(value)
	case l.isOpaque(arg):
		return Mask
	}
	return Text(arg)
}

// valueOf redacts the value of the flag that stands in front of it.
func (l *line) valueOf(value string) string {
	name := strings.TrimLeft(l.flag, "-")
	switch {
	case isEnvFlag(l.flag):
		return assignment(value)
	case len(name) > 1 && isSecretName(name):
		return secretValue(name, value)
	case isUserFlag(l.flag) && !l.containers:
		return credentials(value)
	case l.flag == "-p" && !l.isOwnFlag() && looksLikePassword(value):
		return Mask
	case shellFlag().MatchString(l.flag), isIDFlag(name):
		return Text(value)
	}
	behind := *l
	behind.flag = ""
	return behind.argument(value)
}

// isOwnFlag reports a place where -p means a port, a package or a folder: before
// the first argument of a program that starts others.
func (l *line) isOwnFlag() bool { return l.starts && !l.positional }

// secretValue masks a value; a file that holds the secret is none, nor is a
// variable that will.
func secretValue(name, value string) string {
	if value == "" || reference().MatchString(value) || isPath(value) && !strings.Contains(strings.ToLower(name), "pass") {
		return value
	}
	return Mask
}

// assignment masks the value of NAME=value whatever the name is.
func assignment(arg string) string {
	name, value, ok := strings.Cut(arg, "=")
	if !ok || value == "" {
		return arg
	}
	return name + "=" + Mask
}

// isValue tells a flag's value from the next flag.
func isValue(arg string) bool {
	return !strings.HasPrefix(arg, "--") && (len(arg) != 2 || arg[0] != '-')
}

func isEnvFlag(flag string) bool { return flag == "-e" || flag == "--env" || flag == "--build-arg" }

// isBareFlag recognises a flag whose value, if it has one, is the next argument.
func isBareFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && !strings.ContainsAny(arg, "= \t\n")
}

// programOf is the name of the program that runs; empty is none.
func programOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return path.Base(argv[0])
}

// runsContainers recognises programs whose arguments are containers' ids.
func runsContainers(argv []string) bool {
	switch program := programOf(argv); program {
	case "docker", "podman", "podman-remote", "nerdctl", "finch", "ctr", "crictl", "runc", "crun", "conmon", "docker-mcp", "docker-init":
		return true
	default:
		return strings.HasPrefix(program, "containerd-shim")
	}
}

// startsOthers recognises programs whose -p, before what they start, is no password.
func startsOthers(argv []string) bool {
	switch programOf(argv) {
	case "npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno", "uv", "uvx", "python", "python3", "mkdir", "ps", "ssh", "sudo", "git":
		return true
	}
	return runsContainers(argv)
}

// runsWithEnvironment recognises programs that are handed variables in front of
// the program they run.
func runsWithEnvironment(argv []string) bool {
	switch programOf(argv) {
	case "env", "cross-env", "cross-env-shell", "sudo", "doas":
		return true
	}
	return false
}

// isVariable recognises NAME=value with a name as variables have it.
func isVariable(arg string) bool { return variable().MatchString(arg) }

// isName recognises the name in front of an equals sign: a variable's or a flag's.
func isName(name string) bool { return assignable().MatchString(name) }

// isPath recognises a path by its beginning and its letters; what holds the
// letters of base64 beyond them is none.
func isPath(value string) bool { return filePath().MatchString(value) }

var (
	variable   = lazily(`^[A-Za-z_][A-Za-z0-9_]*=`)
	assignable = lazily(`^-{0,2}[A-Za-z_][A-Za-z0-9_.\-]*$`)
	reference  = lazily(`^\$(?:\w+|\{\w+\})$`)
	shellFlag  = lazily(`^(?:-[a-z]*c|--call|--command)$`)
	filePath   = lazily(`^(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[A-Za-z0-9_. @\\/\-]*$`)
)
