package cmdline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// text is a command in one line: what stands in front of it, then its program.
func text(c Command) string {
	var marks []string
	for _, mark := range []struct {
		name string
		set  bool
	}{
		{"task", c.Task}, {"script", c.Script}, {"module", c.Module}, {"package " + c.Package, c.Package != ""},
		{"from " + c.Source, c.Source != ""}, {"in " + c.Dir, c.Dir != ""}, {"below " + c.Launcher, c.Wrapped},
	} {
		if mark.set {
			marks = append(marks, mark.name)
		}
	}
	return strings.Join(c.Argv, "|") + " (" + strings.Join(marks, ", ") + ")"
}

func TestWhatRunsInTheEnd(t *testing.T) {
	for _, row := range []struct {
		name string
		argv []string
		want string
	}{
		{"a program", strings.Fields("/opt/x --flag y"), "/opt/x|--flag|y ()"},
		{"nothing", nil, " ()"},
		{"npx", strings.Fields("npx -y --loglevel error @acme/mcp@1 --x"), "mcp|--x (package @acme/mcp@1, below npx)"},
		{"npx with an option that npm does not know, which takes a value", strings.Fields("npx --frobnicate z @acme/mcp"), "mcp (package @acme/mcp, below npx)"},
		{"npx with a switch that is denied", strings.Fields("npx --no-audit @acme/mcp"), "mcp (package @acme/mcp, below npx)"},
		{"npx of a program of another package", strings.Fields("npx --package=@acme/mcp tool run"), "tool|run (from @acme/mcp, below npx)"},
		{"npx of a shell line", []string{"npx", "-p", "@acme/mcp", "-c", "tool --x"}, "tool|--x (below npx)"},
		{"npm exec behind options", strings.Fields("npm --prefix /srv exec -- tool x"), "tool|x (package tool, in /srv, below npm)"},
		{"a title of npm", []string{"npm exec @acme/mcp --x", "", ""}, "mcp|--x|| (package @acme/mcp, below npm)"},
		{"npm run", strings.Fields("npm run start"), " (task, below npm)"},
		{"npm install starts nothing", strings.Fields("npm install x"), "npm|install|x ()"},
		{"pnpm in a folder", strings.Fields("pnpm -C /srv exec tool x"), "tool|x (below pnpm)"},
		{"yarn dlx", strings.Fields("yarn dlx -p a b"), "b (from a, below yarn)"},
		{"bun x", strings.Fields("bun x pkg@2 y"), "pkg|y (package pkg@2, below bun)"},
		{"a task of bun", strings.Fields("bun run start"), " (task, below bun)"},
		{"a file of bun", strings.Fields("bun run --hot src/index.ts"), "src/index.ts (script)"},
		{"uvx", strings.Fields("uvx --from a==1 --with b tool x"), "tool|x (from a==1, below uvx)"},
		{"uv tool run", strings.Fields("uv tool run tool"), "tool (package tool, below uv)"},
		{"uv run of a module", strings.Fields("uv --directory /srv run -m pkg.server"), "pkg.server (module, in /srv, below uv)"},
		{"uv sync", strings.Fields("uv sync"), "uv|sync ()"},
		{"go run", strings.Fields("go run -tags x github.com/acme/tool/cmd/srv@latest y"), "srv|y (below go)"},
		{"cargo run", strings.Fields("cargo run --release"), " (task, below cargo)"},
		{"cargo run of a program", strings.Fields("cargo run --bin srv -- y"), "srv|y (below cargo)"},
		{"make", strings.Fields("make -C /srv serve"), " (task, below make)"},
		{"wrappers in a row", strings.Fields("sudo -u dev env -i A=b nice -n 5 timeout -k 1 60 tool x"), "tool|x (below sudo)"},
		{"env that splits a text", []string{"env", "-S", "node x.js"}, "x.js (script, below env)"},
		{"a wrapper with nothing behind it", strings.Fields("env A=b"), "env|A=b ()"},
		{"a secret manager", strings.Fields("op run --env-file x -- tool"), "tool (below op)"},
		{"a version manager", strings.Fields("mise exec node@22 -- node x.js"), "x.js (script, below mise)"},
		{"a shell's file", strings.Fields("bash -e /srv/run.sh y"), "/srv/run.sh|y (script)"},
		{"a shell's line in a shell's line", []string{"bash", "-lc", `exec sh -c "tool 'a b'"`}, "tool|a b (below bash)"},
		{"an interactive shell", strings.Fields("bash -i"), "bash|-i ()"},
		{"cmd", strings.Fields("cmd.exe /d /s /c npx -y tool"), "tool (package tool, below cmd)"},
		{"PowerShell", []string{"pwsh", "-NoProfile", "-Command", "node x.js"}, "x.js (script, below pwsh)"},
		{"a module behind flags with values", strings.Fields("python3.12 -X utf8 -W ignore -m a.b x"), "a.b|x (module)"},
		{"a module in one word", strings.Fields("python -ma.b"), "a.b (module)"},
		{"code is no program", []string{"python3", "-c", "import x"}, "python3|-c|import x ()"},
		{"node's debugger", strings.Fields("node inspect x.js"), "x.js (script)"},
		{"the value of a flag of V8", strings.Fields("node --stack-size 4000 x.js"), "x.js (script)"},
		{"a class of java", strings.Fields("java -cp a:b com.acme.Server x"), "com.acme.Server|x (module)"},
		{"a jar", strings.Fields("java -jar x.jar y"), "x.jar|y (script)"},
		{"a package of deno", strings.Fields("deno run -A npm:@acme/mcp y"), "mcp|y (package @acme/mcp, below deno)"},
		{"a project of dotnet", strings.Fields("dotnet run --project /srv/App -- y"), "/srv/App|y (script)"},
		{"a launcher that is a script", strings.Fields("node /usr/lib/node_modules/npm/bin/npx-cli.js -y tool"), "tool (package tool, below npx-cli)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := text(Read(row.argv)); got != row.want {
				t.Errorf("%q is %s, want %s", row.argv, got, row.want)
			}
		})
	}
}

func TestTheProgramOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"":                                   "",
		"tool":                               "tool",
		"cd /x && tool a":                    "tool|a",
		"cd /x; exec tool 'a b'":             "tool|a b",
		"tool &":                             "tool",
		"a; b":                               "b",
		"a || b":                             "b",
		"cat f | tool -":                     "tool|-",
		"tool | tee log":                     "tool",
		"A=1 B=\"x y\" tool":                 "tool",
		"tool >log 2>&1 </dev/null":          "tool",
		"tool &> log":                        "tool",
		"tool # a comment":                   "tool",
		"tool a#b":                           "tool|a#b",
		"(cd /x; tool)":                      "tool",
		"if true; then tool; fi":             "tool",
		"while true; do tool; sleep 1; done": "tool",
		"source env && eval 'tool x' && pwd -P >| c": "",
		"tool $(cat x | y; z)":                       "tool|$(cat x | y; z)",
		"tool 'it''s'":                               "tool|its",
		`tool a\ b "c\"d"`:                           `tool|a b|c"d`,
		"tool 'never closed":                         "tool|never closed",
		"\\":                                         "",
		"((((":                                       "",
		"tool $((":                                   "tool|$((",
		"a\nb\n":                                     "b",
		"echo x":                                     "",
		"|| && ;":                                    "",
	} {
		if got := strings.Join(lineProgram(line), "|"); got != want {
			t.Errorf("the program of %q is %q, want %q", line, got, want)
		}
	}
}

func TestNamesOfPrograms(t *testing.T) {
	for spec, want := range map[string]string{
		"@playwright/mcp@latest": "playwright-mcp", "@upstash/context7-mcp@1.0": "context7-mcp", "pkg[extra]==1.0": "pkg",
		"git+https://user:secret@host/acme/foo.git@main": "foo", "github:acme/foo": "foo", "./dist/foo": "foo", "@": "", "": ".",
	} {
		if got := PackageName(spec); got != want {
			t.Errorf("package %q is called %q, want %q", spec, got, want)
		}
	}
	for file, want := range map[string]string{
		"/srv/weather/dist/index.js": "weather", "/x/node_modules/.bin/tool": "tool", "/x/node_modules/@acme/mcp/dist/cli.js": "acme-mcp",
		"dist/index.js": "", "/usr/local/bin/server.js": "", `C:\srv\tool.js`: "tool",
	} {
		if got := ScriptName(file); got != want {
			t.Errorf("script %q is called %q, want %q", file, got, want)
		}
	}
}

func TestWhatNPMLeavesInItsTitle(t *testing.T) {
	for _, row := range []struct {
		args string
		npx  bool
		want string
	}{
		{"-y @acme/mcp --x", true, "@acme/mcp --x"},
		{"--loglevel error exec @acme/mcp", false, "exec @acme/mcp"},
		{"exec --yes -- @acme/mcp --x", false, "exec @acme/mcp --x"},
		{"-p a tool", true, "tool"},
		{"-p tool", false, "tool"},
	} {
		words, _ := NPMWords(strings.Fields(row.args), row.npx)
		if got := strings.Join(words, " "); got != row.want {
			t.Errorf("npm %s leaves %q, want %q", row.args, got, row.want)
		}
	}
	if _, call := NPMWords([]string{"exec", "-c", "tool x"}, false); call != "tool x" {
		t.Errorf("-c calls %q", call)
	}
}

func TestEveryNameHasOneRow(t *testing.T) {
	seen := map[string]string{}
	claim := func(table, name string) {
		if other, taken := seen[name]; taken {
			t.Errorf("%s is a %s and a %s", name, other, table)
		}
		seen[name] = table
	}
	for name := range wrappers {
		claim("wrapper", name)
	}
	for name := range launchers {
		claim("launcher", name)
	}
	for name := range interpreters {
		claim("interpreter", name)
	}
	for name := range union(posixShells, otherShells) {
		claim("shell", name)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"sh\x00-c\x00a | b && (c; d) # e", "npx\x00-p\x00", "env\x00-S\x00x y", "sh\x00-c\x00$((", "uv\x00run\x00-m", "java\x00-jar", "bun\x00x", "cmd\x00/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, "\x00")
		before := slices.Clone(argv)
		Read(argv)
		if !slices.Equal(argv, before) {
			t.Errorf("reading %q changed it", before)
		}
	})
}

func TestALongLineTakesNoLongTime(t *testing.T) {
	for _, part := range []string{"a;", "a|", "'", "\"", "(", "$(", "$((", "\\", "a>b ", "{", "`", "<<x\n"} {
		lineProgram(strings.Repeat(part, 1<<18)) // quadratic, it would take minutes
	}
}

func BenchmarkLineProgram(b *testing.B) {
	for _, size := range []int{1, 100} {
		line := "export PATH=/usr/bin:/bin; " + strings.Repeat("cd '/srv/my folder' && ", size) + "npx -y @acme/mcp --x 2>&1 | tee /tmp/log"
		b.Run(fmt.Sprint(len(line), "bytes"), func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				lineProgram(line)
			}
		})
	}
}

func TestAShellThatRunsALine(t *testing.T) {
	for line, want := range map[string]bool{
		"bash -lc make": true, "sh -c 'x'": true, "/bin/zsh -c x": true, "bash script.sh": false, "bash": false,
		"bash -l": false, "node -c x": false, "fish -c x y": true,
	} {
		if got := RunsLine(strings.Fields(line)); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
