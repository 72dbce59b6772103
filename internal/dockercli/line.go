package dockercli

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Line is what a container client was asked to do.
type Line struct {
	// Program is docker, podman, nerdctl or finch, whatever the file was called.
	Program string
	// Command is the command without its group: `docker container run` is run.
	// Empty where there is none.
	Command string
	Global  Global

	Interactive bool // -i: stdin is passed on to the container
	Detach      bool // -d: the client ends at once
	TTY         bool

	Name    string
	CIDFile string            // --cidfile
	Labels  map[string]string // nil where none was given

	// Image is the image of run and create; empty where it could not be told.
	Image string
	// Container is what exec, attach and start were pointed at.
	Container string
	// Args are what follows the image, the container, or a command that has no
	// grammar here (compose, mcp, build).
	Args []string

	// Unknown is the flag at which reading stopped; empty where all was read.
	Unknown string
}

// Global are the flags before the command that choose the engine.
type Global struct {
	Host    string // -H, --host, podman's --url, nerdctl's --address
	Context string // --context, podman's --connection
}

// PassesStdin reports whether the client stays and passes its stdin on to a
// container, as for an MCP server that is spoken to over stdio.
func (l Line) PassesStdin() bool {
	switch l.Command {
	case "run", "exec", "start", "attach":
		return l.Interactive && !l.Detach
	}
	return false
}

// CarriesClient reports `docker system dial-stdio`, which connects its stdio to the
// engine for a client on another host. Its words name no container.
func (l Line) CarriesClient() bool {
	return l.Command == "system" && slices.Contains(l.Args, "dial-stdio")
}

// Parse reads the argument vector of a container client; false says that it is
// none.
func Parse(argv []string) (Line, bool) {
	program, rest, ok := client(argv)
	if !ok {
		return Line{}, false
	}
	r := reader{line: Line{Program: program}, args: rest}
	r.global()
	r.command()
	return r.line, true
}

// client finds the client program: docker itself or, below lima and colima,
// the nerdctl they run in their machine.
func client(argv []string) (program string, rest []string, ok bool) {
	if len(argv) == 0 {
		return "", nil, false
	}
	switch name := base(argv[0]); name {
	case "docker", "com.docker.cli":
		return "docker", argv[1:], true
	case "podman", "podman-remote", "podman-remote-static":
		return "podman", argv[1:], true
	case "nerdctl", "nerdctl.lima", "nerdctl.rootless":
		return "nerdctl", argv[1:], true
	case "finch":
		return "finch", argv[1:], true
	case "lima", "limactl", "colima":
		return insideMachine(argv[1:])
	}
	return "", nil, false
}

// insideMachine finds the nerdctl in `lima nerdctl …`, `colima nerdctl -- …` and
// `limactl shell default nerdctl …`.
func insideMachine(args []string) (program string, rest []string, ok bool) {
	for i, arg := range args {
		if base(arg) != "nerdctl" {
			continue
		}
		rest = args[i+1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		return "nerdctl", rest, true
	}
	return "", nil, false
}

// base is the file's name, whichever way the slashes lean, without .exe.
func base(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
}

// reader walks over the arguments. What it cannot read stops it for good.
type reader struct {
	line Line
	args []string
}

func (r *reader) global() {
	table := dockerGlobal
	switch r.line.Program {
	case "podman":
		table = podmanGlobal
	case "nerdctl", "finch":
		table = nerdctlGlobal
	}
	r.flags(table, r.setGlobal)
}

func (r *reader) setGlobal(flag, value string) {
	switch flag {
	case "H", "host", "url", "address", "a":
		r.line.Global.Host = value
	case "c", "context", "connection":
		r.line.Global.Context = value
	}
}

func (r *reader) command() {
	command, ok := r.next()
	if ok && command == "container" {
		command, ok = r.next()
	}
	if !ok {
		return
	}
	r.line.Command = command
	switch command {
	case "run", "create":
		r.flags(createFlag, r.setContainer)
		r.line.Image, _ = r.next()
	case "exec":
		r.flags(execFlag, r.setContainer)
		r.line.Container, _ = r.next()
	case "start", "attach":
		r.attach()
	}
	if r.line.Unknown == "" && len(r.args) > 0 {
		r.line.Args = r.args
	}
}

// attach reads start and attach, whose flags may follow the container. attach
// passes stdin on unless it is told not to.
func (r *reader) attach() {
	r.line.Interactive = r.line.Command == "attach"
	var others []string
	for {
		r.flags(startFlag, r.setAttach)
		arg, ok := r.next()
		if !ok {
			break
		}
		if r.line.Container == "" {
			r.line.Container = arg
		} else {
			others = append(others, arg)
		}
	}
	if r.line.Unknown == "" {
		r.line.Args = others
	}
}

func (r *reader) setAttach(flag, value string) {
	switch flag {
	case "i", "interactive":
		setSwitch(&r.line.Interactive, value)
	case "no-stdin":
		var without bool
		setSwitch(&without, value)
		r.line.Interactive = !without
	}
}

func (r *reader) setContainer(flag, value string) {
	line := &r.line
	switch flag {
	case "i", "interactive":
		setSwitch(&line.Interactive, value)
	case "d", "detach":
		setSwitch(&line.Detach, value)
	case "t", "tty":
		setSwitch(&line.TTY, value)
	case "l", "label":
		r.setLabel(value)
	case "name":
		line.Name = value
	case "cidfile":
		if line.Command == "run" || line.Command == "create" { // exec's names the container to enter
			line.CIDFile = value
		}
	case "host", "url", "address", "connection":
		r.setGlobal(flag, value)
	}
}

// setLabel reads a label; exec's -l is a switch and has none.
func (r *reader) setLabel(value string) {
	if r.line.Command == "exec" {
		return
	}
	if r.line.Labels == nil {
		r.line.Labels = map[string]string{}
	}
	name, content, _ := strings.Cut(value, "=")
	r.line.Labels[name] = content
}

// setSwitch sets a switch: bare it is true, and a value that is no truth value
// leaves it alone (no client accepts one).
func setSwitch(target *bool, value string) {
	if value == "" {
		*target = true
		return
	}
	if truth, err := strconv.ParseBool(value); err == nil {
		*target = truth
	}
}

func (r *reader) next() (string, bool) {
	if r.line.Unknown != "" || len(r.args) == 0 {
		return "", false
	}
	arg := r.args[0]
	r.args = r.args[1:]
	return arg, true
}

func (r *reader) stop(flag string) {
	r.line.Unknown = flag
	r.args = nil
}

// flags reads flags up to the first argument that is none, or behind "--".
func (r *reader) flags(table func(string) arity, set func(flag, value string)) {
	for r.line.Unknown == "" && len(r.args) > 0 {
		arg := r.args[0]
		if len(arg) < 2 || arg[0] != '-' {
			return
		}
		r.args = r.args[1:]
		switch {
		case arg == "--":
			return
		case arg[1] == '-':
			r.long(arg[2:], table, set)
		default:
			r.short(arg[1:], table, set)
		}
	}
}

func (r *reader) long(text string, table func(string) arity, set func(flag, value string)) {
	flag, value, given := strings.Cut(text, "=")
	switch kind := table(flag); {
	case given:
		set(flag, value)
	case kind == switchFlag:
		set(flag, "")
	case kind == valueFlag:
		value, _ := r.next()
		set(flag, value)
	default:
		r.stop("--" + flag)
	}
}

// short reads a cluster such as -it, -dp8080:80 or -t=false.
func (r *reader) short(cluster string, table func(string) arity, set func(flag, value string)) {
	for i := range len(cluster) {
		flag, rest := cluster[i:i+1], cluster[i+1:]
		switch kind := table(flag); {
		case strings.HasPrefix(rest, "="):
			set(flag, rest[1:])
			return
		case kind == switchFlag:
			set(flag, "")
		case kind == valueFlag:
			if rest == "" {
				rest, _ = r.next()
			}
			set(flag, rest)
			return
		default:
			r.stop("-" + flag)
			return
		}
	}
}
