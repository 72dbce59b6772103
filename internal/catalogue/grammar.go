package catalogue

import (
	"path"
	"strings"
)

// This file says how programs that start other programs are written: which of
// their flags take a value, and where the program stands.

// scan walks over flags and returns what follows them. values are the flags
// that take the next argument, separated by spaces; see is told every flag and
// may be nil.
func scan(args []string, values string, see func(flag, value string)) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		flag, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		if flag == "--" {
			return args
		}
		if !given && len(args) > 0 && contains(values, flag) {
			value, args = args[0], args[1:]
		}
		if see != nil {
			see(flag, value)
		}
	}
	return args
}

// contains reports whether word is one of words, which spaces separate.
func contains(words, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(words[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || words[at-1] == ' ') && (end == len(words) || words[end] == ' ') {
			return true
		}
		from = at + 1
	}
}

// prefix is a program that runs the program behind its own arguments.
type prefix struct {
	subs    string // the subcommands under which it does; empty: always
	loose   bool   // it also does without a subcommand
	values  string // flags that take a value
	skip    int    // arguments of its own between the flags and the program
	assigns bool   // NAME=value may stand before the program
	dashed  bool   // the program stands behind "--" only
}

func prefixOf(name string) (prefix, bool) {
	switch name {
	case "env", "cross-env", "cross-env-shell":
		return prefix{values: "-u --unset -C --chdir -S --split-string", assigns: true}, true
	case "nohup", "setsid", "disclaimer", "docker-init", "unbuffer", "winpty", "dbus-run-session", "catchsegv":
		return prefix{}, true
	case "tini", "dumb-init", "catatonit":
		return prefix{values: "-p -e -r --rewrite"}, true
	case "stdbuf":
		return prefix{values: "-i -o -e --input --output --error"}, true
	case "nice":
		return prefix{values: "-n --adjustment"}, true
	case "ionice":
		return prefix{values: "-c -n --class --classdata"}, true
	case "timeout":
		return prefix{values: "-k -s --kill-after --signal", skip: 1}, true
	case "taskset", "chrt":
		return prefix{skip: 1}, true
	case "sudo":
		return prefix{values: "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --chdir", assigns: true}, true
	case "doas":
		return prefix{values: "-u -C"}, true
	case "runuser":
		return prefix{values: "-u --user -g --group -G"}, true
	case "gosu", "su-exec":
		return prefix{skip: 1}, true
	case "setpriv":
		return prefix{}, true
	case "caffeinate":
		return prefix{values: "-t -w"}, true
	case "arch":
		return prefix{values: "-e -d"}, true
	case "xvfb-run":
		return prefix{values: "-n -s -e -f -p -w --server-args --server-num"}, true
	case "flatpak-spawn", "snap-run":
		return prefix{}, true
	case "systemd-run":
		return prefix{values: "-p --property -u --unit --slice -E --setenv --working-directory -M -H"}, true
	}
	return subcommandPrefix(name)
}

// subcommandPrefix are the programs that run another one under a subcommand:
// secret managers, version managers, environments.
func subcommandPrefix(name string) (prefix, bool) {
	switch name {
	case "op", "doppler", "infisical", "teller", "varlock", "dotenvx", "chamber", "aws-vault":
		return prefix{subs: "run exec", dashed: true}, true
	case "reaperd":
		return prefix{subs: "exec", values: "--grace --name"}, true
	case "dotenv":
		return prefix{values: "-e -f -c -v", subs: "run", loose: true}, true
	case "direnv":
		return prefix{subs: "exec", skip: 1}, true
	case "mise", "rtx":
		return prefix{subs: "exec x", dashed: true}, true
	case "asdf", "pyenv", "rbenv", "nodenv", "volta", "bundle", "bundler":
		return prefix{subs: "exec run"}, true
	case "fnm":
		return prefix{subs: "exec", values: "--using"}, true
	case "conda", "mamba", "micromamba":
		return prefix{subs: "run", values: "-n -p --name --prefix --cwd"}, true
	case "poetry", "pdm", "hatch", "rye", "pixi", "pipenv":
		return prefix{subs: "run", values: "-C --directory -P --project -e --environment --manifest-path"}, true
	case "corepack":
		return prefix{}, true
	}
	return prefix{}, false
}

// strip finds the program behind the prefix; false where it runs none.
func (p prefix) strip(args []string) ([]string, bool) {
	var split string
	args = scan(args, p.values, func(flag, value string) {
		if flag == "-S" || flag == "--split-string" {
			split = value
		}
	})
	if split != "" {
		return append(lineProgram(split), args...), true
	}
	if p.subs != "" {
		if len(args) > 0 && contains(p.subs, args[0]) {
			args = args[1:]
			if !p.dashed {
				args = scan(args, p.values, nil)
			}
		} else if !p.loose {
			return nil, false
		}
	}
	if p.dashed {
		return behindDashes(args)
	}
	for p.assigns && len(args) > 0 && isAssignment(args[0]) {
		args = args[1:]
	}
	if len(args) <= p.skip {
		return nil, false
	}
	args = args[p.skip:]
	return scan(args, "", nil), true
}

func behindDashes(args []string) ([]string, bool) {
	for i, arg := range args {
		if arg == "--" && i+1 < len(args) {
			return args[i+1:], true
		}
	}
	return nil, false
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "cmd", "pwsh", "powershell", "su":
		return true
	}
	return false
}

// isLauncher recognises what runs a program by the name of its package or task.
func isLauncher(name string) bool {
	switch name {
	case "npm", "npx", "npm-cli.js", "npx-cli.js", "npm-cli", "npx-cli", "pnpm", "pnpx", "yarn", "bunx",
		"uv", "uvx", "pipx", "go", "cargo", "dnx", "make", "gmake", "just":
		return true
	}
	return false
}

// isScriptedLauncher recognises launchers and interpreters that are scripts
// themselves, so that an interpreter stands in front of them.
func isScriptedLauncher(name string) bool {
	switch name {
	case "npm", "npx", "npm-cli", "npx-cli", "pnpm", "pnpx", "yarn", "corepack", "bunx", "pipx", "poetry", "pdm",
		"hatch", "pipenv", "cross-env", "cross-env-shell", "dotenvx", "tsx", "ts-node", "ts-node-esm":
		return true
	}
	return false
}

// runsOthers recognises executables that say nothing of the program they run.
func runsOthers(name string) bool {
	if _, ok := interpreterOf(name); ok {
		return true
	}
	if _, ok := prefixOf(name); ok {
		return true
	}
	return isShell(name) || isLauncher(name) || name == "busybox" || name == "toybox"
}

const (
	npmValues  = "--prefix --registry --cache --userconfig --globalconfig -w --workspace --loglevel -C --node-options --script-shell"
	pnpmValues = "-C --dir -F --filter --package --reporter --registry --config"
	uvValues   = "--directory --project --with --with-editable --with-requirements -p --python --index --index-url -i --extra-index-url " +
		"--default-index -f --find-links --cache-dir --config-file --color --extra --group --only-group --no-group --no-extra --env-file " +
		"--refresh-package -P --upgrade-package --reinstall-package --resolution --prerelease --exclude-newer --link-mode -c --constraints " +
		"--overrides --keyring-provider --allow-insecure-host -C --config-setting --package --index-strategy --python-platform --build-constraints"
)

// launch reads a launcher's arguments; false where it starts nothing that
// stays (`npm install`, `uv sync`, `go test`).
func (c *command) launch(name string, args []string) bool {
	switch name {
	case "npm", "npm-cli", "npm-cli.js":
		return c.npm(args)
	case "npx", "npx-cli", "npx-cli.js":
		return c.npx(args)
	case "pnpx", "bunx":
		return c.packaged(name, args, pnpmValues, "-p --package")
	case "dnx":
		return c.packaged(name, args, "--version --source --configfile --add-source", "")
	case "uvx":
		return c.packaged(name, args, uvValues, "--from")
	case "pipx":
		return c.pipx(args)
	case "pnpm", "yarn":
		return c.pnpm(name, args)
	case "uv":
		return c.uv(args)
	case "go", "cargo":
		return c.compiled(name, args)
	case "make", "gmake", "just":
		return c.below(name, command{})
	}
	return false
}

func (c *command) npm(args []string) bool {
	args = scan(args, npmValues, nil)
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "exec", "x":
		return c.npx(args[1:])
	case "run", "run-script", "start", "restart":
		return c.below("npm", command{})
	}
	return false
}

// npx reads npx and npm exec; -c takes a shell line.
func (c *command) npx(args []string) bool {
	var line string
	scan(args, npmValues+" -p --package -c --call", func(flag, value string) {
		if flag == "-c" || flag == "--call" {
			line = value
		}
	})
	if line != "" {
		return c.below("npx", command{argv: lineProgram(line)})
	}
	return c.packaged("npx", args, npmValues, "-p --package")
}

// packaged reads a launcher of packages: flags, then the package or, where the
// flag from named the package, its program.
func (c *command) packaged(launcher string, args []string, values, from string) bool {
	var inner command
	rest := scan(args, values+" "+from, func(flag, value string) {
		switch {
		case contains(from, flag):
			inner.source = value
		case flag == "--directory" || flag == "--prefix":
			inner.dir = value
		}
	})
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if inner.argv = rest; len(rest) == 0 {
		inner.source = ""
		return c.below(launcher, inner)
	}
	if inner.source == "" {
		inner.pkg = rest[0]
		inner.argv = append([]string{packageBin(rest[0])}, rest[1:]...)
	}
	return c.below(launcher, inner)
}

func (c *command) pipx(args []string) bool {
	if len(args) == 0 || args[0] != "run" {
		return false
	}
	return c.packaged("pipx", args[1:], "--python --index-url -i --pip-args --fetch-missing-python", "--spec")
}

// pnpm reads pnpm and yarn, which share their grammar.
func (c *command) pnpm(name string, args []string) bool {
	args = scan(args, pnpmValues+" --cwd", nil)
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "dlx":
		return c.packaged(name, args[1:], pnpmValues, "-p --package")
	case "exec":
		return c.below(name, command{argv: scan(args[1:], pnpmValues, nil)})
	case "run", "run-script", "start", "restart":
		return c.below(name, command{})
	}
	return false
}

func (c *command) uv(args []string) bool {
	var dir string
	see := func(flag, value string) {
		if flag == "--directory" || flag == "--project" {
			dir = value
		}
	}
	args = scan(args, uvValues, see)
	switch {
	case len(args) > 1 && args[0] == "tool" && (args[1] == "run" || args[1] == "uvx"):
		return c.packaged("uvx", args[2:], uvValues, "--from")
	case len(args) > 0 && args[0] == "run":
		return c.uvRun(args[1:], &dir, see)
	}
	return false
}

// uvRun reads `uv run`, which runs a program, a Python file or a module.
func (c *command) uvRun(args []string, dir *string, see func(flag, value string)) bool {
	var module string
	rest := scan(args, uvValues+" -m --module", func(flag, value string) {
		see(flag, value)
		if flag == "-m" || flag == "--module" {
			module = value
		}
	})
	inner := command{argv: rest, dir: *dir}
	switch {
	case module != "":
		inner.argv, inner.module = append([]string{module}, rest...), true
	case len(rest) > 0:
		inner.script = fileStem(rest[0]) != programName(rest[0])
	}
	return c.below("uv", inner)
}

// compiled reads `go run PACKAGE` and `cargo run --bin NAME -- …`.
func (c *command) compiled(name string, args []string) bool {
	if len(args) == 0 || args[0] != "run" && args[0] != "r" {
		return false
	}
	if name == "go" {
		rest := scan(args[1:], "-C -exec -tags -ldflags -gcflags -mod -modfile -p -o -overlay", nil)
		if len(rest) > 0 {
			rest = append([]string{packageBin(rest[0])}, rest[1:]...)
		}
		return c.below(name, command{argv: rest})
	}
	var program string
	rest := scan(args[1:], "--bin -p --package --manifest-path --example --features -F --profile --target --target-dir -j --color", func(flag, value string) {
		if contains("--bin -p --package --example", flag) {
			program = value
		}
	})
	if program == "" {
		return c.below(name, command{})
	}
	return c.below(name, command{argv: append([]string{program}, rest...)})
}

// interpreter is a program that runs a script.
type interpreter struct {
	name   string
	values string // flags that take a value
	code   string // flags whose value is code: there is no program then
	module string // the flag that takes a module's name
	subs   string // subcommands behind which the script stands
	others string // subcommands that run no program
}

func interpreterOf(name string) (interpreter, bool) {
	switch {
	case name == "node" || name == "nodejs" || name == "electron":
		return interpreter{name: name, code: "-e --eval -p --print -pe --run --test -c --check -i --interactive", subs: "inspect debug",
			values: "-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --title --icu-data-dir " +
				"--openssl-config --input-type --watch-path --unhandled-rejections --dns-result-order --trace-event-categories --inspect-port " +
				"--cpu-prof-dir --diagnostic-dir --redirect-warnings --disable-warning --stack-trace-limit --secure-heap --max-http-header-size"}, true
	case name == "tsx" || name == "ts-node" || name == "ts-node-esm":
		return interpreter{name: name, code: "-e --eval -p --print", subs: "watch",
			values: "-r --require --import --loader -P --project --tsconfig -C --conditions -O --compiler-options --env-file"}, true
	case name == "bun":
		return interpreter{name: name, code: "-e --eval -p --print", subs: "run",
			others: "test install add remove i a rm build update link unlink pm create init upgrade publish outdated patch audit why repl",
			values: "--cwd -r --preload --require -c --config --env-file --shell --define -d --filter --port --conditions --import"}, true
	case name == "deno":
		return interpreter{name: name, subs: "run serve",
			others: "test task install add remove cache check compile doc fmt info lint repl upgrade eval bench bundle coverage types init publish jupyter lsp",
			values: "-c --config --import-map --cert --location --log-level -L --ext --env-file --preload"}, true
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		return interpreter{name: name, code: "-c", module: "-m", values: "-X -W --check-hash-based-pycs"}, true
	case name == "php":
		return interpreter{name: name, code: "-r -B -R -S -a", values: "-c -d -z -t"}, true
	case name == "ruby" || name == "perl" || name == "lua" || name == "luajit" || name == "rscript":
		return interpreter{name: name, code: "-e -E", values: "-I -r -l"}, true
	case name == "java":
		return interpreter{name: name, values: "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --add-reads --upgrade-module-path"}, true
	case name == "dotnet":
		return interpreter{name: name, subs: "exec run",
			others: "build test publish restore clean pack new add remove list watch tool nuget sln format msbuild vstest store help workload",
			values: "--project -c --configuration -f --framework --additionalprobingpath --fx-version --roll-forward --runtimeconfig --depsfile"}, true
	}
	return interpreter{}, false
}

// program finds what the interpreter runs; false where it runs code from its
// arguments or nothing that is a program.
func (in interpreter) program(args []string) (command, bool) {
	found := command{script: true}
	stopped := false
	see := func(flag, value string) {
		switch {
		case contains(in.code, flag):
			stopped = true
		case flag == "--cwd":
			found.dir = value
		case in.name == "dotnet" && flag == "--project":
			found.argv = []string{value}
		}
	}
	args = in.flags(args, see, &found)
	if len(args) > 0 && !found.module && contains(in.subs, args[0]) {
		args = in.flags(args[1:], see, &found)
	}
	switch {
	case stopped || len(args) == 0 && len(found.argv) == 0:
		return command{}, false
	case found.module:
		return found, len(found.argv) > 0
	case len(found.argv) > 0: // dotnet run --project
		found.argv = append(found.argv, args...)
		return found, true
	}
	return in.file(args, found)
}

// flags reads flags, and the module where one is named; whatever follows a
// module is the module's.
func (in interpreter) flags(args []string, see func(flag, value string), found *command) []string {
	for i, arg := range args {
		if in.module != "" && strings.HasPrefix(arg, in.module) && !strings.HasPrefix(arg, "--") {
			scan(args[:i], in.values, see)
			if name := arg[len(in.module):]; name != "" {
				found.argv = append([]string{name}, args[i+1:]...)
			} else {
				found.argv = args[i+1:]
			}
			found.module = true
			found.script = false
			return args[i+1:]
		}
		if !strings.HasPrefix(arg, "-") && (i == 0 || !contains(in.values, args[i-1])) {
			break
		}
	}
	if len(args) > 0 && in.name == "java" {
		return in.jar(args, found)
	}
	return scan(args, in.values, see)
}

// jar reads java's flags: -jar FILE, or the name of a class.
func (in interpreter) jar(args []string, found *command) []string {
	isJar := false
	rest := scan(args, in.values, func(flag, _ string) { isJar = isJar || flag == "-jar" })
	if !isJar && len(rest) > 0 {
		found.argv, found.module, found.script = rest, true, false
	}
	return rest
}

// file takes the first argument for the script.
func (in interpreter) file(args []string, found command) (command, bool) {
	first := args[0]
	switch {
	case contains(in.others, first) || first == "-":
		return command{}, false
	case strings.Trim(first, "0123456789") == "" && len(args) > 1: // the value of an engine's flag
		return in.file(args[1:], found)
	case in.name == "bun" && first == "x":
		ok := found.packaged("bunx", args[1:], pnpmValues, "-p --package")
		return found, ok
	case strings.HasPrefix(first, "npm:") || strings.HasPrefix(first, "jsr:"):
		spec := first[len("npm:"):]
		return command{wrapped: true, pkg: spec, argv: append([]string{packageBin(spec)}, args[1:]...)}, true
	case in.name == "bun" && path.Ext(first) == "" && !strings.ContainsAny(first, `/\`):
		return command{wrapped: true}, true // a task of package.json
	}
	found.argv = args
	return found, true
}
