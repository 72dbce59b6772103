package discover

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

const home = "/home/dev"

// entry is a server of the user dev, of a file in his home.
func entry(name, command string, args ...string) Server {
	return Server{
		Name: name, Command: command, Args: args, File: home + "/.claude.json", Client: "claude-code",
		Folder: home, Home: home, Owner: inventory.Known(1000),
	}
}

// of is a server of a project's file.
func of(folder, name, command string, args ...string) Server {
	s := entry(name, command, args...)
	s.Folder, s.File = folder, folder+"/.mcp.json"
	return s
}

// run is a process of the user dev in his project app.
func run(argv ...string) inventory.Process {
	return inventory.Process{PID: 4, Argv: argv, Cwd: home + "/src/app", UID: inventory.Known(1000)}
}

// title is a process that renamed itself and left padding behind.
func title(text string) inventory.Process {
	p := run(append([]string{text}, make([]string, 12)...)...)
	p.Exe = "/usr/bin/node"
	return p
}

func in(cwd string, p inventory.Process) inventory.Process {
	p.Cwd = cwd
	return p
}

func exe(path string, p inventory.Process) inventory.Process {
	p.Exe = path
	return p
}

func TestProcessesOfAConfiguredServer(t *testing.T) {
	playwright := entry("playwright", "npx", "-y", "@playwright/mcp@latest", "--headless")
	dialpad := entry("dialpad", "/usr/local/bin/dialpad-messaging")
	astGrep := entry("ast-grep", "ast-grep-server")
	github := entry("github", "/opt/bin/github-mcp-server", "--toolsets", "actions,repos", "stdio")
	for _, c := range []struct {
		name   string
		server Server
		p      inventory.Process
		want   bool
	}{
		{"npx renames itself and drops its own options", playwright, title("npm exec @playwright/mcp@latest --headless"), true},
		{"npx before it renamed itself", playwright, run("node", "/usr/local/bin/npx", "-y", "@playwright/mcp@latest", "--headless"), true},
		{"npx with another option of the server", playwright, title("npm exec @playwright/mcp@latest --port 3"), false},
		{"npx with one option of the server less", playwright, title("npm exec @playwright/mcp@latest"), false},
		{"the leaf below npx is not matched", playwright, run("node", home+"/.npm/_npx/9833c18b2d85bc59/node_modules/.bin/playwright-mcp", "--headless"), false},
		{"an editor with the package's name in its arguments", playwright, run("vim", "@playwright/mcp@latest", "--headless"), false},
		{"npx --package names the program behind it", entry("x", "npx", "--yes", "--package", "@scope/pkg", "bin", "-v"), title("npm exec bin -v"), true},
		{"npx -p=", entry("x", "npx", "-p=@scope/pkg", "bin"), title("npm exec bin"), true},
		{"npx with an absolute path", entry("x", "/usr/local/bin/npx", "-y", "pkg"), title("npm exec pkg"), true},
		{"npx behind --", entry("x", "npx", "-y", "--", "pkg", "-y"), title("npm exec pkg -y"), true},
		{"npx -c starts a shell", entry("x", "npx", "-c", "docker run -i img"), run("sh", "-c", "docker run -i img"), true},
		{"and its own title says nothing", entry("x", "npx", "-c", "docker run -i img"), title("npm exec"), false},
		{"npx with nothing to run", entry("x", "npx", "-y"), title("npm exec"), false},
		{"an argument with a space is two words of the title", entry("x", "npx", "pkg", "a b"), title("npm exec pkg a b"), true},
		{"npm hides what looks like a secret", entry("x", "npx", "pkg", "--key", "123e4567-e89b-12d3-a456-426614174000"), title("npm exec pkg --key ***"), true},
		{"npm hides a password", entry("x", "npx", "pkg", "postgres://u:p@h/db"), title("npm exec pkg postgres://u:***@h/db"), true},
		{"npm hides nothing else", entry("x", "npx", "pkg", "postgres://u:p@h/db"), title("npm exec pkg postgres://v:***@h/db"), false},
		{"a star is no secret elsewhere", entry("x", "tool", "key"), run("tool", "***"), false},
		{"npm exec drops options in front of --", entry("x", "npm", "exec", "--yes", "--", "pkg", "--flag"), title("npm exec pkg --flag"), true},
		{"npm exec without -- keeps the words", entry("x", "npm", "exec", "--yes", "@enuno/unifi-mcp-server"), title("npm exec @enuno/unifi-mcp-server"), true},
		{"one line with command and arguments", entry("x", "npx -y @upstash/context7-mcp"), title("npm exec @upstash/context7-mcp"), true},

		{"uvx becomes uv", entry("x", "uvx", "--from", "chroma-mcp==0.2.6", "chroma-mcp"), run("uv", "tool", "uvx", "--from", "chroma-mcp==0.2.6", "chroma-mcp"), true},
		{"uvx with a path becomes uv with a path", entry("x", home+"/.local/bin/uvx", "pkg"), run(home+"/.local/bin/uv", "tool", "uvx", "pkg"), true},
		{"uvx with another version", entry("x", "uvx", "pkg==1"), run("uv", "tool", "uvx", "pkg==2"), false},
		{"the python below uvx is not matched", entry("x", "uvx", "pkg"), run(home+"/.cache/uv/archive-v0/h/bin/python", home+"/.cache/uv/archive-v0/h/bin/pkg"), false},

		{"dialpad-messaging by its path", dialpad, run("/usr/local/bin/dialpad-messaging"), true},
		{"dialpad-messaging with padding", dialpad, run("/usr/local/bin/dialpad-messaging", "", ""), true},
		{"dialpad-messaging by its executable", dialpad, exe("/usr/local/bin/dialpad-messaging", run("dialpad-messaging")), true},
		{"dialpad-messaging replaced by an upgrade", dialpad, exe("/usr/local/bin/dialpad-messaging (deleted)", run("dialpad-messaging")), true},
		{"a script is run by its interpreter", dialpad, run("/usr/bin/python3", "/usr/local/bin/dialpad-messaging"), true},
		{"an interpreter with an option", dialpad, run("python3.11", "-I", "/usr/local/bin/dialpad-messaging"), true},
		{"another dialpad-messaging", dialpad, run("/home/dev/bin/dialpad-messaging"), false},
		{"dialpad-messaging with an argument", dialpad, run("/usr/local/bin/dialpad-messaging", "--version"), false},
		{"an editor opens dialpad-messaging", dialpad, run("vim", "/usr/local/bin/dialpad-messaging"), false},
		{"tail of dialpad-messaging", dialpad, run("tail", "-f", "/usr/local/bin/dialpad-messaging"), false},
		{"a debugger runs dialpad-messaging", dialpad, run("python3", "-m", "pdb", "/usr/local/bin/dialpad-messaging"), false},
		{"a shell with its path in its text", dialpad, run("sh", "-c", "/usr/local/bin/dialpad-messaging"), false},

		{"ast-grep-server is found through PATH", astGrep, run("/opt/homebrew/bin/ast-grep-server"), true},
		{"ast-grep-server is a script of node", astGrep, run("node", "/usr/local/bin/ast-grep-server"), true},
		{"a name that is longer", astGrep, run("ast-grep-server-test"), false},
		{"a comm of that name proves nothing", astGrep, inventory.Process{Comm: "ast-grep-server", Argv: []string{"grep", "ast"}, UID: inventory.Known(1000)}, false},

		{"the whole of the arguments", github, run("/opt/bin/github-mcp-server", "--toolsets", "actions,repos", "stdio"), true},
		{"the same binary with other arguments", github, run("/opt/bin/github-mcp-server", "--toolsets", "issues", "stdio"), false},
		{"the same binary with fewer arguments", github, run("/opt/bin/github-mcp-server", "stdio"), false},

		{"docker run by its whole line", entry("x", "docker", "run", "-i", "--rm", "img"), run("/usr/bin/docker", "run", "-i", "--rm", "img"), true},
		{"docker run of another image", entry("x", "docker", "run", "-i", "--rm", "img"), run("docker", "run", "-i", "--rm", "other"), false},
		{"docker run of any image is nobody's", entry("x", "docker", "run", "-i", "--rm", "${IMAGE}"), run("docker", "run", "-i", "--rm", "postgres"), false},

		{"a shell's text is compared", entry("x", "bash", "-lc", "cd /srv && npx -y pkg"), run("bash", "-lc", "cd /srv && npx -y pkg"), true},
		{"a shell with another text", entry("x", "bash", "-lc", "cd /srv && npx -y pkg"), run("bash", "-lc", "cd /srv && npx -y other"), false},
		{"a shell replaces itself by its only command", entry("x", "bash", "-c", "npx -y pkg"), title("npm exec pkg"), true},
		{"exec", entry("x", "sh", "-c", "exec tool --stdio"), run("tool", "--stdio"), true},
		{"a shell alone is a person's", entry("x", "bash"), run("bash"), false},
		{"node alone is a person's", entry("x", "node"), run("node"), false},
		{"env replaces itself", entry("x", "env", "A=b", "-i", "tool", "go"), run("tool", "go"), true},
		{"reaperd exec stays beside it", entry("x", "reaperd", "exec", "--name", "x", "--", "tool", "go"), run("reaperd", "exec", "--name", "x", "--", "tool", "go"), true},
		{"and the server is found without it", entry("x", "/usr/bin/reaperd", "exec", "--name", "x", "--", "tool", "go"), run("tool", "go"), true},
		{"another command of reaperd's", entry("x", "/usr/bin/reaperd", "scan", "--", "tool", "go"), run("tool", "go"), false},
		{"env with nothing behind it", entry("x", "env", "A=b"), run("env", "A=b"), false},
		{"a command for Windows", entry("x", "cmd", "/c", "npx", "pkg"), run("cmd", "/c", "npx", "pkg"), false},
		{"a program for Windows", entry("x", `C:\tools\x.exe`), run(`C:\tools\x.exe`), false},
		{"only spoken to", Server{Name: "x", URL: "http://127.0.0.1:1/mcp"}, run("x"), false},
		{"python by another name", entry("x", "python3", "-m", "tool.server"), run("/usr/bin/python3.11", "-m", "tool.server"), true},
		{"python of macOS", entry("x", "python3", "-m", "tool.server"), run("/Library/Frameworks/Python.app/Contents/MacOS/Python", "-m", "tool.server"), true},

		{"another user's process", astGrep, inventory.Process{Argv: []string{"ast-grep-server"}, UID: inventory.Known(1001)}, false},
		{"a process whose user could not be read", astGrep, inventory.Process{Argv: []string{"ast-grep-server"}, UID: inventory.Unreadable[int]()}, false},
		{"a process whose user was not recorded", astGrep, inventory.Process{Argv: []string{"ast-grep-server"}}, true},
		{"a zombie has no arguments", astGrep, inventory.Process{Argv: []string{}, UID: inventory.Known(1000)}, false},
		{"a process whose arguments are unknown", astGrep, inventory.Process{UID: inventory.Known(1000)}, false},

		{"a variable stands for one argument", entry("x", "tool", "--key", "${KEY}"), run("tool", "--key", "anything"), true},
		{"a variable stands for no more than one", entry("x", "tool", "--key", "${KEY}"), run("tool", "--key", "a", "b"), false},
		{"a variable has text around it", entry("x", "tool", "--port=${PORT:-3}/x"), run("tool", "--port=4/x"), true},
		{"the text around it counts", entry("x", "tool", "--port=${PORT}/x"), run("tool", "--port=4/y"), false},
		{"opencode's variable", entry("x", "tool", "{env:SITE}"), run("tool", "site"), true},
		{"a script that could be any is nobody's", entry("x", "node", "${SCRIPT}"), run("node", "/srv/web.js"), false},
		{"a program that could be any is nobody's", entry("x", "${TOOL}", "serve"), run("anything", "serve"), false},
		{"the home in the program", entry("x", "${HOME}/bin/db"), run("/home/dev/bin/db"), true},
		{"the home in an argument", entry("x", "tool", "~/notes"), run("tool", "/home/dev/notes"), true},
		{"a client that puts in nothing", entry("x", "tool", "~/notes"), run("tool", "~/notes"), true},
		{"$HOME", entry("x", "tool", "--root=$HOME/x"), run("tool", "--root=/home/dev/x"), true},
		{"$HOMEPAGE is not the home", entry("x", "tool", "$HOMEPAGE"), run("tool", "/home/devPAGE"), false},
		{"the project's folder", of("/home/dev/src/app", "x", "tool", "${workspaceFolder}/x"), run("tool", "/home/dev/src/app/x"), true},
		{"another folder", of("/home/dev/src/app", "x", "tool", "${workspaceFolder}/x"), run("tool", "/home/dev/src/web/x"), false},
		{"the folder of a user's own file is any", entry("x", "tool", "${workspaceFolder}/x"), run("tool", "/srv/web/x"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := NewSet([]Server{c.server}, nil).Match(&c.p)
			if (found != nil) != c.want || found != nil && found.Name != c.server.Name {
				t.Errorf("Match = %+v; want %v", found, c.want)
			}
		})
	}
}

func TestARelativeCommandMatchesOnlyBelowItsFolder(t *testing.T) {
	const app = home + "/src/app"
	for _, c := range []struct {
		name   string
		server Server
		p      inventory.Process
		want   bool
	}{
		{"in the folder", of(app, "x", "node", "dist/index.js"), run("node", "dist/index.js"), true},
		{"below the folder", of(app, "x", "node", "dist/index.js"), in(app+"/sub", run("node", "dist/index.js")), true},
		{"beside the folder", of(app, "x", "node", "dist/index.js"), in(app+"2", run("node", "dist/index.js")), false},
		{"above the folder", of(app, "x", "node", "dist/index.js"), in(home, run("node", "dist/index.js")), false},
		{"where nobody knows", of(app, "x", "node", "dist/index.js"), in("", run("node", "dist/index.js")), false},
		{"with an option of node", of(app, "x", "node", "--inspect", "dist/index.js"), in("/srv", run("node", "--inspect", "dist/index.js")), false},
		{"npm start in the folder", of(app, "x", "npm", "start"), title("npm start"), true},
		{"npm start elsewhere", of(app, "x", "npm", "start"), in("/srv", title("npm start")), false},
		{"npm start of another folder by --prefix", of(app, "x", "npm", "--prefix", "/srv/x", "start"), in("/srv", title("npm start")), false},
		{"npm run with options", of(app, "x", "npm", "run", "mcp", "--silent", "--", "--port", "3"), title("npm run mcp --port 3"), true},
		{"npm run elsewhere", of(app, "x", "npm", "run", "mcp"), in("/srv", title("npm run mcp")), false},
		{"a path below the folder", of(app, "x", "./bin/tool", "go"), run("./bin/tool", "go"), true},
		{"that path as an absolute one", of(app, "x", "./bin/tool", "go"), run(app+"/bin/tool", "go"), true},
		{"that path as a script", of(app, "x", "./bin/tool", "go"), run("python3", "./bin/tool", "go"), true},
		{"that path elsewhere", of(app, "x", "./bin/tool", "go"), in("/srv", run("./bin/tool", "go")), false},
		{"uv run elsewhere", of(app, "x", "uv", "run", "server.py"), in("/srv", run("uv", "run", "server.py")), false},
		{"uv run that names its folder", of(app, "x", "uv", "--directory", app, "run", "server.py"), in("/srv", run("uv", "--directory", app, "run", "server.py")), true},
		{"a script by absolute path, anywhere", of(app, "x", "node", "/opt/x/index.js"), in("/srv", run("node", "/opt/x/index.js")), true},
		{"a package, anywhere", of(app, "x", "npx", "pkg"), in("/srv", title("npm exec pkg")), true},
		{"bun x, anywhere", of(app, "x", "bun", "x", "pkg"), in("/srv", run("bun", "x", "pkg")), true},
		{"a module, anywhere", of(app, "x", "python", "-m", "pkg"), in("/srv", run("python", "-m", "pkg")), true},
		{"a shell script elsewhere", of(app, "x", "bash", "serve.sh"), in("/srv", run("bash", "serve.sh")), false},
		{"a shell's only command elsewhere", of(app, "x", "sh", "-c", "npm start"), in("/srv", title("npm start")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := NewSet([]Server{c.server}, nil).Match(&c.p); (found != nil) != c.want {
				t.Errorf("Match = %+v; want %v", found, c.want)
			}
		})
	}
}

func TestOfSeveralThatFitOneIsTaken(t *testing.T) {
	other := of("/home/dev/src/web", "web", "npm", "run", "mcp")
	for _, c := range []struct {
		name    string
		servers []Server
		p       inventory.Process
		want    string
	}{
		{"the project the process is in", []Server{other, of(home+"/src/app", "app", "npm", "run", "mcp")}, title("npm run mcp"), "app"},
		{"the deeper project", []Server{of(home+"/src", "all", "tool"), of(home+"/src/app", "app", "tool"), entry("own", "tool")}, run("tool"), "app"},
		{"the one without variables", []Server{entry("any", "tool", "${X}"), entry("this", "tool", "x")}, run("tool", "x"), "this"},
		{"the other where that does not fit", []Server{entry("any", "tool", "${X}"), entry("this", "tool", "x")}, run("tool", "y"), "any"},
		{"the same binary, other arguments, other names", []Server{entry("a", "srv", "--db", "a"), entry("b", "srv", "--db", "b")}, run("srv", "--db", "b"), "b"},
		{"else the first by file and name", []Server{entry("z", "tool"), entry("a", "tool")}, run("tool"), "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := NewSet(c.servers, nil).Match(&c.p); found == nil || found.Name != c.want {
				t.Errorf("Match = %+v; want %q", found, c.want)
			}
		})
	}
}

func TestTheZeroSetMatchesNothing(t *testing.T) {
	p := run("ast-grep-server")
	var set Set
	p.ListenPorts = []int{80}
	byURL, _ := set.MatchURL(&p)
	if set.Match(&p) != nil || byURL != nil || len(set.Servers())+len(set.Files()) > 0 {
		t.Error("a set of nothing matched")
	}
}

func TestLocalAddresses(t *testing.T) {
	at := func(name, url string) Server { return Server{Name: name, URL: url} }
	set := NewSet([]Server{
		at("a", "http://127.0.0.1:8123/sse"), at("b", "http://localhost:7000/sse"), at("c", "http://[::1]:8900/mcp"),
		at("d", "https://api.example:4000/mcp"), at("e", "http://localhost"), at("f", "not a url: %"), at("g", "stdio"),
		at("h", "http://localhost:99999/"), at("i", "http://0.0.0.0:8001"), at("j", "file://localhost/x"),
		entry("bridge", "npx", "mcp-remote@latest", "http://127.0.0.1:9000/mcp"),
		entry("browser", "npx", "chrome-devtools-mcp", "--browserUrl=http://127.0.0.1:9222"),
	}, nil)
	for port, want := range map[int]string{8123: "a", 7000: "b", 8900: "c", 80: "e", 8001: "i", 9000: "bridge", 4000: "", 9222: "", 0: ""} {
		found, own := set.MatchURL(&inventory.Process{ListenPorts: []int{22, port}})
		if own != (want != "") || own && found.Name != want {
			t.Errorf("MatchURL(%d) = %+v, %v; want %q", port, found, own, want)
		}
	}
}

// table is 2,000 processes none of which is configured, though some run the
// same programs.
func table() []inventory.Process {
	kinds := []inventory.Process{
		exe("/usr/lib/firefox/firefox", run("/usr/lib/firefox/firefox", "-contentproc", "-childID", "7")),
		exe("/usr/bin/node", run("node", "/srv/web/index.js", "--port", "3000")),
		exe("/usr/bin/bash", run("-bash")),
		exe("/usr/bin/docker", run("docker", "run", "-i", "--rm", "other")),
		exe("/usr/bin/python3.11", run("python3", "-u", "/usr/bin/service")),
		exe("/usr/sbin/nginx", run("nginx: worker process")),
		{Argv: nil, Comm: "kworker/0:1"},
	}
	var processes []inventory.Process
	for len(processes) < 2000 {
		processes = append(processes, kinds[len(processes)%len(kinds)])
	}
	return processes
}

func everything(t testing.TB) Set {
	var servers []Server
	for _, f := range fixtures() {
		found, err := f.parse(fixture(t, f.file))
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i].Folder, found[i].Home, found[i].Owner, found[i].File = home, home, inventory.Known(1000), f.file
		}
		servers = append(servers, found...)
	}
	return NewSet(servers, nil)
}

func TestProcessesNobodyConfiguredCostNoMemory(t *testing.T) {
	set, processes := everything(t), table()
	allocations := testing.AllocsPerRun(3, func() {
		for i := range processes {
			if found := set.Match(&processes[i]); found != nil {
				t.Fatalf("%v matched %s", processes[i].Argv, found.Name)
			}
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations for a table nobody configured", allocations)
	}
}

func BenchmarkMatchTable(b *testing.B) {
	set, processes := everything(b), table()
	b.ReportAllocs()
	for b.Loop() {
		for i := range processes {
			set.Match(&processes[i])
		}
	}
}
