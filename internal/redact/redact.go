// Package redact takes secrets out of argument vectors, text and snapshots
// before they leave memory: before anything is printed, logged, journalled or
// saved.
//
// It works on what the text says, in three ways, all of them always:
//
//   - by name: the value of a flag, a variable, a header, a URL parameter or a
//     JSON member whose name is a secret's (--api-key X, TOKEN=x,
//     "password": "x"). Names are compared word by word: --keyboard and --monkey
//     hold no key, --key-file and --token-limit name something else.
//   - by place: credentials in a URL, what stands behind Bearer, every value
//     that docker run -e and env are given, for a name says little there.
//   - by shape: tokens whose issuer gave them a prefix (ghp_, sk-, xoxb-, AKIA …)
//     and private keys, wherever they stand.
//
// The mask is three stars; the name in front stays, so that two command lines
// still differ where they did. What identifies a thing is left alone: paths,
// package names, container ids, image digests. Redacting twice is redacting
// once.
package redact

import (
	"path"
	"regexp"
	"strings"
)

// Mask stands where a secret was.
const Mask = "***"

// Args is a copy of an argument vector without its secrets.
func Args(argv []string) []string {
	if argv == nil {
		return nil
	}
	clean := make([]string, len(argv))
	var before string // the flag whose value comes next
	assigns := runsWithEnvironment(argv)
	for i, arg := range argv {
		switch {
		case assigns && isVariable(arg):
			clean[i] = assignment(arg)
		case i == 0: // a program, or a whole line as a title
			clean[i] = Text(arg)
		case before != "" && isValue(arg):
			clean[i] = valueOf(before, arg)
		default:
			clean[i] = argument(arg)
		}
		if i > 0 && assigns && !strings.HasPrefix(arg, "-") && !isVariable(arg) {
			assigns = false // the program: what follows is its own
		}
		before = ""
		if isBareFlag(arg) {
			before = arg
		}
	}
	return clean
}

// argument redacts one argument that no flag stands in front of.
func argument(arg string) string {
	for _, flag := range []string{"--env=", "--build-arg=", "-e="} {
		if value, ok := strings.CutPrefix(arg, flag); ok {
			return flag + assignment(value)
		}
	}
	if value, ok := strings.CutPrefix(arg, "-e"); ok && isVariable(value) {
		return "-e" + assignment(value)
	}
	if name, value, ok := strings.Cut(arg, "="); ok && isName(name) && IsSecretName(name) {
		return name + "=" + secretValue(name, value)
	}
	return Text(arg)
}

// valueOf redacts the value of a flag that stands in front of it.
func valueOf(flag, value string) string {
	name := strings.TrimLeft(flag, "-")
	switch {
	case isEnvFlag(flag):
		return assignment(value)
	case len(name) > 1 && IsSecretName(name):
		return secretValue(name, value)
	case shellFlag.MatchString(flag):
		return Text(value)
	}
	return argument(value)
}

// secretValue masks a value; a file that holds the secret is none.
func secretValue(name, value string) string {
	if value == "" || isPath(value) && !strings.Contains(strings.ToLower(name), "pass") {
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

// runsWithEnvironment recognises programs that are handed variables in front of
// the program they run.
func runsWithEnvironment(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	switch path.Base(argv[0]) {
	case "env", "cross-env", "cross-env-shell", "sudo", "doas":
		return true
	}
	return false
}

// isVariable recognises NAME=value with a name as variables have it.
func isVariable(arg string) bool { return variable.MatchString(arg) }

// isName recognises the name in front of an equals sign: a variable's or a flag's.
func isName(name string) bool { return assignable.MatchString(name) }

// isPath recognises a path by its beginning and its letters; what holds the
// letters of base64 beyond them is none.
func isPath(value string) bool { return filePath.MatchString(value) }

var (
	variable   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	assignable = regexp.MustCompile(`^-{0,2}[A-Za-z_][A-Za-z0-9_.\-]*$`)
	shellFlag  = regexp.MustCompile(`^(?:-[a-z]*c|--call|--command)$`)
	filePath   = regexp.MustCompile(`^(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[A-Za-z0-9_. @\\/\-]*$`)
)
