package cmdline

import (
	"slices"
	"strconv"
	"strings"
)

// ContainerLine is what a container CLI was asked to do. A `docker run` can be
// matched with its container only by the image in its arguments, and to find the
// image one must know which flags take a value (container_flags.go).
//
// Nothing is guessed. Reading stops at a flag that is in no table: Unknown names it,
// and Image stays empty, which fits every container and proves nothing. Environment
// variables are skipped, since they may be secrets.
type ContainerLine struct {
	// Program is docker, podman, nerdctl or finch, whatever the name of the file.
	Program string
	// Command is the command without its group: run for `docker container run`. It is
	// empty if there is none.
	Command string
	// Elsewhere: a flag before the command or behind it chooses the engine (--host, --context, --url …).
	Elsewhere bool

	Interactive bool // -i: stdin is passed on to the container
	Detach      bool // -d: the CLI exits at once
	TTY         bool
	Remove      bool // --rm: the container is removed when it has ended

	Name    string
	CIDFile string            // --cidfile
	Labels  map[string]string // nil where none was given

	// Image is the image of run and create; empty if it cannot be told.
	Image string
	// Container is the container that exec, attach or start names.
	Container string
	// Service is the service of a `compose run` or `compose exec`, whose commands are then run
	// and exec; Project is its project, empty where it follows from the folder.
	Service, Project string
	// Args are the arguments behind the image or the container, or behind a command
	// that is not read further (compose, mcp, build).
	Args []string

	// Unknown is the flag at which reading stopped; empty if all was read.
	Unknown string
	// hidesInteractive: an argument behind Unknown may be -i.
	hidesInteractive bool
}

// PassesStdin reports that the process stays and passes its stdin on to a container,
// as for an MCP server over stdio. Where reading stopped, one that may do so counts: its
// container is in use all the same.
func (l ContainerLine) PassesStdin() bool {
	switch l.Command {
	case "run", "exec", "start", "attach":
		return (l.Interactive || l.hidesInteractive) && !l.Detach
	}
	return false
}

// Stays reports that the process stays for as long as what it has started: it passes its stdin
// on, or waits for the output alone.
func (l ContainerLine) Stays() bool {
	return l.PassesStdin() || (l.Command == "run" || l.Command == "exec") && !l.Detach
}

// CarriesRunner reports `docker system dial-stdio`, which connects a CLI on
// another host with the engine. Its arguments name no container.
func (l ContainerLine) CarriesRunner() bool {
	return l.Command == "system" && slices.Contains(l.Args, "dial-stdio")
}

// ReadContainer reads the argument vector of a container CLI. It returns false if
// the program is none.
func ReadContainer(argv []string) (ContainerLine, bool) {
	r, ok := containerReaderOf(argv)
	if !ok {
		return ContainerLine{}, false
	}
	r.command(r.word())
	return r.line, true
}

// ReadContainerRun reads the command line that runs a container. at is
// the index behind the word run, where a flag of run may be inserted. It returns
// false for any other command, and for a CLI inside a virtual machine, whose files
// are not this host's.
func ReadContainerRun(argv []string) (line ContainerLine, at int, ok bool) {
	r, isCLI := containerReaderOf(argv)
	if !isCLI || r.inside {
		return ContainerLine{}, 0, false
	}
	word := r.word()
	if word != "run" {
		return ContainerLine{}, 0, false
	}
	at = len(argv) - len(r.args)
	r.command(word)
	return r.line, at, true
}

// IsContainerCLI reports a program that can run containers.
func IsContainerCLI(program string) bool { return containerCLIs()[ProgramName(program)] != nil }

// containerReader walks over the arguments. It stops for good at the first that it
// cannot read.
type containerReader struct {
	line   ContainerLine
	args   []string
	inside bool // the CLI runs in a virtual machine
	// composes: it is Compose's own program, in front of whose commands the word compose may be
	// missing.
	composes bool
}

// containerReaderOf finds the CLI (docker itself, or the CLI that lima and
// colima run in their machine) and reads the flags before its command.
func containerReaderOf(argv []string) (*containerReader, bool) {
	if len(argv) == 0 {
		return nil, false
	}
	cli := containerCLIs()[ProgramName(argv[0])]
	if cli == nil {
		return nil, false
	}
	r := &containerReader{line: ContainerLine{Program: cli.name}, args: argv[1:], inside: cli.inside != "", composes: cli.composes}
	if r.inside && !r.enter(cli.inside) {
		return nil, false
	}
	r.flags(cli.global, r.setEngine)
	return r, true
}

// enter skips to the CLI's own arguments in `lima nerdctl …`, `colima nerdctl
// -- …` and `limactl shell default nerdctl …`.
func (r *containerReader) enter(cli string) bool {
	at := slices.IndexFunc(r.args, func(arg string) bool { return ProgramName(arg) == cli })
	if at < 0 {
		return false
	}
	r.args = r.args[at+1:]
	if len(r.args) > 0 && r.args[0] == "--" {
		r.args = r.args[1:]
	}
	return true
}

func (r *containerReader) setEngine(flag, value string) {
	if slices.Contains([]string{"H", "host", "url", "address", "a", "c", "context", "connection"}, flag) {
		r.line.Elsewhere = r.line.Elsewhere || value != ""
	}
}

// word is the command, without its group.
func (r *containerReader) word() string {
	word, _ := r.next()
	if word == "container" {
		word, _ = r.next()
	}
	return word
}

func (r *containerReader) command(word string) {
	r.line.Command = word
	flags := containerCommands()[word]
	switch {
	case word == "compose":
		r.flags(composeFlags(), r.setCompose)
		word, _ = r.next()
		fallthrough
	case r.composes:
		r.compose(word)
		return
	}
	switch word {
	case "run", "create":
		r.flags(flags, r.setContainer)
		r.line.Image, _ = r.next()
	case "exec":
		r.flags(flags, r.setContainer)
		r.line.Container, _ = r.next()
	case "start", "attach":
		r.attach(flags)
	}
	if r.line.Unknown == "" && len(r.args) > 0 {
		r.line.Args = r.args
	}
}

// compose reads the command of Compose. Its run and exec pass their stdin on unless a flag
// says otherwise; all other commands are compose.
func (r *containerReader) compose(word string) {
	r.line.Command = "compose"
	if word == "run" || word == "exec" {
		r.line.Command, r.line.Interactive = word, true
		r.flags(composeCommands()[word], r.setContainer)
		r.line.Service, _ = r.next()
	}
	if r.line.Unknown == "" && len(r.args) > 0 {
		r.line.Args = r.args
	}
}

func (r *containerReader) setCompose(flag, value string) {
	if flag == "p" || flag == "project-name" {
		r.line.Project = strings.ToLower(value)
	}
}

// attach reads start and attach, whose flags may follow the container. attach passes
// stdin on unless a flag says otherwise.
func (r *containerReader) attach(flags containerFlags) {
	r.line.Interactive = r.line.Command == "attach"
	var others []string
	for {
		r.flags(flags, r.setContainer)
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

func (r *containerReader) setContainer(flag, value string) {
	line := &r.line
	switch flag {
	case "i", "interactive":
		setSwitch(&line.Interactive, value)
	case "no-stdin":
		var without bool
		setSwitch(&without, value)
		line.Interactive = !without
	case "d", "detach":
		setSwitch(&line.Detach, value)
	case "t", "tty":
		setSwitch(&line.TTY, value)
	case "rm":
		setSwitch(&line.Remove, value)
	case "l", "label":
		r.setLabel(value)
	case "name":
		line.Name = value
	case "cidfile":
		if line.creates() { // exec's names the container to enter
			line.CIDFile = value
		}
	case "host", "url", "address", "connection":
		r.setEngine(flag, value)
	}
}

// creates reports a command that makes a container.
func (l ContainerLine) creates() bool { return l.Command == "run" || l.Command == "create" }

// setLabel reads a label. The -l of exec and start is a switch and has no value.
func (r *containerReader) setLabel(value string) {
	if !r.line.creates() {
		return
	}
	if r.line.Labels == nil {
		r.line.Labels = map[string]string{}
	}
	name, content, _ := strings.Cut(value, "=")
	r.line.Labels[name] = content
}

// setSwitch sets a switch. Without a value it is true; a value that is no truth value
// changes nothing (no CLI accepts one).
func setSwitch(target *bool, value string) {
	if value == "" {
		*target = true
		return
	}
	if truth, err := strconv.ParseBool(value); err == nil {
		*target = truth
	}
}

func (r *containerReader) next() (string, bool) {
	if r.line.Unknown != "" || len(r.args) == 0 {
		return "", false
	}
	arg := r.args[0]
	r.args = r.args[1:]
	return arg, true
}

// stop ends the reading at a flag. behind is the rest of its cluster, if it has one.
func (r *containerReader) stop(flag, behind string) {
	r.line.Unknown = flag
	r.line.hidesInteractive = strings.Contains(behind, "i") || slices.ContainsFunc(r.args, mayBeInteractive)
	r.args = nil
}

// mayBeInteractive reports an argument that is -i, alone or in a cluster, wherever it
// stands.
func mayBeInteractive(arg string) bool {
	flag, isLong := strings.CutPrefix(arg, "--")
	if isLong {
		flag, _, _ = strings.Cut(flag, "=")
		return flag == "interactive"
	}
	return strings.HasPrefix(arg, "-") && strings.Contains(arg, "i")
}

// flags reads flags up to the first argument that is none, or past "--".
func (r *containerReader) flags(table containerFlags, set func(flag, value string)) {
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

func (r *containerReader) long(text string, table containerFlags, set func(flag, value string)) {
	flag, value, given := strings.Cut(text, "=")
	switch {
	case given:
		set(flag, value)
	case table.switches[flag]:
		set(flag, "")
	case table.values[flag]:
		value, _ := r.next()
		set(flag, value)
	default:
		r.stop("--"+flag, "")
	}
}

// short reads a cluster such as -it, -dp8080:80 or -t=false.
func (r *containerReader) short(cluster string, table containerFlags, set func(flag, value string)) {
	for i := range len(cluster) {
		flag, rest := cluster[i:i+1], cluster[i+1:]
		switch {
		case strings.HasPrefix(rest, "="):
			set(flag, rest[1:])
			return
		case table.switches[flag]:
			set(flag, "")
		case table.values[flag]:
			if rest == "" {
				rest, _ = r.next()
			}
			set(flag, rest)
			return
		default:
			r.stop("-"+flag, rest)
			return
		}
	}
}
