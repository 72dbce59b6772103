//go:build linux

package actor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Play plays the part in the environment. It returns only if that is impossible; a part
// that is over ends the process.
func Play() error {
	// LeaderEnds must end the first thread, so Play stays on it.
	runtime.LockOSThread()
	var part Part
	if err := json.Unmarshal([]byte(os.Getenv(EnvPart)), &part); err != nil {
		return fmt.Errorf("read part: %w", err)
	}
	return (&player{
		part:  part,
		stage: Stage{Folder: Folder(os.Getenv(EnvFolder)), Relays: part.Does == Relay},
	}).play()
}

// player is one process that plays a part.
type player struct {
	part  Part
	stage Stage
	peer  *caller // the connection of a client part
	asked chan os.Signal
	terms chan os.Signal
	lets  chan os.Signal
	cli   net.Conn  // of a plugin, to the docker tool that runs it
	ended chan Part // children of a renewer
}

func (p *player) play() error {
	p.asked, p.terms, p.lets = make(chan os.Signal, 8), make(chan os.Signal, 8), make(chan os.Signal, 8)
	p.ended = make(chan Part)
	signal.Notify(p.asked, unix.SIGUSR1)
	signal.Notify(p.lets, unix.SIGUSR2)
	if p.part.IgnoreTerm {
		signal.Notify(p.terms, unix.SIGTERM)
	}
	if p.part.Comm != "" {
		if err := os.WriteFile("/proc/self/comm", []byte(p.part.Comm), 0); err != nil {
			return fmt.Errorf("take the name %s: %w", p.part.Comm, err)
		}
	}
	if os.Getenv(envOfCLI) != "" {
		if err := p.plugIn(); err != nil {
			return fmt.Errorf("be a plugin: %w", err)
		}
	}
	if p.part.Hides != "" {
		if err := hide(3, p.part.Hides); err != nil {
			return fmt.Errorf("hide a descriptor: %w", err)
		}
	}
	if p.part.Subreaper {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become a subreaper: %w", err)
		}
	}
	if err := p.stage.Start(p.part.Children, p.part.Unwaited); err != nil {
		return err
	}
	for range p.part.Zombies {
		if err := exec.Command("/bin/true").Start(); err != nil {
			return fmt.Errorf("leave a zombie: %w", err)
		}
	}
	if err := p.open(); err != nil {
		return err
	}
	if p.stage.Folder != "" { // an actor in a container has no folder for its files
		if err := p.stage.Folder.Write(p.part.Name+".ready", ""); err != nil {
			return err
		}
	}
	if p.part.Does == Launcher {
		os.Exit(0)
	}
	p.closeStreams()
	go p.perform()
	if p.part.LeaderEnds {
		go p.serve()
		return endThread()
	}
	p.serve()
	return nil
}

// open makes the part's listener and connection.
func (p *player) open() error {
	if p.part.Listen != "" {
		if err := p.listen(); err != nil {
			return fmt.Errorf("listen on %s: %w", p.part.Listen, err)
		}
	}
	if p.part.Calls == "" {
		return nil
	}
	connection, err := p.dial()
	if err != nil {
		return err
	}
	p.peer = newCaller(connection, connection)
	if p.part.Does == Visitor {
		p.visit(connection)
	}
	return nil
}

// closeStreams closes the streams that the part must not have. It comes last, so that no
// other file gets their numbers.
func (p *player) closeStreams() {
	if p.part.Stdin == Closed {
		_ = unix.Close(0)
	}
	if p.part.Stdout == Closed {
		_ = unix.Close(1)
	}
}

// chatter is the time between two notices of a chatty part.
const chatter = 50 * time.Millisecond

// perform does the task of the role.
func (p *player) perform() {
	if p.part.Chatty {
		go p.chat()
	}
	if p.part.Busy {
		go func() {
			for {
				runtime.Gosched()
			}
		}()
	}
	switch p.part.Does {
	case Server:
		answer(os.Stdin, os.Stdout, false)
		if !p.part.IgnoreEOF {
			os.Exit(0)
		}
	case Drain:
		_, _ = io.Copy(os.Stdout, os.Stdin)
		os.Exit(0)
	case Relay:
		p.relay()
	case Wrapper:
		p.stage.alive.Wait()
		os.Exit(0)
	case Renewer:
		for _, child := range p.stage.children {
			p.watch(child)
		}
		answer(os.Stdin, os.Stdout, false)
	}
}

// chat writes notices until nobody reads them.
func (p *player) chat() {
	for range time.Tick(chatter) {
		if _, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"notifications/message"}` + "\n"); err != nil {
			return
		}
	}
}

// watch reports when a child has exited, and leaves the child a zombie.
func (p *player) watch(child *child) {
	go func() {
		for {
			err := unix.Waitid(unix.P_PID, child.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				p.ended <- child.part
				return
			}
		}
	}()
}

// renewed separates the name of a part from the number of its restarts.
const renewed = "+"

// renew starts a part again as NAME+1, NAME+2 and so on, and keeps the new one's streams.
func (p *player) renew(part Part) {
	name, turn, _ := strings.Cut(part.Name, renewed)
	number, _ := strconv.Atoi(turn)
	part.Name = name + renewed + strconv.Itoa(number+1)
	part.Dropped = false
	if err := p.stage.start(part, nil, true); err != nil {
		fmt.Fprintln(os.Stderr, "actor:", err)
		return
	}
	p.watch(p.stage.children[len(p.stage.children)-1])
}

// letGo closes the streams of the children that the file NAME.drop names.
func (p *player) letGo() {
	names, err := p.stage.Folder.Read(p.part.Name + ".drop")
	if err != nil {
		return
	}
	p.stage.letGo(strings.Fields(names))
	_ = p.stage.Folder.Write(p.part.Name+".dropped", names)
}

// relay copies between its own streams and those of its first child. It ends with its
// input unless the part ignores that.
func (p *player) relay() {
	inner := p.stage.children[0]
	var out sync.WaitGroup
	out.Go(func() { _, _ = io.Copy(os.Stdout, inner.stdout) })
	_, _ = io.Copy(inner.stdin, os.Stdin)
	if p.part.IgnoreEOF {
		return
	}
	_ = inner.stdin.Close()
	out.Wait()
	os.Exit(0)
}

// serve answers signals for as long as the process lives.
func (p *player) serve() {
	for turn := 1; ; {
		select {
		case <-p.asked:
			p.tell(turn)
			turn++
		case <-p.lets:
			p.letGo()
		case part := <-p.ended:
			p.renew(part)
		case <-p.terms:
			_ = p.stage.Folder.Write(p.part.Name+".term", "")
		}
	}
}

// Answers are a part's answers to a request: who answers its pings.
type Answers struct {
	Turn int             `json:"turn"`
	From map[string]bool `json:"from"`
}

// pingPatience limits the wait for one answer.
const pingPatience = 30 * time.Second

// tell pings every part whose streams it holds, and writes which of them answered.
func (p *player) tell(turn int) {
	answers := Answers{Turn: turn, From: map[string]bool{}}
	for _, child := range p.stage.children {
		if child.calls != nil {
			answers.From[child.part.Name] = child.calls.ping(pingPatience)
		}
	}
	if p.part.Calls != "" {
		answers.From[p.part.Calls] = p.call()
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return
	}
	_ = p.stage.Folder.Write(p.part.Name+".answers", string(text))
}

func (p *player) call() bool {
	if p.part.Does != Visitor {
		return p.peer.ping(pingPatience)
	}
	connection, err := p.dial()
	if err != nil {
		return false
	}
	p.peer = newCaller(connection, connection)
	return p.visit(connection)
}

// visit asks once and closes. With Hangup it waits until the other side has closed.
func (p *player) visit(connection net.Conn) bool {
	answered := p.peer.ping(pingPatience)
	if p.part.Hangup {
		for range p.peer.replies {
		}
	}
	_ = connection.Close()
	return answered
}

func (p *player) listen() error {
	address := "127.0.0.1:0"
	if p.part.Listen == "unix" {
		address = p.stage.Folder.Path("run", p.part.Name+".sock")
	}
	listener, err := net.Listen(p.part.Listen, address)
	if err != nil {
		return err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				answer(connection, connection, p.part.Hangup)
			}()
		}
	}()
	return p.stage.Folder.Write(p.part.Name+".addr", p.part.Listen+" "+listener.Addr().String())
}

func (p *player) dial() (net.Conn, error) {
	text, err := p.stage.Folder.Await(p.part.Calls+".addr", Patience)
	if err != nil {
		return nil, err
	}
	network, address, _ := strings.Cut(text, " ")
	return net.Dial(network, address)
}

// endThread ends the calling thread and no other.
func endThread() error {
	if unix.Gettid() != unix.Getpid() {
		return fmt.Errorf("end the first thread: on thread %d of process %d", unix.Gettid(), unix.Getpid())
	}
	_, _, _ = syscall.Syscall(unix.SYS_EXIT, 0, 0, 0)
	return nil
}
