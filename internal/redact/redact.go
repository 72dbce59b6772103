// Package redact takes secrets out of arguments, text, names and snapshots before anything is
// printed, logged or saved. No other package knows what a secret looks like:
//
//	by name    the value of a flag, variable or member that is called api-key, token, password
//	by place   credentials in a URL, the word behind Bearer, values of docker run -e
//	by issuer  tokens with a known prefix (ghp_, sk-), private keys
//	by looks   a long word of letters and digits; not ids, paths, digests
//
// Three stars stand for it. Redacting twice changes nothing. At most [maxBytes] are read.
package redact

import (
	"path"
	"slices"
	"strings"
)

// Mask replaces a secret.
const Mask = "***"

// maxBytes is how much of an argument vector or a text is read, in bytes. "…" marks
// that something was cut off.
const maxBytes = 8 << 10

const cut = "…"

// Args is a copy of an argument vector without its secrets.
func Args(argv []string) []string { return ArgsWithin(argv, maxBytes) }

// maxPasses limits how often something is read again, since what one reading masks may show another secret. What
// still changes then is masked as a whole.
const maxPasses = 8

// ArgsWithin is [Args] of no more than so many bytes.
func ArgsWithin(argv []string, most int) []string {
	if argv == nil {
		return nil
	}
	for range maxPasses {
		argv = bounded(argv, most)
		clean := once(argv, pass)
		if slices.Equal(clean, argv) {
			return clean
		}
		argv = clean
	}
	return []string{Mask}
}

// once masks the secrets that one reading of an argument vector finds; text reads the text of one argument.
func once(argv []string, text func(string) string) []string {
	if at := behindExec(argv); at > 0 { // what stands there is a command line of its own
		return slices.Concat(once(argv[:at], text), once(argv[at:], text))
	}
	clean := make([]string, len(argv))
	l := lineOf(argv, text)
	for i, arg := range argv {
		switch {
		case l.assigns && isVariable(arg):
			clean[i] = assignment(arg)
		case l.pair == 2:
			clean[i] = mask(arg)
		case i == 0: // a program, or a whole line as a title
			clean[i] = text(arg)
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

// behindExec is where the command begins that `reaperd exec … --` runs; 0 in any other command line.
func behindExec(argv []string) int {
	at := slices.Index(argv, "--")
	if len(argv) < 3 || path.Base(argv[0]) != "reaperd" || argv[1] != "exec" || at < 2 || at == len(argv)-1 {
		return 0
	}
	return at + 1
}

func fits(argv []string, most int) bool {
	size := 0
	for _, arg := range argv {
		size += len(arg) + 1
	}
	return size <= most
}

// bounded is the part of an argument vector that is read. An argument is never cut in
// the middle: half a secret cannot be recognised.
func bounded(argv []string, most int) []string {
	size := 0
	for i, arg := range argv {
		switch size += len(arg) + 1; {
		case size > most && i == 0: // a title
			return []string{boundedText(arg, most)}
		case size > most:
			return append(slices.Clone(argv[:i]), cut)
		}
	}
	return argv
}

// boundedText is the part of a text that is read, up to the end of a word.
func boundedText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndexAny(s[:most-len(cut)], " \n\t")+1] + cut
}

// line is the state of reading an argument vector from left to right.
type line struct {
	text       func(string) string
	assigns    bool   // variables may stand here
	containers bool   // the program runs containers: long hexadecimal words are ids
	starts     bool   // the program starts others
	lark       bool   // lark-mcp: -s is its app's secret
	proxy      bool   // mcp-proxy has been read: variables and headers are two words, a name and a value
	pair       int    // of such two words the first or the second comes next; 0 is none
	flag       string // the flag whose value comes next
	header     bool   // the value of a header with a secret comes next
	positional bool   // an argument that is no flag has been read
}

// lineOf is the state before the first argument.
func lineOf(argv []string, text func(string) string) line {
	program := path.Base(strings.Join(argv[:min(1, len(argv))], ""))
	containers := in("docker podman podman-remote nerdctl finch ctr crictl runc crun conmon docker-mcp docker-init", program) ||
		strings.HasPrefix(program, "containerd-shim")
	return line{
		text: text, assigns: in("env cross-env cross-env-shell sudo doas", program), containers: containers,
		starts: containers || in("npx npm pnpm yarn bunx bun node deno uv uvx python python3 mkdir ps ssh sudo git", program),
		lark:   slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "lark-mcp") }),
	}
}

// pass notes what an argument says about the next one.
func (l *line) pass(i int, arg string) {
	switch {
	case l.pair == 1 && isName(arg):
		l.pair = 2
	case l.proxy && l.pair != 2 && in("-e --env -H --headers", arg): // "-e", "KEY", "value"
		l.pair = 1
	default:
		l.pair = 0
	}
	l.proxy = l.proxy || isProxy(arg)
	const switches = "-y --yes -q --quiet -i -t -it -d --rm --init --isolated" // of package runners and containers
	wasValue := l.flag != "" && !in(switches, l.flag)
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

// argument redacts an argument that is not the value of a flag.
func (l *line) argument(arg string) string {
	for _, flag := range []string{"--env=", "--build-arg=", "-e=", "env="} {
		if value, ok := strings.CutPrefix(arg, flag); ok && isAssigned(value) {
			return flag + assignment(value)
		}
	}
	if value, ok := strings.CutPrefix(arg, "-e"); ok && isVariable(value) {
		return "-e" + assignment(value)
	}
	if value, ok := strings.CutPrefix(arg, "-H"); ok && strings.Contains(value, ":") {
		return "-H" + l.text(value)
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
	if at := strings.LastIndexByte(arg, ':'); at > 0 && !l.containers && isMixed(arg[at+1:]) { // ACCOUNT:SECRET; else an image with its tag
		return arg[:at+1] + Mask
	}
	return l.text(arg)
}

// valueOf redacts the value of the flag before it.
func (l *line) valueOf(value string) string {
	name := strings.TrimLeft(l.flag, "-")
	switch {
	case isEnvFlag(l.flag) && isAssigned(value):
		return assignment(value)
	case len(name) > 1 && isSecretName(name):
		return secretValue(name, value)
	case isUserFlag(l.flag) && !l.containers:
		return l.text(credentials(value))
	case l.flag == "-s" && l.lark:
		return Mask
	case l.flag == "-p" && !l.isOwnFlag() && looksLikePassword(value):
		return Mask
	case shellFlag().MatchString(l.flag), isIDFlag(name):
		return l.text(value)
	}
	behind := *l
	behind.flag = ""
	return behind.argument(structured(value, name))
}

// isProxy reports the program mcp-proxy, as a package with its version, a module or an image too: what
// stands behind it is its own.
func isProxy(arg string) bool {
	name, _, _ := strings.Cut(strings.ReplaceAll(path.Base(arg), "_", "-"), ":")
	return strings.HasPrefix(name, "mcp-proxy")
}

// isOwnFlag reports a place where -p means a port, a package or a folder: before the
// first argument of a program that starts another.
func (l *line) isOwnFlag() bool { return l.starts && !l.positional }

// secretValue masks a value, unless it is a file that holds the secret or a variable
// that stands for it.
func secretValue(name, value string) string {
	switch {
	case value == "", reference().MatchString(value):
		return value
	case isPath(value) && !strings.Contains(strings.ToLower(name), "pass"):
		return Text(value) // a path may have a token in it
	}
	return Mask
}

// assignment masks the value of NAME=value, whatever the name.
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

func isEnvFlag(flag string) bool { return in("-e --env --build-arg", flag) }

// isBareFlag reports a flag whose value, if it has one, is the next argument.
func isBareFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && !strings.ContainsAny(arg, "= \t\n")
}

// isAssigned reports NAME=value behind a flag for variables, whatever the name; a table holds its own.
func isAssigned(value string) bool {
	return strings.Contains(value, "=") && !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[")
}

// isVariable reports NAME=value with a variable's name.
func isVariable(arg string) bool { return variable().MatchString(arg) }

// isName reports the name before an equals sign: a variable's or a flag's.
func isName(name string) bool { return assignable().MatchString(name) }

// isPath reports a path, by its beginning and its characters. A word with other
// characters of base64 is none.
func isPath(value string) bool { return filePath().MatchString(value) }

var (
	variable   = lazily(`^[A-Za-z_][A-Za-z0-9_]*=`)
	assignable = lazily(`^-{0,2}[A-Za-z_][A-Za-z0-9_.\-]*$`)
	reference  = lazily(`^\$(?:\w+|\{\w+\})$`)
	shellFlag  = lazily(`^(?:-[a-z]*c|--call|--command)$`)
	filePath   = lazily(`^(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[A-Za-z0-9_. @\\/\-]*$`)
)
