package supervise

import (
	"strconv"
	"strings"
	"time"
)

// DefaultGrace is shorter than the 4 seconds after which a client of the TypeScript
// or Python SDK kills its child once it has closed stdin.
const DefaultGrace = 3 * time.Second

// The exit codes of `reaperd exec` itself, as in env(1).
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

// Line is what `reaperd exec` was asked to do.
type Line struct {
	Grace time.Duration
	// Name is the server's name in the client's configuration. It is there to be seen
	// in the process table.
	Name string
	// Args is the server's command line.
	Args []string
	// Container is set if the command line runs a container.
	Container Container
}

// Container is an addition to a command line that runs a container, so that the
// container can be stopped by its id. The zero value is none.
type Container struct {
	// At is the index in Args behind the word run. The arguments before that word are
	// the container CLI with its global flags.
	At int
	// CIDFile is the file to which the CLI writes the container's id.
	CIDFile string
	// Remove is set if the engine has no service that removes a container of --rm.
	// There the CLI does it, unless it is ended first.
	Remove bool
	// Flags are inserted at At.
	Flags []string
}

// preparedVariable carries a Container from the process that read the command line to
// the same process after it has executed this program again. The server never gets
// it.
const preparedVariable = "REAPERD_EXEC_CONTAINER"

// Variable is the container in the form of an environment variable.
func (c Container) Variable() string {
	words := append([]string{strconv.Itoa(c.At), c.CIDFile, strconv.FormatBool(c.Remove)}, c.Flags...)
	return preparedVariable + "=" + strings.Join(words, "\n")
}

// parseContainer reads the variable's value; false means no container.
func parseContainer(value string) (Container, bool) {
	words := strings.Split(value, "\n")
	if len(words) < 3 {
		return Container{}, false
	}
	at, notNumber := strconv.Atoi(words[0])
	remove, notBool := strconv.ParseBool(words[2])
	if notNumber != nil || at < 0 || notBool != nil {
		return Container{}, false
	}
	return Container{At: at, CIDFile: words[1], Remove: remove, Flags: words[3:]}, true
}

// parseLine reads the arguments behind `exec`, and the environment for flags that
// were not given. It returns false for anything but the plain form: an unknown flag,
// an error, no command, one that is an empty word.
func parseLine(words []string, lookup func(string) (string, bool)) (Line, bool) {
	line := Line{Grace: DefaultGrace}
	if text, given := lookup("REAPERD_GRACE"); given && !line.set("grace", text) {
		return Line{}, false
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		if words[0] == "--" {
			line.Args = words[1:]
			return line, line.hasCommand()
		}
		flag, value, given := strings.Cut(strings.TrimPrefix(words[0], "--"), "=")
		if words = words[1:]; !given {
			if len(words) == 0 {
				return Line{}, false
			}
			value, words = words[0], words[1:]
		}
		if !line.set(flag, value) {
			return Line{}, false
		}
	}
	line.Args = words
	return line, line.hasCommand()
}

// hasCommand reports a command to run. An empty word is none.
func (l Line) hasCommand() bool { return len(l.Args) > 0 && l.Args[0] != "" }

func (l *Line) set(flag, value string) bool {
	switch flag {
	case "grace":
		grace, err := time.ParseDuration(value)
		l.Grace = grace
		return err == nil && grace > 0
	case "name":
		l.Name = value
		return true
	}
	return false
}

// Words are argv for executing this program again. Where the form is plain it stays
// as it was, so that the process table shows the command that a client is configured
// to start.
func (l Line) Words(argv []string) []string {
	if len(argv) > 1 && argv[1] == "exec" {
		if _, plain := parseLine(argv[2:], func(string) (string, bool) { return "", false }); plain {
			return argv
		}
	}
	words := []string{argv[0], "exec", "--grace", l.Grace.String(), "--name", l.Name, "--"}
	return append(words, l.Args...)
}

// commandLine is the command to run: the arguments with the container's flags.
func (l Line) commandLine() []string {
	if len(l.Container.Flags) == 0 {
		return l.Args
	}
	at := min(l.Container.At, len(l.Args))
	words := append([]string{}, l.Args[:at]...)
	words = append(words, l.Container.Flags...)
	return append(words, l.Args[at:]...)
}

// mayRunContainer reports a program that runs containers: its command line must be
// read before it is started.
func mayRunContainer(program string) bool {
	switch program[strings.LastIndexByte(program, '/')+1:] {
	case "docker", "com.docker.cli", "podman", "podman-remote", "podman-remote-static", "nerdctl", "nerdctl.rootless", "finch":
		return true
	}
	return false
}
