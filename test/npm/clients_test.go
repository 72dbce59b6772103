//go:build linux

package npm_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

//go:embed drive.mjs
var drive []byte

//go:embed model.mjs
var model []byte

//go:embed own.mjs
var own []byte

// real is one client or gateway as npm gives it.
type real struct {
	name     string // as reaperd must call it
	packages []string
	// run are its commands, one after the other; $W is the world's folder, $H
	// the instance's home, $P a port of its own. The last one goes on.
	run   [][]string
	lines []any // what is written to its stdin, which then stays open
	// times is how many clients call the gateway at its port.
	times   int
	gateway bool
	servers []string // names of the servers below it, sorted
}

type message = map[string]any

// acp is what an editor says to an agent to open a session.
func acp(cwd string) []any {
	return []any{
		message{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": message{"protocolVersion": 1, "clientCapabilities": message{}}},
		message{"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": message{"cwd": cwd, "mcpServers": []any{}}},
	}
}

// reals are the clients and gateways. None of them needs a model to start its
// servers but continue and cline, which get one that never ends its answer.
func reals() []real {
	return []real{
		{name: "cline", packages: []string{"cline@3.0.65"},
			run: [][]string{
				{"$W/npm/cline/node_modules/@cline/cli-linux-x64/bin/cline", "auth", "openai-compatible", "--apikey", "none", "--modelid", "mock", "--baseurl", "http://127.0.0.1:18080/v1"},
				{"$W/npm/cline/node_modules/@cline/cli-linux-x64/bin/cline", "--json", "say hello to the world"},
			}, servers: []string{"memory", "own-cline"}},
		{name: "codex", packages: []string{"@openai/codex@0.169.0"}, run: [][]string{{"node", "$W/npm/codex/node_modules/.bin/codex", "app-server"}},
			lines: []any{
				message{"id": 1, "method": "initialize", "params": message{"clientInfo": message{"name": "reaperd-test", "version": "1"}}},
				message{"method": "initialized"},
				message{"id": 2, "method": "thread/start", "params": message{"cwd": "$H/project"}},
			}, servers: []string{"memory", "own-codex"}},
		{name: "qwen-code", packages: []string{"@qwen-code/qwen-code@0.24.4"}, run: [][]string{{"node", "$W/npm/qwen-code/node_modules/.bin/qwen", "--acp"}},
			lines: acp("$H/project"), servers: []string{"memory", "own-qwen-code"}},
		{name: "continue", packages: []string{"@continuedev/cli@1.5.47"},
			run:     [][]string{{"node", "$W/npm/continue/node_modules/.bin/cn", "--config", "$H/.continue/config.yaml", "--auto", "-p", "hello"}},
			servers: []string{"memory", "own-continue"}},
		{name: "mcporter", packages: []string{"mcporter@0.12.3"},
			run: [][]string{
				{"node", "$W/npm/mcporter/node_modules/.bin/mcporter", "daemon", "start"},
				{"node", "$W/npm/mcporter/node_modules/.bin/mcporter", "list", "own-mcporter"},
				{"node", "$W/npm/mcporter/node_modules/.bin/mcporter", "list", "memory"},
			}, servers: []string{"memory", "own-mcporter"}},
		{name: "mcp-cli", packages: []string{"@wong2/mcp-cli@2.0.0"},
			run:     [][]string{{"node", "$W/npm/mcp-cli/node_modules/.bin/mcp-cli", "--config", "$H/.config/Claude/claude_desktop_config.json", "call-tool", "own-mcp-cli:wait"}},
			servers: []string{"own-mcp-cli"}},
		{name: "mcp-hub", packages: []string{"mcp-hub@4.2.1"}, gateway: true,
			run:     [][]string{{"node", "$W/npm/mcp-hub/node_modules/.bin/mcp-hub", "--port", "$P", "--config", "$H/hub.json"}},
			servers: []string{"memory", "own-gateway"}},
		{name: "mcp-proxy", packages: []string{"mcp-proxy@6.7.19"}, gateway: true,
			run:     [][]string{{"node", "$W/npm/mcp-proxy/node_modules/.bin/mcp-proxy", "--port", "$P", "--", "node", "$W/own/own.mjs", "gateway"}},
			servers: []string{"own-gateway"}},
		{name: "supergateway", packages: []string{"supergateway@4.0.0"}, gateway: true, times: 3,
			run: [][]string{{"node", "$W/npm/supergateway/node_modules/.bin/supergateway", "--stdio", "node $W/own/own.mjs gateway",
				"--outputTransport", "streamableHttp", "--stateful", "--port", "$P"}},
			servers: []string{"own-gateway", "own-gateway", "own-gateway"}},
	}
}

// instance is one run of a real client.
type instance struct {
	real
	id   string // "killed" or "alive"
	port int
}

func (i instance) part() string { return i.name + "." + i.id }

// TestRealClientsAndGateways starts every client twice, has reaperd name all of
// them with their servers and owners, kills one of each, and has reaperd reap
// what that leaves behind: the servers that do not end with their stdin. The
// other one of each keeps everything.
func TestRealClientsAndGateways(t *testing.T) {
	if want := missing(); want != "" {
		t.Skip("left out: " + want)
	}
	folders := map[string]string{"servers": install(t, "servers", packages)} // before the world, which has no network
	for _, r := range reals() {
		folders[r.name] = install(t, r.name, r.packages)
	}
	farm.Inside(t, farm.Tini, func(t *testing.T) { realWorld(t, folders) })
}

func realWorld(t *testing.T, folders map[string]string) {
	live := farm.Raise(t, farm.World{})
	furnish(t, live, folders)
	instances := startAll(t, live)
	knows(t, live, instances)
	servers := map[string][]string{}
	for _, i := range instances {
		servers[i.part()] = i.adopt(t, live, "server", i.below(t, true))
		if len(servers[i.part()]) != len(i.servers) {
			t.Fatalf("%s has lost servers before it was its turn", i.part())
		}
	}
	for _, i := range instances {
		if i.id == "killed" {
			i.kill(t, live, servers[i.part()])
		}
	}
	live.Check(t)
	for _, i := range instances {
		for _, name := range servers[i.part()] {
			if i.id == "killed" && live.Being(t, name).Alive() {
				t.Errorf("left behind: %s", name)
			}
		}
	}
}

// startAll starts every client twice, one after the other: cline gives a server
// five seconds to answer.
func startAll(t *testing.T, live *farm.Live) (instances []instance) {
	t.Helper()
	node := lookFor(t, "node")
	live.Start(t, []actor.Part{{Name: "model", Exe: node, Argv: []string{"node", "$W/own/model.mjs"}, Stdin: actor.Null, Stdout: actor.File, Setsid: true}})
	for n, r := range reals() {
		for m, id := range []string{"killed", "alive"} {
			i := instance{r, id, 19000 + 2*n + m}
			live.Start(t, []actor.Part{i.driver(t, live, node)})
			farm.Eventually(t, fmt.Sprintf("%s has its %d servers", i.part(), len(i.servers)), func() bool {
				return len(i.below(t, true)) == len(i.servers)
			})
			instances = append(instances, i)
		}
	}
	return instances
}

// driver is who starts the instance.
func (i instance) driver(t *testing.T, live *farm.Live, node string) actor.Part {
	t.Helper()
	part := message{"run": i.run, "times": i.times, "initialize": "http://127.0.0.1:$P/mcp"}
	if i.lines != nil {
		part["lines"] = i.lines
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(part); err != nil {
		t.Fatal(err)
	}
	spec := strings.NewReplacer("$H", "$W/home/"+i.id, "$P", strconv.Itoa(i.port)).Replace(strings.TrimSpace(text.String()))
	return actor.Part{
		Name: i.part(), Exe: node, Argv: []string{"node", "$W/own/drive.mjs", spec}, Cwd: "home/" + i.id + "/project",
		Env: []string{"HOME=$W/home/" + i.id, "PATH=" + os.Getenv("PATH"), "REAL=" + i.part(), "OPENAI_API_KEY=none", "OPENAI_MODEL=mock",
			"OPENAI_BASE_URL=http://127.0.0.1:18080/v1"},
		Stdin: actor.Null, Stdout: actor.File, Setsid: true,
	}
}

// below are the processes of an instance: the servers, or the client's own.
// What a client starts has its mark in the environment, or hangs below what has.
func (i instance) below(t *testing.T, servers bool) (found []farm.Being) {
	t.Helper()
	for _, being := range marked(t, "REAL="+i.part()) {
		argv := argvOf(being)
		isServer := len(argv) > 1 && (strings.HasSuffix(argv[1], "/own/own.mjs") || strings.HasSuffix(argv[1], "/mcp-server-memory"))
		isDriver := len(argv) > 1 && strings.HasSuffix(argv[1], "/drive.mjs")
		if isServer == servers && !isDriver && len(argv) > 0 {
			found = append(found, being)
		}
	}
	return found
}

// knows has reaperd look until it says the right thing of all instances: some
// clients start their servers again when they find another one of their kind.
func knows(t *testing.T, live *farm.Live, instances []instance) {
	t.Helper()
	var faults []string
	for range looks {
		report := live.Scan(t)
		faults = nil
		for _, i := range instances {
			faults = append(faults, i.faults(t, report)...)
		}
		if len(faults) == 0 {
			return
		}
	}
	t.Fatalf("reaperd does not know what runs:\n%s", strings.Join(faults, "\n"))
}

// looks is how often reaperd may look until all is as it should be.
const looks = 4

// faults compares what reaperd says of an instance with what it is.
func (i instance) faults(t *testing.T, report *farm.Report) (faults []string) {
	t.Helper()
	var own []int
	for _, being := range i.below(t, false) {
		own = append(own, being.PID)
	}
	known := func(name string, pid int) bool { return name == i.name && slices.Contains(own, pid) }
	isGateway := func(target farm.Target) bool { return target.Kind == "gateway" && known(target.Name, target.PID) }
	isSession := func(session farm.Session) bool { return known(session.Name, session.PID) }
	if i.gateway != slices.ContainsFunc(report.Targets, isGateway) || i.gateway == slices.ContainsFunc(report.Sessions, isSession) {
		faults = append(faults, i.part()+" is not what it is")
	}
	var names []string
	for _, being := range i.below(t, true) {
		target, found := report.Of(being)
		var owner struct {
			Name string `json:"name"`
			PID  int    `json:"pid"`
		}
		if !found || json.Unmarshal(target.Owner, &owner) != nil || target.Kind != "server" || !known(owner.Name, owner.PID) || target.Decision != "keep" {
			faults = append(faults, fmt.Sprintf("%s: %s is not its server: %v", i.part(), being, target))
		}
		names = append(names, target.Name)
	}
	if slices.Sort(names); !slices.Equal(names, i.servers) {
		faults = append(faults, fmt.Sprintf("the servers of %s are called %q, want %q", i.part(), names, i.servers))
	}
	return faults
}

// adopt names processes of an instance.
func (i instance) adopt(t *testing.T, live *farm.Live, what string, beings []farm.Being) (names []string) {
	t.Helper()
	for n, being := range beings {
		name := fmt.Sprintf("%s-%s-%d", i.part(), what, n)
		live.Adopt(name, being)
		names = append(names, name)
	}
	return names
}

// kill kills the processes of a client, and says what that leaves to be reaped:
// the servers that do not end with their stdin. The others end by themselves.
func (i instance) kill(t *testing.T, live *farm.Live, servers []string) {
	t.Helper()
	clients := i.adopt(t, live, "client", i.below(t, false))
	for _, name := range servers {
		if strings.HasSuffix(argvOf(live.Being(t, name))[1], "/own.mjs") {
			live.World.Reap = append(live.World.Reap, name)
		} else {
			live.World.Either = append(live.World.Either, name)
		}
	}
	live.World.Either = append(live.World.Either, clients...)
	end(t, live, clients)
}

// end kills the processes of a client, the innermost first, so that none has the
// time to end its servers. A shell between a gateway and its server is part of
// what is left, and cline's hub serves the other one too.
func end(t *testing.T, live *farm.Live, names []string) {
	t.Helper()
	var killed []string
	for _, name := range slices.Backward(names) {
		being := live.Being(t, name)
		argv := argvOf(being)
		if len(argv) > 0 && filepath.Base(argv[0]) == "sh" || slices.Contains(argv, "--cline-hub-daemon") {
			continue
		}
		if err := unix.Kill(being.PID, unix.SIGKILL); err != nil && err != unix.ESRCH {
			t.Fatal(err)
		}
		killed = append(killed, name)
	}
	for _, name := range killed {
		farm.Eventually(t, name+" is dead", func() bool { return !live.Being(t, name).Alive() })
	}
}

// marked are the processes of this namespace with a mark in their environment,
// and all that hang below them.
func marked(t *testing.T, mark string) (found []farm.Being) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	var add func(pid int)
	add = func(pid int) {
		fields, err := actor.StatOf(pid)
		if err != nil || seen[pid] || fields[0] == "Z" {
			return
		}
		seen[pid] = true
		found = append(found, farm.Being{PID: pid, Start: fields[19]})
		for _, child := range children(t, pid) {
			add(child.PID)
		}
	}
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		text, readErr := os.ReadFile(folder + "/environ")
		if err == nil && readErr == nil && slices.Contains(strings.Split(string(text), "\x00"), mark) {
			add(pid)
		}
	}
	return found
}

func argvOf(being farm.Being) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", being.PID))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
}

func lookFor(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// furnish fills the world: the packages, two homes with the configurations of
// all clients, the user's own server.
func furnish(t *testing.T, live *farm.Live, folders map[string]string) {
	t.Helper()
	users := ""
	for _, id := range []string{"killed", "alive"} {
		home := live.Folder.Path("home", id)
		users += fmt.Sprintf("%s:x:0:0::%s:/bin/sh\n", id, home)
		for name, text := range configurations() {
			write(t, filepath.Join(home, name), live.Folder.Expand(text))
		}
		write(t, filepath.Join(home, "project", "README"), "")
	}
	for name, text := range map[string][]byte{"own.mjs": own, "drive.mjs": drive, "model.mjs": model} {
		write(t, live.Folder.Path("own", name), string(text))
	}
	for name, folder := range folders {
		link(t, folder, live.Folder.Path("npm", name))
	}
	link(t, filepath.Join(folders["servers"], "node_modules"), live.Folder.Path("own", "node_modules"))
	write(t, live.Folder.Path("run", "passwd"), users) // reaperd reads the homes of all users
	if err := unix.Mount(live.Folder.Path("run", "passwd"), "/etc/passwd", "", unix.MS_BIND, ""); err != nil {
		t.Fatalf("mount the world's users: %v", err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// configurations are the files of one home. Each client has a server of its own
// in its own file, so that reading another client's file would not name it. A
// gateway's file is none that reaperd reads: its servers are known by their
// names, or because a client has them too (here claude, which does not run).
func configurations() map[string]string {
	return map[string]string{
		".qwen/settings.json":                          servers("qwen-code"),
		".cline/data/settings/cline_mcp_settings.json": strings.ReplaceAll(servers("cline"), `]}`, `], "timeout": 3600}`), // seconds for a call
		".config/Claude/claude_desktop_config.json":    servers("mcp-cli"),
		".claude.json":                                 servers("gateway"),
		"hub.json":                                     servers("gateway"),
		".mcporter/mcporter.json":                      strings.ReplaceAll(servers("mcporter"), `]}`, `], "lifecycle": "keep-alive"}`),
		".codex/config.toml": `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:18080/v1"
wire_api = "responses"
[mcp_servers.own-codex]
command = "node"
args = ["$W/own/own.mjs", "codex"]
[mcp_servers.memory]
command = "node"
args = ["$W/npm/servers/node_modules/.bin/mcp-server-memory"]
`,
		".continue/config.yaml": `name: local
version: 1.0.0
schema: v1
models:
  - {name: mock, provider: openai, model: gpt-4o, apiBase: "http://127.0.0.1:18080/v1", apiKey: none, roles: [chat]}
mcpServers:
  - {name: own-continue, command: node, args: ["$W/own/own.mjs", continue]}
  - {name: memory, command: node, args: ["$W/npm/servers/node_modules/.bin/mcp-server-memory"]}
`,
	}
}

// servers is the file that most clients share: a server of the client's own and
// one that all have.
func servers(client string) string {
	return fmt.Sprintf(`{"mcpServers": {
  "own-%[1]s": {"command": "node", "args": ["$W/own/own.mjs", "%[1]s"]},
  "memory": {"command": "node", "args": ["$W/npm/servers/node_modules/.bin/mcp-server-memory"]}
}, "security": {"auth": {"selectedType": "openai"}}}
`, client)
}
