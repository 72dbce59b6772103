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

// shellArguments finds the command line (-c) or the file among a shell's
// arguments.
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
			return arg, true, nil
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

// cmdArguments reads `cmd /d /s /c npx …`, whose command is what follows.
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
