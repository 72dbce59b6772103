package cmdline

import (
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestContainerCLIs(t *testing.T) {
	gateway := map[string]string{
		"docker-mcp": "true", "docker-mcp-tool-type": "mcp",
		"docker-mcp-name": "github-official", "docker-mcp-transport": "stdio",
	}
	rows := []struct {
		name string
		argv string
		want ContainerLine
	}{
		{"what docker/mcp-gateway#483 shows",
			"docker run --rm -i --init --security-opt no-new-privileges --cpus 1 --memory 2Gb --pull never -l docker-mcp=true -l docker-mcp-tool-type=mcp -l docker-mcp-name=github-official -l docker-mcp-transport=stdio -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server@sha256:5049daf stdio",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Labels: gateway, Image: "ghcr.io/github/github-mcp-server@sha256:5049daf", Args: []string{"stdio"}}},
		{"the documented way to run github-mcp-server",
			"docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Image: "ghcr.io/github/github-mcp-server"}},
		{"the toolkit's socat",
			"docker run -i --rm alpine/socat STDIO TCP:host.docker.internal:8811",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Image: "alpine/socat", Args: []string{"STDIO", "TCP:host.docker.internal:8811"}}},
		{"name and labels exactly as the CLI wrote them",
			"docker run -i --rm --name demo-x --label a=b --label c demo/eofblind",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Name: "demo-x", Labels: map[string]string{"a": "b", "c": ""}, Image: "demo/eofblind"}},
		{"variables are skipped with their values",
			"docker run -i -eTOKEN=ghp_x --env API_KEY=secret --env=PLAIN img",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"flags of the image's command are not docker's",
			"docker run -i img --rm -d --name x",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img", Args: []string{"--rm", "-d", "--name", "x"}}},
		{"switches in a cluster", "docker run -dit img sh", ContainerLine{Program: "docker", Command: "run", Interactive: true, Detach: true, TTY: true, Image: "img", Args: []string{"sh"}}},
		{"switches in a cluster, turned round", "docker run -itd img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Detach: true, TTY: true, Image: "img"}},
		{"a value behind its letter", "docker run -ip8080:80 -lfoo=bar -v/a:/b -u1000 img",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Labels: map[string]string{"foo": "bar"}, Image: "img"}},
		{"a value behind an equals sign", "docker run -i=true -t=false --detach=false --rm=true -w=/srv img",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Image: "img"}},
		{"the last switch in a cluster denied", "docker run -it=false img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"what was given twice holds as given last", "docker run -i --name a --name b -i=false img", ContainerLine{Program: "docker", Command: "run", Name: "b", Image: "img"}},
		{"two dashes end the flags", "docker run -i -- -odd", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "-odd"}},
		{"global flags", "docker --context desktop-linux -H unix:///run/d.sock --config /c -l debug --tls --tlscacert ca.pem run -i img",
			ContainerLine{Program: "docker", Command: "run", Elsewhere: true, Interactive: true, Image: "img"}},
		{"global flags in short", "docker -c ctx -Htcp://h:1 -D run img",
			ContainerLine{Program: "docker", Command: "run", Elsewhere: true, Image: "img"}},
		{"the long name of run", "docker container run -i img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"files and other values are skipped", "docker run -i --cidfile /run/x.cid --label-file l --env-file e --network host --entrypoint sh --platform linux/amd64 img -c ls",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, CIDFile: "/run/x.cid", Image: "img", Args: []string{"-c", "ls"}}},
		{"behind an unknown flag nothing is guessed", "docker run -i -l a=b --shiny x img cmd",
			ContainerLine{Program: "docker", Command: "run", Interactive: true, Labels: map[string]string{"a": "b"}, Unknown: "--shiny"}},
		{"an unknown flag with its value attached hides nothing", "docker run -i --shiny=x img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"an unknown letter in a cluster", "docker run -iZ img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Unknown: "-Z"}},
		{"an unknown global flag", "docker --shiny run img", ContainerLine{Program: "docker", Unknown: "--shiny"}},
		{"a flag whose value is missing", "docker run --name", ContainerLine{Program: "docker", Command: "run"}},
		{"exec", "docker exec -i -e A=b -u root -w /srv box node /srv/mcp.js --flag",
			ContainerLine{Program: "docker", Command: "exec", Interactive: true, Container: "box", Args: []string{"node", "/srv/mcp.js", "--flag"}}},
		{"in podman's exec -l is no label", "podman exec -il box sh", ContainerLine{Program: "podman", Command: "exec", Interactive: true, Container: "box", Args: []string{"sh"}}},
		{"start", "docker start -ai box", ContainerLine{Program: "docker", Command: "start", Interactive: true, Container: "box"}},
		{"start with the flags behind", "docker start box -i", ContainerLine{Program: "docker", Command: "start", Interactive: true, Container: "box"}},
		{"start of several", "docker start a b", ContainerLine{Program: "docker", Command: "start", Container: "a", Args: []string{"b"}}},
		{"attach passes stdin on", "docker attach --sig-proxy=false box", ContainerLine{Program: "docker", Command: "attach", Interactive: true, Container: "box"}},
		{"attach without stdin", "docker attach --no-stdin box", ContainerLine{Program: "docker", Command: "attach", Container: "box"}},
		{"create", "docker create -i --name n img", ContainerLine{Program: "docker", Command: "create", Interactive: true, Name: "n", Image: "img"}},
		{"the gateway", "docker mcp gateway run --profile x", ContainerLine{Program: "docker", Command: "mcp", Args: []string{"gateway", "run", "--profile", "x"}}},
		{"compose runs a service, and passes its stdin on", "docker compose -f x.yaml run --rm -T web", ContainerLine{Program: "docker", Command: "run", Interactive: true, Remove: true, Service: "web"}},
		{"build", "docker build -t x-mcp .", ContainerLine{Program: "docker", Command: "build", Args: []string{"-t", "x-mcp", "."}}},
		{"podman's own flags", "podman --log-level debug run -i --replace --userns keep-id --secret s --systemd always --tz UTC --tls-verify --pod p img",
			ContainerLine{Program: "podman", Command: "run", Interactive: true, Image: "img"}},
		{"podman's global flags behind the command", "podman run -i --url unix:///x --runtime crun img",
			ContainerLine{Program: "podman", Command: "run", Elsewhere: true, Interactive: true, Image: "img"}},
		{"podman's connection", "podman-remote -c dev run img", ContainerLine{Program: "podman", Command: "run", Elsewhere: true, Image: "img"}},
		{"nerdctl's global flags", "nerdctl -n k8s.io --address /run/c.sock run -i --rm img", ContainerLine{Program: "nerdctl", Command: "run", Elsewhere: true, Interactive: true, Remove: true, Image: "img"}},
		{"finch", "finch run -i img", ContainerLine{Program: "finch", Command: "run", Interactive: true, Image: "img"}},
		{"nerdctl in lima", "lima nerdctl run -i img", ContainerLine{Program: "nerdctl", Command: "run", Interactive: true, Image: "img"}},
		{"nerdctl in colima", "colima nerdctl -- run -i img", ContainerLine{Program: "nerdctl", Command: "run", Interactive: true, Image: "img"}},
		{"nerdctl in a lima shell", "limactl shell default nerdctl run -i img", ContainerLine{Program: "nerdctl", Command: "run", Interactive: true, Image: "img"}},
		{"docker from a snap", "/snap/docker/2932/bin/docker run -i img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"docker on Windows", `C:\Docker\docker.exe run -i img`, ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"docker on a Mac", "/Applications/Docker.app/Contents/Resources/bin/com.docker.cli run -i img", ContainerLine{Program: "docker", Command: "run", Interactive: true, Image: "img"}},
		{"only the program", "docker", ContainerLine{Program: "docker"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, ok := ReadContainer(strings.Fields(row.argv))
			if !ok {
				t.Fatalf("ReadContainer(%q) says it is no container CLI", row.argv)
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("ReadContainer(%q)\n got %+v\nwant %+v", row.argv, got, row.want)
			}
		})
	}
}

func TestOtherProgramsAreNoContainerCLIs(t *testing.T) {
	for _, argv := range [][]string{nil, {}, {""}, {"node", "docker"}, {"sh", "-c", "docker run -i x"}, {"dockerd"}, {"docker-mcp", "gateway", "run"}, {"lima", "uname"}, {"vim", "docker"}} {
		if line, ok := ReadContainer(argv); ok {
			t.Errorf("ReadContainer(%q) takes it for %+v", argv, line)
		}
	}
}

func TestPassesStdin(t *testing.T) {
	rows := map[string]bool{
		"docker run -i img":        true,
		"docker run img":           false,
		"docker run -di img":       false,
		"docker exec -i box cmd":   true,
		"docker exec box cmd":      false,
		"docker start -ai box":     true,
		"docker start box":         false,
		"docker attach box":        true,
		"docker create -i img":     false,
		"docker compose run -i x":  true,
		"docker compose run -d x":  false,
		"docker compose up":        false,
		"docker mcp gateway run":   false,
		"docker run -i --new x im": true, // what was read so far says so
	}
	for argv, want := range rows {
		line, _ := ReadContainer(strings.Fields(argv))
		if line.PassesStdin() != want {
			t.Errorf("%q passes stdin: %v, want %v", argv, !want, want)
		}
	}
}

func TestCarriesRunner(t *testing.T) {
	for argv, want := range map[string]bool{
		"docker system dial-stdio":             true,
		"docker --context x system dial-stdio": true,
		"docker system prune":                  false,
		"docker run -i img dial-stdio":         false,
	} {
		if line, ok := ReadContainer(strings.Fields(argv)); !ok || line.CarriesRunner() != want {
			t.Errorf("%q carries a runner: %v, want %v", argv, !want, want)
		}
	}
}

// TestFlagsOfInstalledDocker holds the table against the docker that is
// installed, where one is.
func TestFlagsOfInstalledDocker(t *testing.T) {
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("no docker is installed")
	}
	for _, command := range []string{"run", "exec", "start", "attach"} {
		out, err := exec.Command("docker", command, "--help").Output()
		if err != nil {
			t.Skipf("docker %s --help: %v", command, err)
		}
		checkFlags(t, command, string(out), containerCommands()[command])
	}
}

var helpLine = regexp.MustCompile(`(?m)^ +(?:-(\w), +)?--([a-z0-9-]+)(?: ([a-z0-9-]+))?(?:  |$)`)

func checkFlags(t *testing.T, command, help string, table containerFlags) {
	t.Helper()
	lines := helpLine.FindAllStringSubmatch(help, -1)
	if len(lines) == 0 {
		t.Fatalf("docker %s --help lists no flags", command)
	}
	for _, line := range lines {
		takesValue := line[3] != ""
		for _, flag := range []string{line[1], line[2]} {
			if flag != "" && (table.values[flag] != takesValue || table.switches[flag] == takesValue) {
				t.Errorf("docker %s: flag %q takes a value: %v", command, flag, takesValue)
			}
		}
	}
}

func FuzzReadContainer(f *testing.F) {
	for _, seed := range []string{"docker\x00run\x00-i\x00img", "docker\x00run\x00-", "docker\x00exec\x00-le\x00", "podman\x00-c", "docker\x00start\x00a\x00-i\x00--", "lima\x00nerdctl\x00--", "docker\x00start\x00a\x00b\x00-0", "docker\x00run\x00-=\x00--=\x00--\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		argv := strings.Split(text, "\x00")
		line, ok := ReadContainer(argv)
		if !ok && !reflect.DeepEqual(line, ContainerLine{}) {
			t.Errorf("ReadContainer(%q) says no and yet %+v", argv, line)
		}
		if line.Unknown != "" && (line.Image != "" || line.Args != nil) {
			t.Errorf("ReadContainer(%q) guessed behind %s: %+v", argv, line.Unknown, line)
		}
	})
}

func TestReadContainerRunSaysWhereAFlagMayBePutIn(t *testing.T) {
	for _, c := range []struct{ name, argv, want string }{
		{"docker run", "docker run -i --rm mcp/time", "docker run HERE -i --rm mcp/time"},
		{"with the group", "docker container run -i x", "docker container run HERE -i x"},
		{"another engine", "docker --context far -H tcp://h run -i x", "docker --context far -H tcp://h run HERE -i x"},
		{"podman by its path", "/usr/bin/podman --log-level=debug run -i x", "/usr/bin/podman --log-level=debug run HERE -i x"},
		{"nerdctl", "nerdctl -n k8s.io run -i x", "nerdctl -n k8s.io run HERE -i x"},
		{"an image called run", "docker exec -i run sh", ""},
		{"inside a virtual machine", "lima nerdctl run -i x", ""},
		{"a global flag that is not known", "docker --new-flag run -i x", ""},
		{"compose", "docker compose run x", ""},
		{"no client", "node run", ""},
		{"nothing", "docker", ""},
	} {
		argv := strings.Fields(c.argv)
		_, at, ok := ReadContainerRun(argv)
		got := ""
		if ok {
			got = strings.Join(append(append(append([]string{}, argv[:at]...), "HERE"), argv[at:]...), " ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNoContainerFlagIsASwitchAndTakesAValue(t *testing.T) {
	for command, flags := range containerCommands() {
		for flag := range flags.switches {
			if flags.values[flag] {
				t.Errorf("%s: %s", command, flag)
			}
		}
	}
}

func TestAFlagThatIsNotKnownMayHideThatStdinIsPassedOn(t *testing.T) {
	for _, row := range []struct {
		line   string
		passes bool
	}{
		{"docker run --lately -i --rm mcp/fetch", true},
		{"docker run --lately x -it mcp/fetch", true},
		{"docker run --lately --interactive=true mcp/fetch", true},
		{"docker run -Zi mcp/fetch", true},
		{"docker run --lately mcp/fetch fetch -i", true}, // what is a flag of whom cannot be told
		{"docker start --lately -ai c1", true},
		{"docker run -i --lately mcp/fetch", true},
		{"docker run -d --lately -i mcp/fetch", false},
		{"docker run --lately --rm --init mcp/fetch", false},
		{"docker build --lately -i .", false},
	} {
		if line, ok := ReadContainer(strings.Fields(row.line)); !ok || line.PassesStdin() != row.passes {
			t.Errorf("%s: %v, want %v", row.line, line.PassesStdin(), row.passes)
		}
	}
}

func TestComposeRunsAndExecutes(t *testing.T) {
	for _, row := range []struct{ line, command, service, project, args string }{
		{"docker compose run --rm -T db-mcp", "run", "db-mcp", "", ""},
		{"docker compose -p Duly -f c.yaml run --rm db-mcp serve --fast", "run", "db-mcp", "duly", "serve --fast"},
		{"docker compose exec -T box server -v", "exec", "box", "", "server -v"},
		{"/root/.docker/cli-plugins/docker-compose compose exec -T box server", "exec", "box", "", "server"},
		{"/root/.docker/cli-plugins/docker-compose --context far compose -p duly exec --index 2 box server", "exec", "box", "duly", "server"},
		{"docker-compose -f c.yaml run db", "run", "db", "", ""},
		{"docker compose up -d", "compose", "", "", "-d"},
	} {
		l, ok := ReadContainer(strings.Fields(row.line))
		if !ok || l.Unknown != "" || l.Command != row.command || l.Service != row.service || l.Project != row.project || strings.Join(l.Args, " ") != row.args {
			t.Errorf("%s: %+v", row.line, l)
		}
		if stays := row.command != "compose"; l.PassesStdin() != stays {
			t.Errorf("%s: passes its stdin on: %v", row.line, l.PassesStdin())
		}
	}
}
