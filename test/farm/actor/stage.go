//go:build linux

package actor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The environment variables of an actor.
const (
	EnvPart   = "FARM_PART"   // its part, as JSON
	EnvFolder = "FARM_FOLDER" // the world's folder
)

// Folder is the folder of one world. The test learns about the processes from files in its
// folder run:
//
//	NAME.pid      "PID START", written by the process that started NAME
//	NAME.ready    NAME and its children have started
//	NAME.addr     the address on which NAME listens
//	NAME.term     NAME has ignored a SIGTERM
//	NAME.answers  who answered NAME, after each SIGUSR1
//	NAME.drop     whose streams NAME closes at a SIGUSR2
//	NAME.dropped  the same, once that is done
type Folder string

// Path is a path below the folder.
func (f Folder) Path(elements ...string) string {
	return filepath.Join(append([]string{string(f)}, elements...)...)
}

// Expand replaces $W by the folder's path.
func (f Folder) Expand(text string) string { return strings.ReplaceAll(text, "$W", string(f)) }

// Exe returns the path of a part's program.
func (f Folder) Exe(part *Part) string {
	switch {
	case !part.Plays():
		return part.Exe
	case strings.Contains(part.Exe, "/"):
		return f.Path(part.Exe)
	default:
		return f.Path("bin", part.Exe)
	}
}

// Write replaces a file of the run folder atomically.
func (f Folder) Write(name, text string) error {
	path := f.Path("run", name)
	temporary := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// Read returns a file of the run folder.
func (f Folder) Read(name string) (string, error) {
	data, err := os.ReadFile(f.Path("run", name))
	return string(data), err
}

// Await waits for a file of the run folder and returns it.
func (f Folder) Await(name string, patience time.Duration) (string, error) {
	deadline := time.Now().Add(patience)
	for {
		text, err := f.Read(name)
		if !errors.Is(err, os.ErrNotExist) {
			return text, err
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("wait for %s: not there after %s", name, patience)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// Patience limits the time in which a part of a world starts.
const Patience = 2 * time.Minute

// Stage is a process's children, with the ends of their streams.
type Stage struct {
	Folder Folder
	// Relays means that a relay uses the children's streams, so the process itself pings
	// nobody.
	Relays bool

	children []*child
	held     map[string]*os.File // write ends, by the name of a pipe or of a child
	masters  []*os.File
	shared   map[string]*os.File // ends beside the streams of parts, while siblings may get them too
	kept     []*os.File          // the other ends
	alive    sync.WaitGroup
}

// child is a started part, with the parent's ends of its streams.
type child struct {
	part          Part
	pid           int
	stdin, stdout *os.File
	calls         *caller
}

// Start starts the parts one after the other and waits until they are up. With unwaited
// they stay zombies when they end.
func (s *Stage) Start(parts []Part, unwaited bool) error {
	pipes, err := namedPipes(parts)
	if err != nil {
		return err
	}
	defer pipes.close()
	for _, part := range parts {
		if err := s.start(part, pipes, unwaited); err != nil {
			return fmt.Errorf("start %s: %w", part.Name, err)
		}
	}
	for _, part := range parts {
		if !part.Plays() {
			continue
		}
		if _, err := s.Folder.Await(part.Name+".ready", Patience); err != nil {
			return err
		}
	}
	s.drop()
	for name, end := range s.shared {
		_ = end.Close()
		delete(s.shared, name)
	}
	return nil
}

// drop closes the ends that the parent must not keep.
func (s *Stage) drop() {
	for _, child := range s.children {
		if child.part.Dropped {
			child.drop()
		}
	}
}

func (c *child) drop() { closeAll([]*os.File{c.stdin, c.stdout}) }

// letGo closes the streams of the children with these names.
func (s *Stage) letGo(names []string) {
	for _, child := range s.children {
		if slices.Contains(names, child.part.Name) {
			child.drop()
		}
	}
}

func (s *Stage) start(part Part, pipes plumbing, unwaited bool) error {
	command := &exec.Cmd{Path: s.Folder.Exe(&part), Stderr: os.Stderr, SysProcAttr: attributes(&part)}
	if part.Cwd != "" {
		command.Dir = s.Folder.Path(part.Cwd)
		if err := os.MkdirAll(command.Dir, 0o755); err != nil {
			return err
		}
	}
	command.Args = s.argv(&part)
	command.Env = s.environment(&part)
	made := &child{part: part}
	var given []*os.File
	stdin, stdout, err := s.connect(made, pipes, &given)
	if err != nil {
		return err
	}
	command.Stdin, command.Stdout = stdin, stdout
	for _, name := range part.Holds {
		end, ok := s.writeEnd(name, pipes)
		if !ok {
			return fmt.Errorf("hold %s: no such pipe or sibling", name)
		}
		command.ExtraFiles = append(command.ExtraFiles, end)
	}
	for _, what := range part.Beside {
		end, err := s.beside(&part, what)
		if err != nil {
			return fmt.Errorf("beside its streams: %w", err)
		}
		command.ExtraFiles = append(command.ExtraFiles, end)
	}
	if err := command.Start(); err != nil {
		return err
	}
	closeAll(given)
	made.pid = command.Process.Pid
	if made.stdin != nil && made.stdout != nil && !s.Relays && !part.Dropped {
		made.calls = newCaller(made.stdin, made.stdout)
	}
	s.keep(made)
	if err := s.register(part.Name, command.Process.Pid); err != nil {
		return err
	}
	if !unwaited {
		s.alive.Go(func() { _ = command.Wait() })
	}
	return nil
}

// keep holds the parent's ends for as long as the process lives.
func (s *Stage) keep(made *child) {
	s.children = append(s.children, made)
	if s.held == nil {
		s.held = map[string]*os.File{}
	}
	if made.stdin != nil {
		s.held[made.part.Name] = made.stdin
	}
}

// register writes the file that names the process of a part.
func (s *Stage) register(name string, pid int) error {
	start, err := StartOf(pid)
	if err != nil {
		return err
	}
	return s.Folder.Write(name+".pid", fmt.Sprintf("%d %s", pid, start))
}

// StartOf returns the start mark of a process, in clock ticks since boot.
func StartOf(pid int) (string, error) {
	fields, err := StatOf(pid)
	if err != nil {
		return "", err
	}
	return fields[19], nil
}

// StatOf returns the fields of a process's stat from the state on: the state is field 0,
// the parent 1, the session 3, the threads 17, the start 19.
func StatOf(pid int) ([]string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return nil, fmt.Errorf("read process %d: stat has %d fields after the name", pid, len(fields))
	}
	return fields, nil
}

func attributes(part *Part) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setsid: part.Setsid}
	if part.UID != 0 {
		attributes.Credential = &syscall.Credential{Uid: uint32(part.UID), Gid: uint32(part.UID)}
	}
	return attributes
}

func (s *Stage) argv(part *Part) []string {
	if len(part.Argv) == 0 {
		return []string{part.Exe}
	}
	argv := make([]string, len(part.Argv))
	for i, arg := range part.Argv {
		argv[i] = s.Folder.Expand(arg)
	}
	return argv
}

func (s *Stage) environment(part *Part) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "FARM_")
	})
	for _, entry := range part.Env {
		env = append(env, s.Folder.Expand(entry))
	}
	if !part.Plays() {
		return env
	}
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // a Part can always be encoded
	}
	return append(env, EnvPart+"="+string(text), EnvFolder+"="+string(s.Folder))
}

func (s *Stage) writeEnd(name string, pipes plumbing) (*os.File, bool) {
	if pipe, ok := pipes[name]; ok {
		return pipe.write, true
	}
	end, ok := s.held[name]
	return end, ok
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
