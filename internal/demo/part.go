package demo

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// partVariable is the environment variable with a process's part.
const partVariable = "REAPERD_DEMO_PART"

// role is the task of a process in the demo.
type role string

const (
	roleFirst    role = "first"    // PID 1
	roleDirector role = "director" // tells the story
	roleClient   role = "client"   // starts servers over pipes and calls them
	roleWrapper  role = "wrapper"  // starts one server with its own stdio, as npm exec does
	roleServer   role = "server"   // answers each line
)

// part describes one process of the demo.
type part struct {
	Role role     `json:"role"`
	Argv []string `json:"argv,omitempty"`
	Dir  string   `json:"dir,omitempty"`
	// Obedient is a server that ends at the end of its input, as servers should.
	Obedient bool `json:"obedient,omitempty"`
	// Stubborn is a server that ignores SIGTERM.
	Stubborn bool `json:"stubborn,omitempty"`
	// Busy is a client that calls its servers every second and reads nothing.
	Busy bool `json:"busy,omitempty"`
	// Holds is memory that the process takes up, in MB.
	Holds int    `json:"holds,omitempty"`
	Below []part `json:"below,omitempty"`
	Story *story `json:"story,omitempty"` // for the first process and the director
}

// Play plays the part in the environment. plays is false if there is none: then this is
// an ordinary reaperd.
func Play(lookup func(string) (string, bool)) (code int, plays bool) {
	text, given := lookup(partVariable)
	if !given {
		return 0, false
	}
	_ = os.Unsetenv(partVariable)
	var p part
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.play()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1, true
	}
	return 0, true
}

func (p part) play() error {
	switch {
	case p.Role == roleFirst && p.Story != nil:
		return first(p.Story)
	case p.Role == roleDirector && p.Story != nil:
		return direct(p.Story)
	case p.Role == roleWrapper && len(p.Below) == 1:
		return p.wrap()
	case p.Role == roleClient, p.Role == roleServer:
		return p.serve()
	}
	return fmt.Errorf("%s: no part is called %q; reaperd demo sets it for its own processes", partVariable, p.Role)
}

// command returns the command that starts this program in a part.
func (p part) command() (*exec.Cmd, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	program, err := programCalled(p.Argv[0])
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: program, Args: p.Argv, Dir: p.Dir, Env: append(os.Environ(), partVariable+"="+string(text))}, nil
}

// wrap starts its one server with its own stdio, and ends with it.
func (p part) wrap() error {
	command, err := p.Below[0].command()
	if err != nil {
		return err
	}
	command.Stdin, command.Stdout = os.Stdin, os.Stdout
	defer runtime.KeepAlive(p.load())
	return command.Run()
}

// serve answers each line. An obedient server returns at the end of its input.
func (p part) serve() error {
	if p.Stubborn {
		signal.Ignore(syscall.SIGTERM)
	}
	defer runtime.KeepAlive(p.load())
	servers, err := p.startBelow()
	if err != nil {
		return err
	}
	fmt.Println(up)
	for p.Busy {
		wait(time.Second)
		answer(servers)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(answer(servers))
	}
	if !p.Obedient {
		return forever() // the other end has hung up, and it does not care
	}
	return nil
}

// load takes up the memory that the part holds, a byte in each page of it.
func (p part) load() []byte {
	held := make([]byte, p.Holds*1_000_000)
	for at := 0; at < len(held); at += os.Getpagesize() {
		held[at] = 1
	}
	return held
}

// forever waits until the process is killed.
func forever() error {
	for {
		wait(time.Hour)
	}
}

// up is the first line of a process: it and all processes below it have started.
const up = "up"

// peer is a process at the other end of two pipes.
type peer struct {
	command *exec.Cmd
	in      io.Writer
	out     *bufio.Scanner
}

func (p peer) pid() int { return p.command.Process.Pid }

// kill ends the process with SIGKILL.
func (p peer) kill() error {
	if err := p.command.Process.Kill(); err != nil {
		return err
	}
	_ = p.command.Wait() // the error is that it was killed
	return nil
}

// startBelow starts every server over two pipes and waits until all are up.
func (p part) startBelow() (servers []peer, err error) {
	for _, below := range p.Below {
		server, err := start(below)
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	return servers, nil
}

// start starts a part over two pipes and waits until it is up.
func start(p part) (peer, error) {
	command, err := p.command()
	if err != nil {
		return peer{}, err
	}
	if p.Role == roleClient { // each client has a terminal of its own
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	in, err := command.StdinPipe()
	if err != nil {
		return peer{}, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return peer{}, err
	}
	if err := command.Start(); err != nil {
		return peer{}, err
	}
	started := peer{command: command, in: in, out: bufio.NewScanner(out)}
	if said, err := started.read(); err != nil || said != up {
		return peer{}, fmt.Errorf("%s did not start: %q %w", strings.Join(p.Argv, " "), said, err)
	}
	return started, nil
}

// call is what a client sends to a server, about as long as a real one.
const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"who left this here"}}}`

// ask sends a line and reads the answer.
func (p peer) ask() (string, error) {
	if _, err := fmt.Fprintln(p.in, call); err != nil {
		return "", err
	}
	return p.read()
}

func (p peer) read() (string, error) {
	if !p.out.Scan() {
		if err := p.out.Err(); err != nil {
			return "", err
		}
		return "", io.ErrUnexpectedEOF
	}
	return p.out.Text(), nil
}

// answer asks every server in turn, and tells how many answered.
func answer(servers []peer) string {
	answered := 0
	for _, server := range servers {
		if _, err := server.ask(); err == nil {
			answered++
		}
	}
	return fmt.Sprintf("%d of %d", answered, len(servers))
}
