package cmdline

import "strings"

var (
	posixShells  = WordsOf("sh bash zsh dash ash ksh mksh fish")
	otherShells  = WordsOf("cmd pwsh powershell su")
	powerShells  = WordsOf("pwsh powershell")
	shellValues  = WordsOf("-o +o -O --rcfile --init-file -ExecutionPolicy")
	manyPrograms = WordsOf("busybox toybox") // their executable says nothing of what runs
)

// IsShell reports a program that runs a line behind -c or /c.
func IsShell(name string) bool { return posixShells[name] || otherShells[name] }

// RunsLine reports a shell that was given a line behind -c.
func RunsLine(argv []string) bool {
	if len(argv) < 2 || !IsShell(ProgramName(argv[0])) {
		return false
	}
	_, isLine, _ := shellArguments(ProgramName(argv[0]), argv[1:])
	return isLine
}

// shellArguments finds the line (-c) or the file among a shell's arguments. rest is
// what follows the line ($0, $1 …), or the file with its arguments.
func shellArguments(name string, args []string) (line string, isLine bool, rest []string) {
	if name == "cmd" {
		return cmdArguments(args)
	}
	inLine := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case isCommandFlag(name, arg):
			inLine = true
		case strings.EqualFold(arg, "-file"):
			return "", false, args[i+1:]
		case shellValues[arg]:
			i++
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+"):
		case inLine:
			return arg, true, args[i+1:]
		case name == "su": // the user, before -c
		default:
			return "", false, args[i:]
		}
	}
	return "", false, nil
}

// isCommandFlag recognises -c, alone or among others (-lc, -exc).
func isCommandFlag(shell, arg string) bool {
	if powerShells[shell] {
		return strings.EqualFold(arg, "-c") || strings.EqualFold(arg, "-command")
	}
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "c") || arg == "--command"
}

// cmdArguments reads `cmd /d /s /c npx …`: the command is all that follows /c.
func cmdArguments(args []string) (line string, isLine bool, rest []string) {
	for i, arg := range args {
		if !strings.EqualFold(arg, "/c") && !strings.EqualFold(arg, "/k") {
			continue
		}
		rest = args[i+1:]
		if len(rest) == 1 {
			return rest[0], true, nil
		}
		return "", false, rest
	}
	return "", false, nil
}

// inserted puts the shell's own arguments into a line's program: for `exec "$0" "$@"`
// they are all that is known. If another variable names the program, there is none.
func inserted(words, args []string) []string {
	var found []string
	for _, word := range words {
		switch at := position(word); {
		case word == "$@" || word == "$*":
			found = append(found, args[min(1, len(args)):]...)
		case at >= 0 && at < len(args):
			found = append(found, args[at])
		default:
			found = append(found, word)
		}
	}
	if len(found) > 0 && strings.HasPrefix(found[0], "$") {
		return nil
	}
	return found
}

// position is the argument that a word such as $1 stands for; -1 is none.
func position(word string) int {
	if len(word) != 2 || word[0] != '$' || word[1] < '0' || word[1] > '9' {
		return -1
	}
	return int(word[1] - '0')
}
