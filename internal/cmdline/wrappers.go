package cmdline

// wrapper is a program that runs the program behind its own arguments.
type wrapper struct {
	names   Words
	values  Words // flags that take a value
	subs    Words // the subcommands that run a program; nil: it always runs one
	loose   bool  // it also runs one without a subcommand
	skip    int   // arguments of its own between the flags and the program
	assigns bool  // NAME=value may stand before the program
	dashed  bool  // the program stands behind "--" only
}

// wrappers, read from their manual pages, or from the --help of those without one.
var wrappers = index([]wrapper{
	{names: WordsOf("env cross-env cross-env-shell"), values: WordsOf("-u --unset -C --chdir -S --split-string"), assigns: true},
	{names: WordsOf("nohup setsid disclaimer docker-init unbuffer winpty dbus-run-session catchsegv setpriv flatpak-spawn snap-run corepack")},
	{names: WordsOf("tini tini-static dumb-init catatonit"), values: WordsOf("-p -e -r --rewrite")},
	{names: WordsOf("stdbuf"), values: WordsOf("-i -o -e --input --output --error")},
	{names: WordsOf("nice"), values: WordsOf("-n --adjustment")},
	{names: WordsOf("ionice"), values: WordsOf("-c -n --class --classdata")},
	{names: WordsOf("timeout gtimeout"), values: WordsOf("-k -s --kill-after --signal"), skip: 1},
	{names: WordsOf("taskset chrt gosu su-exec"), skip: 1},
	{names: WordsOf("sudo"), values: WordsOf("-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --chdir"), assigns: true},
	{names: WordsOf("doas"), values: WordsOf("-u -C")},
	{names: WordsOf("runuser"), values: WordsOf("-u --user -g --group -G")},
	{names: WordsOf("caffeinate"), values: WordsOf("-t -w")},
	{names: WordsOf("arch"), values: WordsOf("-e -d")},
	{names: WordsOf("xvfb-run"), values: WordsOf("-n -s -e -f -p -w --server-args --server-num")},
	{names: WordsOf("systemd-run"), values: WordsOf("-p --property -u --unit --slice -E --setenv --working-directory -M -H")},
	{names: WordsOf("reaperd"), subs: WordsOf("exec"), values: WordsOf("--grace --name")},
	// secret managers
	{names: WordsOf("op doppler infisical teller varlock dotenvx chamber aws-vault"), subs: WordsOf("run exec"), dashed: true},
	{names: WordsOf("dotenv"), values: WordsOf("-e -f -c -v"), subs: WordsOf("run"), loose: true},
	// version managers and environments
	{names: WordsOf("direnv"), subs: WordsOf("exec"), skip: 1},
	{names: WordsOf("mise rtx"), subs: WordsOf("exec x"), dashed: true},
	{names: WordsOf("asdf pyenv rbenv nodenv volta bundle bundler"), subs: WordsOf("exec run")},
	{names: WordsOf("fnm"), subs: WordsOf("exec"), values: WordsOf("--using")},
	{names: WordsOf("conda mamba micromamba"), subs: WordsOf("run"), values: WordsOf("-n -p --name --prefix --cwd")},
	{names: WordsOf("poetry pdm hatch rye pixi pipenv"), subs: WordsOf("run"), values: WordsOf("-C --directory -P --project -e --environment --manifest-path")},
}, func(w wrapper) Words { return w.names })

// index finds the rows of a table by name.
func index[R any](rows []R, names func(R) Words) map[string]*R {
	found := map[string]*R{}
	for i := range rows {
		for name := range names(rows[i]) {
			found[name] = &rows[i]
		}
	}
	return found
}

// strip finds the program behind the wrapper. It returns false if it runs none.
func (w *wrapper) strip(args []string) ([]string, bool) {
	var split string
	args = SkipFlags(args, w.values, func(flag, value string) {
		if flag == "-S" || flag == "--split-string" {
			split = value
		}
	})
	if split != "" {
		return append(lineProgram(split), args...), true
	}
	args, ok := w.subcommand(args)
	if !ok {
		return nil, false
	}
	if w.dashed {
		return behindDashes(args)
	}
	for w.assigns && len(args) > 0 && isAssignment(args[0]) {
		args = args[1:]
	}
	if len(args) <= w.skip {
		return nil, false
	}
	return SkipFlags(args[w.skip:], nil, nil), true
}

// subcommand drops the subcommand, if the wrapper has any.
func (w *wrapper) subcommand(args []string) ([]string, bool) {
	switch {
	case w.subs == nil:
		return args, true
	case len(args) == 0 || !w.subs[args[0]]:
		return args, w.loose
	case w.dashed:
		return args[1:], true
	}
	return SkipFlags(args[1:], w.values, nil), true
}

func behindDashes(args []string) ([]string, bool) {
	for i, arg := range args {
		if arg == "--" && i+1 < len(args) {
			return args[i+1:], true
		}
	}
	return nil, false
}
