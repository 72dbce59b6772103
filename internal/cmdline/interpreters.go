package cmdline

import (
	"path"
	"strings"
)

// interpreter is a program that runs a script.
type interpreter struct {
	names    Words
	values   Words  // flags that take a value
	code     Words  // flags whose value is code: no program runs then
	module   string // the flag that takes a module's name
	project  Words  // flags that take the program's folder
	subs     Words  // subcommands that the script follows
	others   Words  // subcommands that run no program
	packages bool   // runs packages (`bun x`) and tasks (`bun start`) as well
	classes  bool   // runs a class by name unless -jar is given
}

// interpreters, read from their own --help: Node 24, tsx 4, bun 1.3, deno 2.5, Python
// 3.14, PHP 8.4, Ruby 3.4, Java 25, .NET 10. A version at the end of a name does not
// count as part of it.
var interpreters = index([]interpreter{
	{names: WordsOf("node nodejs electron"), code: WordsOf("-e --eval -p --print -pe --run --test -c --check -i --interactive"), subs: WordsOf("inspect debug"),
		values: WordsOf("-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --title --icu-data-dir " +
			"--openssl-config --input-type --watch-path --unhandled-rejections --dns-result-order --trace-event-categories --inspect-port " +
			"--cpu-prof-dir --diagnostic-dir --redirect-warnings --disable-warning --stack-trace-limit --secure-heap --max-http-header-size")},
	{names: WordsOf("tsx ts-node ts-node-esm"), code: WordsOf("-e --eval -p --print"), subs: WordsOf("watch"),
		values: WordsOf("-r --require --import --loader -P --project --tsconfig -C --conditions -O --compiler-options --env-file")},
	{names: WordsOf("bun"), code: WordsOf("-e --eval -p --print"), subs: WordsOf("run"), packages: true,
		others: WordsOf("test install add remove i a rm build update link unlink pm create init upgrade publish outdated patch audit why repl"),
		values: WordsOf("--cwd -r --preload --require -c --config --env-file --shell --define -d --filter --port --conditions --import")},
	{names: WordsOf("deno"), subs: WordsOf("run serve"),
		others: WordsOf("test task install add remove cache check compile doc fmt info lint repl upgrade eval bench bundle coverage types init publish jupyter lsp"),
		values: WordsOf("-c --config --import-map --cert --location --log-level -L --ext --env-file --preload")},
	{names: WordsOf("python pythonw pypy"), code: WordsOf("-c"), module: "-m", values: WordsOf("-X -W --check-hash-based-pycs")},
	{names: WordsOf("php"), code: WordsOf("-r -B -R -S -a"), values: WordsOf("-c -d -z -t")},
	{names: WordsOf("ruby perl lua luajit rscript"), code: WordsOf("-e -E"), values: WordsOf("-I -r -l")},
	{names: WordsOf("osascript"), code: WordsOf("-e"), values: WordsOf("-l -s")},
	{names: WordsOf("java"), classes: true,
		values: WordsOf("-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads --upgrade-module-path")},
	{names: WordsOf("dotnet"), subs: WordsOf("exec run"), project: WordsOf("--project"),
		others: WordsOf("build test publish restore clean pack new add remove list watch tool nuget sln format msbuild vstest store help workload"),
		values: WordsOf("--project -c --configuration -f --framework --additionalprobingpath --fx-version --roll-forward --runtimeconfig --depsfile")},
}, func(in interpreter) Words { return in.names })

func interpreterOf(name string) *interpreter {
	if in := interpreters[name]; in != nil {
		return in
	}
	return interpreters[strings.TrimRight(name, "0123456789.")]
}

// IsInterpreter reports a program that runs a script. Shells are not among them.
func IsInterpreter(name string) bool { return interpreterOf(name) != nil }

// reading is the state of reading an interpreter's arguments.
type reading struct {
	*interpreter
	found   Command
	stopped bool // it runs code from its arguments
}

// program finds the program that the interpreter runs. It returns false if it runs
// code from its arguments, or nothing that is a program.
func (in *interpreter) program(args []string) (Command, bool) {
	r := reading{interpreter: in, found: Command{Script: true}}
	args = r.flags(args)
	if len(args) > 0 && !r.found.Module && in.subs[args[0]] {
		args = r.flags(args[1:])
	}
	switch {
	case r.stopped || len(args) == 0 && len(r.found.Argv) == 0:
		return Command{}, false
	case r.found.Module:
		return r.found, len(r.found.Argv) > 0
	case len(r.found.Argv) > 0: // dotnet run --project
		r.found.Argv = append(r.found.Argv, args...)
		return r.found, true
	}
	return r.file(args)
}

func (r *reading) note(flag, value string) {
	switch {
	case r.code[flag]:
		r.stopped = true
	case flag == "--cwd":
		r.found.Dir = value
	case r.project[flag]:
		r.found.Argv = []string{value}
	}
}

// flags reads flags, and the module if one is named. All arguments behind a module
// are the module's.
func (r *reading) flags(args []string) []string {
	if at := r.moduleAt(args); at >= 0 {
		SkipFlags(args[:at], r.values, r.note)
		r.found.Argv = args[at+1:]
		if name := args[at][len(r.module):]; name != "" {
			r.found.Argv = append([]string{name}, args[at+1:]...)
		}
		r.found.Module, r.found.Script = true, false
		return args[at+1:]
	}
	if r.classes {
		return r.class(args)
	}
	return SkipFlags(args, r.values, r.note)
}

// moduleAt is the index of the flag for a module; -1 if there is none.
func (r *reading) moduleAt(args []string) int {
	if r.module == "" {
		return -1
	}
	for i, arg := range args {
		if strings.HasPrefix(arg, r.module) && !strings.HasPrefix(arg, "--") {
			return i
		}
		if !strings.HasPrefix(arg, "-") && (i == 0 || !r.values[args[i-1]]) {
			break
		}
	}
	return -1
}

// class reads java's flags: -jar FILE, or the name of a class.
func (r *reading) class(args []string) []string {
	isJar := false
	rest := SkipFlags(args, r.values, func(flag, _ string) { isJar = isJar || flag == "-jar" })
	if !isJar && len(rest) > 0 {
		r.found.Argv, r.found.Module, r.found.Script = rest, true, false
	}
	return rest
}

// file takes the first argument as the script.
func (r *reading) file(args []string) (Command, bool) {
	first := args[0]
	switch {
	case r.others[first] || first == "-":
		return Command{}, false
	case strings.Trim(first, "0123456789") == "" && len(args) > 1: // the value of an engine's flag
		return r.file(args[1:])
	case r.packages && first == "x":
		return r.found, r.found.launched(launch{name: "bunx", run: bunx}, args[1:])
	case strings.HasPrefix(first, "npm:") || strings.HasPrefix(first, "jsr:"):
		spec := first[len("npm:"):]
		return Command{Wrapped: true, Package: spec, Argv: append([]string{packageBin(spec)}, args[1:]...)}, true
	case r.packages && path.Ext(first) == "" && !strings.ContainsAny(first, `/\`):
		return Command{Wrapped: true, Task: true}, true
	}
	r.found.Argv = args
	return r.found, true
}
