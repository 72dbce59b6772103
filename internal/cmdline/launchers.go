package cmdline

import "strings"

// launcher runs a program by the name of its package, or a task of a project.
type launcher struct {
	names Words
	flags flagTable // in front of the subcommand
	runs  []run     // the first that fits counts
}

// run is one way to use a launcher.
type run struct {
	subs  string // subcommands, of one or two words: "exec, x"; empty: none is needed
	what  target
	flags flagTable
	from  Words // flags that name the package the program comes from
	line  Words // flags whose value is a shell line
}

// target is the kind of thing that a launcher is given to run.
type target uint8

const (
	aPackage target = iota // a package's own program, or with a from flag the program of that package
	aProgram               // a program by name
	aTask                  // a task of the project, which says nothing of the program
	aFile                  // a Python file, a program or, behind -m, a module: uv run
	aSource                // the path of a package of Go
	aTarget                // the program that a flag names: cargo run --bin NAME
)

var (
	npmFlags  = flagTable{switches: npmSwitches}
	pnpmFlags = flagTable{values: WordsOf("-C --dir -F --filter --package --reporter --registry --config --cwd")}
	uvFlags   = flagTable{values: WordsOf("--directory --project --with --with-editable --with-requirements -p --python --index --index-url -i " +
		"--extra-index-url --default-index -f --find-links --cache-dir --config-file --color --extra --group --only-group --no-group --no-extra " +
		"--env-file --refresh-package -P --upgrade-package --reinstall-package --resolution --prerelease --exclude-newer --link-mode -c " +
		"--constraints --overrides --keyring-provider --allow-insecure-host -C --config-setting --package --index-strategy --python-platform " +
		"--build-constraints")}
	uvRunFlags  = flagTable{values: union(uvFlags.values, WordsOf("-m --module"))}
	pipxFlags   = flagTable{values: WordsOf("--python --index-url -i --pip-args --fetch-missing-python")}
	goFlags     = flagTable{values: WordsOf("-C -exec -tags -ldflags -gcflags -mod -modfile -p -o -overlay")}
	cargoFlags  = flagTable{values: WordsOf("--bin -p --package --manifest-path --example --features -F --profile --target --target-dir -j --color")}
	dnxFlags    = flagTable{values: WordsOf("--version --source --configfile --add-source")}
	fromPackage = WordsOf("-p --package")
	npmTasks    = "run, run-script, start, restart"
)

// bunx is also the row of `bun x`.
var bunx = run{what: aPackage, flags: pnpmFlags, from: fromPackage}

// launchers, read from their own --help: npm 11, pnpm 10, yarn 4, bun 1.3, uv 0.9,
// pipx 1.8, go 1.26, cargo 1.90, .NET 10, make 4.4, just 1.43.
var launchers = index([]launcher{
	{names: WordsOf("npm npm-cli npm-cli.js"), flags: npmFlags, runs: []run{
		{subs: "exec, x", what: aPackage, flags: npmFlags, from: fromPackage, line: WordsOf("-c --call")},
		{subs: npmTasks, what: aTask},
	}},
	{names: WordsOf("npx npx-cli npx-cli.js"), runs: []run{{what: aPackage, flags: npmFlags, from: fromPackage, line: WordsOf("-c --call")}}},
	{names: WordsOf("pnpm yarn"), flags: pnpmFlags, runs: []run{
		{subs: "dlx", what: aPackage, flags: pnpmFlags, from: fromPackage},
		{subs: "exec", what: aProgram, flags: pnpmFlags},
		{subs: npmTasks, what: aTask},
	}},
	{names: WordsOf("pnpx bunx"), runs: []run{bunx}},
	{names: WordsOf("uvx"), runs: []run{{what: aPackage, flags: uvFlags, from: WordsOf("--from")}}},
	{names: WordsOf("uv"), flags: uvFlags, runs: []run{
		{subs: "tool run, tool uvx", what: aPackage, flags: uvFlags, from: WordsOf("--from")},
		{subs: "run", what: aFile, flags: uvRunFlags},
	}},
	{names: WordsOf("pipx"), runs: []run{{subs: "run", what: aPackage, flags: pipxFlags, from: WordsOf("--spec")}}},
	{names: WordsOf("dnx"), runs: []run{{what: aPackage, flags: dnxFlags}}},
	{names: WordsOf("go"), runs: []run{{subs: "run", what: aSource, flags: goFlags}}},
	{names: WordsOf("cargo"), runs: []run{{subs: "run, r", what: aTarget, flags: cargoFlags, from: WordsOf("--bin -p --package --example")}}},
	{names: WordsOf("make gmake just"), runs: []run{{what: aTask}}},
}, func(l launcher) Words { return l.names })

// npmSwitches are npm's options without a value. An option that npm does not know
// takes one. Source: npm 11, @npmcli/config.
var npmSwitches = WordsOf("y yes n no q quiet s silent d dd ddd verbose a all D dev save-dev E save-exact f force g global local h H ? help usage " +
	"v version l long json parseable porcelain offline prefer-offline prefer-online prefer-dedupe production progress timing if-present " +
	"ignore-scripts foreground-scripts include-workspace-root iwr ws workspaces audit fund color unicode dry-run engine-strict strict-ssl " +
	"update-notifier package-lock legacy-peer-deps strict-peer-deps ignore-existing always-spawn shell-auto-fallback")

func union(sets ...Words) Words {
	all := Words{}
	for _, set := range sets {
		for word := range set {
			all[word] = true
		}
	}
	return all
}

// isLauncher reports a program that runs packages or tasks by name.
func isLauncher(name string) bool { return launchers[name] != nil }

// launch reads a launcher's arguments. It returns false if the launcher starts
// nothing that stays (`npm install`, `uv sync`, `go test`).
func (c *Command) launch(name string, l *launcher, args []string) bool {
	var inner Command
	behind := skip(args, l.flags, inner.noteFolder)
	for _, r := range l.runs {
		if r.subs == "" {
			return c.launched(launch{name: name, run: r}, args)
		}
		if rest, ok := r.behindSubcommand(behind); ok {
			return c.launched(launch{name: name, run: r, inner: inner}, rest)
		}
	}
	return false
}

func (r *run) behindSubcommand(args []string) ([]string, bool) {
	for sub := range strings.SplitSeq(r.subs, ", ") {
		first, second, two := strings.Cut(sub, " ")
		switch {
		case len(args) == 0 || args[0] != first:
		case !two:
			return args[1:], true
		case len(args) > 1 && args[1] == second:
			return args[2:], true
		}
	}
	return nil, false
}

// launch is the state of reading a launcher's arguments.
type launch struct {
	name  string
	run   run
	inner Command
	line  string // a shell line to run instead
	named string // a module, or a program that a flag names
}

func (c *Command) launched(l launch, args []string) bool {
	flags := l.run.flags
	flags.values = union(flags.values, l.run.from, l.run.line)
	rest := skip(args, flags, l.note)
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if l.line != "" {
		return c.below(l.name, Command{Argv: lineProgram(l.line)})
	}
	l.take(rest)
	return c.below(l.name, l.inner)
}

func (l *launch) note(flag, value string) {
	switch {
	case l.run.line[flag]:
		l.line = value
	case l.run.from[flag] && l.run.what == aPackage:
		l.inner.Source = value
	case l.run.from[flag] || l.run.what == aFile && (flag == "-m" || flag == "--module"):
		l.named = value
	}
	l.inner.noteFolder(flag, value)
}

// noteFolder notes the folder in which the launcher looks for a relative program.
func (c *Command) noteFolder(flag, value string) {
	if flag == "--directory" || flag == "--project" || flag == "--prefix" {
		c.Dir = value
	}
}

// take sets the inner program to the words that follow the flags.
func (l *launch) take(rest []string) {
	inner := &l.inner
	switch l.run.what {
	case aTask:
		inner.Task = true
	case aPackage:
		l.takePackage(rest)
	case aProgram:
		inner.Argv = rest
	case aFile:
		l.takeFile(rest)
	case aSource:
		if len(rest) > 0 {
			inner.Argv = append([]string{packageBin(rest[0])}, rest[1:]...)
		}
	case aTarget:
		if inner.Task = l.named == ""; !inner.Task {
			inner.Argv = append([]string{l.named}, rest...)
		}
	}
}

// takePackage takes the package or, if a flag named the package, its program.
func (l *launch) takePackage(rest []string) {
	inner := &l.inner
	inner.Argv = rest
	switch {
	case len(rest) == 0:
		inner.Source, inner.Task = "", true
	case inner.Source == "":
		inner.Package = rest[0]
		inner.Argv = append([]string{packageBin(rest[0])}, rest[1:]...)
	}
}

func (l *launch) takeFile(rest []string) {
	inner := &l.inner
	inner.Argv = rest
	switch {
	case l.named != "":
		inner.Argv, inner.Module = append([]string{l.named}, rest...), true
	case len(rest) > 0:
		inner.Script = FileStem(rest[0]) != ProgramName(rest[0])
	}
}

// NPMWords are the words that npm leaves in its title: all but its own options. npx
// passes everything on from the first word; npm does so only behind "--". call is the
// line of -c. Source: npm 11, bin/npx-cli.js and lib/npm.js.
func NPMWords(args []string, npx bool) (words []string, call string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(words, args[i+1:]...), call
		}
		if !strings.HasPrefix(arg, "-") {
			if npx {
				return args[i:], call
			}
			words = append(words, arg)
			continue
		}
		flag, text, hasValue := strings.Cut(arg, "=")
		if !hasValue && takesNPMValue(flag, npx) && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			text = args[i]
		}
		if flag == "-c" || flag == "--call" {
			call = text
		}
	}
	return words, call
}

// takesNPMValue reports options with a value; -p is --package for npx and --parseable
// for npm.
func takesNPMValue(flag string, npx bool) bool {
	if flag == "-p" {
		return npx
	}
	return npmFlags.takesValue(flag)
}
