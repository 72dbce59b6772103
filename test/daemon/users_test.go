//go:build linux

package daemon_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

// Two users of one host. What is called planted is the second one's, and nobody else's to know of.
const (
	alice, bob = 1001, 1002
	planted    = "bobsplanted"
)

// shared runs body in a world in which root, alice and bob share a host with root's daemon: each of the two has two
// sessions with a server each, of which the first is to be killed.
func shared(t *testing.T, policy string, body func(t *testing.T, live *farm.Live, root *daemon.Daemon)) {
	t.Helper()
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		if err := unix.Mount("tmpfs", "/var/lib", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
			t.Fatal(err)
		}
		for _, uid := range []int{alice, bob} {
			home := live.Folder.Path("home", strconv.Itoa(uid))
			if err := os.Mkdir(home, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(home, uid, uid); err != nil {
				t.Fatal(err)
			}
		}
		of := func(uid int, name, folder string) actor.Part {
			part := cast.Claude(name, cast.Deaf(cast.Server(name+"-server", "$W/home/"+folder+"/mcp-server/dist/index.js", actor.Pipe)))
			part.UID = uid
			return part
		}
		live.Start(t, []actor.Part{of(alice, "a1", "alices"), of(alice, "a2", "alices"), of(bob, "b1", planted), of(bob, "b2", planted)})
		body(t, live, daemon.Start(t, live, daemon.Options{Policy: policy, Host: true, Args: []string{"--listen", ""}}))
	})
}

// pid is a part's, as a word of a command line.
func pid(t *testing.T, live *farm.Live, name string) string {
	t.Helper()
	return strconv.Itoa(live.Being(t, name).PID)
}

// refused checks that a command comes to nothing.
func refused(t *testing.T, d *daemon.Daemon, args ...string) {
	t.Helper()
	if code, out, talk := d.Run(t, args...); code == 0 {
		t.Errorf("reaperd %s is allowed:\n%s%s", strings.Join(args, " "), out, talk)
	}
}

// hidesBobs checks every answer that alice can have for what is bob's.
func hidesBobs(t *testing.T, live *farm.Live, as *daemon.Daemon) {
	t.Helper()
	bobs := []string{planted}
	for _, name := range []string{"b1", "b1-server", "b2", "b2-server"} {
		bobs = append(bobs, live.Being(t, name).String())
	}
	for _, args := range []string{
		"status", "status -o json", "scan", "scan -o wide", "scan -o json", "scan -o yaml", "history --all", "history -o json",
		"pins", "pins -o json", "sweep --dry-run", "sweep --dry-run -o json", "explain " + pid(t, live, "a2-server"), "scan mcp-server", "doctor",
	} {
		_, out, talk := as.Run(t, strings.Fields(args)...)
		for _, secret := range bobs {
			if strings.Contains(out+talk, secret) {
				t.Errorf("reaperd %s tells %q:\n%s%s", args, secret, out, talk)
			}
		}
	}
	if _, out, talk := as.Run(t, "explain", pid(t, live, "b2-server")); !strings.Contains(talk, "another user's") || strings.Contains(out+talk, planted) {
		t.Errorf("explain of another user's process: %s%s", out, talk)
	}
}

func TestEachUserOfAHostHasAnswersAndOrdersAboutTheirOwn(t *testing.T) {
	shared(t, enforcing("@every 1s", "1s"), func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		a, b := root.As(alice), root.As(bob)
		if told := a.Does(t, "status"); !strings.Contains(told, "Acting on this host (root, pid "+strconv.Itoa(root.PID())+").") || !strings.Contains(told, "2 MCP servers, all in use.") {
			t.Errorf("status without sudo:\n%s", told)
		}
		hidesBobs(t, live, a)
		a.Does(t, "pin", pid(t, live, "a1-server"))
		a.Does(t, "pause", "1h")
		refused(t, a, "pin", pid(t, live, "b1-server"))
		refused(t, b, "unpin", pid(t, live, "a1-server"))
		refused(t, a, "sweep", "--yes", "--settle", "0", pid(t, live, "b2-server"))
		live.KillAll(t, []string{"a1", "a2", "b1"})
		daemon.Gone(t, live, "b1-server") // her pause is no pause of his
		root.AwaitMore(t, 2)
		daemon.Live(t, live, "a1-server", "a2-server", "b2", "b2-server")
		if hers, his := a.Does(t, "status"), b.Does(t, "status"); !strings.Contains(hers, "Paused until ") || strings.Contains(his, "Paused") {
			t.Errorf("her pause:\n%sin his:\n%s", hers, his)
		}
		a.Does(t, "resume")
		daemon.Gone(t, live, "a2-server")
		root.AwaitMore(t, 2)
		daemon.Live(t, live, "a1-server") // pinned, under root's daemon
		hidesBobs(t, live, a)
		a.Does(t, "unpin", pid(t, live, "a1-server"))
		daemon.Gone(t, live, "a1-server")
		daemon.Live(t, live, "b2", "b2-server")
	})
}

// patient is a policy under which nothing goes by itself within a test.
const patient = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1h, grace: 1s}
`

func TestAUsersSweepIsInTheJournalOfTheHostsDaemon(t *testing.T) {
	shared(t, patient, func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		live.KillAll(t, []string{"a1", "b1"})
		farm.Eventually(t, "what leaks is due in an hour", func() bool { return len(root.Pending(t)) == 2 })
		if told := root.As(alice).Does(t, "status"); !regexp.MustCompile(`1 MCP server leaked, .*: stops in (1h|59m)`).MatchString(told) {
			t.Errorf("when hers is due:\n%s", told)
		}
		root.As(alice).Does(t, "sweep", "--yes", "--settle", "0")
		daemon.Gone(t, live, "a1-server")
		daemon.Live(t, live, "b1-server", "a2-server", "b2-server")
		outcomes, _ := root.Journal(t)
		if len(outcomes) != 1 || outcomes[0].By != strconv.Itoa(alice) {
			t.Errorf("root's journal: %+v", outcomes)
		}
		if hers, his := root.As(alice).Does(t, "history"), root.As(bob).Does(t, "history"); !strings.Contains(hers, "you stopped mcp-server ") || strings.Contains(his, "stopped mcp-server") {
			t.Errorf("her history:\n%shis:\n%s", hers, his)
		}
	})
}

func TestAUsersDaemonStepsAsideForTheHosts(t *testing.T) {
	shared(t, patient, func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		if code, _, talk := root.As(alice).Run(t, "run", "--listen", ""); code != 0 || !strings.Contains(talk, "this host's daemon looks after your servers") {
			t.Errorf("beside root's: exit %d, %s", code, talk)
		}
		second := daemon.Launch(t, live, daemon.Options{Args: []string{"--listen", ""}}) // root's, with a state directory of its own
		if code := second.AwaitEnd(t); code != 1 || !strings.Contains(second.Said(), "this host's daemon runs already, with another state directory") {
			t.Errorf("a second one of root's: exit %d, %s", code, second.Said())
		}
		root.Kill(t)
		own := daemon.Start(t, live, daemon.Options{UID: alice, Host: true, Args: []string{"--listen", ""}})
		own.Does(t, "pin", pid(t, live, "a1-server"), "--reason", "hers")
		again := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s"), Host: true, Args: []string{"--listen", ""}})
		if code := own.AwaitEnd(t); code != 0 {
			t.Errorf("hers ends with %d", code)
		}
		if told := again.As(alice).Does(t, "pins"); !strings.Contains(told, "hers") {
			t.Errorf("her pins, with root's daemon:\n%s", told)
		}
		live.KillAll(t, []string{"a1", "a2"})
		daemon.Gone(t, live, "a2-server")
		again.AwaitMore(t, 2)
		daemon.Live(t, live, "a1-server")
	})
}

func TestAHostsDaemonThatHangsIsSaidToHang(t *testing.T) {
	shared(t, patient, func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		live.KillAll(t, []string{"a1", "b1"})
		root.Signal(t, unix.SIGSTOP)
		code, out, talk := root.As(alice).Run(t, "status")
		if code != 1 || !strings.Contains(out+talk, "does not answer") {
			t.Errorf("status: exit %d\n%s%s", code, out, talk)
		}
		refused(t, root.As(alice), "sweep", "--yes", "--settle", "0")
		daemon.Live(t, live, "a1-server")
		root.As(alice).Does(t, "sweep", "--alone", "--yes", "--settle", "0")
		daemon.Gone(t, live, "a1-server")
		daemon.Live(t, live, "b1-server", "a2-server")
		root.Signal(t, unix.SIGCONT)
	})
}

// as runs do in a thread of another user, for connections that the kernel tells are that user's. do must not end the test.
func as(t *testing.T, uid int, do func()) {
	t.Helper()
	done := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		_, _, err := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid))
		if err == 0 {
			do()
		}
		done <- err
	}()
	if err := <-done; err != 0 {
		t.Fatal("become another user: ", err)
	}
}

// dial connects, once the daemon has accepted enough of those before.
func dial(socket string) (conn net.Conn, err error) {
	for conn, err = net.Dial("unix", socket); errors.Is(err, unix.EAGAIN); conn, err = net.Dial("unix", socket) {
		runtime.Gosched()
	}
	return conn, err
}

// asks is how long one question over a connection of this thread takes.
func asks(t *testing.T, socket string) time.Duration {
	began := time.Now()
	conn, err := dial(socket)
	if err != nil {
		t.Error(err)
		return 0
	}
	client := &http.Client{Timeout: actor.Patience, Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}}
	response, err := client.Get("http://localhost/v1/account")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(text), `"things"`) || strings.Contains(string(text), planted) {
		t.Errorf("alice has %d, %v: %.300s", response.StatusCode, err, text)
	}
	return time.Since(began)
}

// median of some questions of alice's, at a pace that the daemon allows.
func median(t *testing.T, socket string) time.Duration {
	t.Helper()
	var took []time.Duration
	as(t, alice, func() {
		for range 9 {
			took = append(took, asks(t, socket))
			<-time.After(300 * time.Millisecond)
		}
	})
	slices.Sort(took)
	return took[len(took)/2]
}

// TestAFloodOfOneUsersConnectionsCostsAnotherNothing: most of bob's are closed at once, so he goes on connecting.
func TestAFloodOfOneUsersConnectionsCostsAnotherNothing(t *testing.T) {
	const connections = 10_000
	shared(t, patient, func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		limit := unix.Rlimit{Cur: connections + 1000, Max: connections + 1000}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Skipf("left out: not so many descriptors are allowed here: %v", err)
		}
		quiet := median(t, root.Socket())
		opened := make([]net.Conn, 0, connections)
		half, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			as(t, bob, func() {
				for i := range connections {
					if conn, err := dial(root.Socket()); err == nil {
						opened = append(opened, conn)
					}
					if i == connections/2 {
						close(half)
					}
				}
			})
		}()
		<-half
		flooded := median(t, root.Socket())
		<-done
		farm.Figure(t, "an answer takes %s, and %s beside %d connections of another user's", quiet, flooded, len(opened))
		if len(opened) < connections*9/10 || flooded > max(100*time.Millisecond, 10*quiet) {
			t.Errorf("%s beside %d connections of another user's, %s without", flooded, len(opened), quiet)
		}
		for _, conn := range opened {
			_ = conn.Close()
		}
	})
}

// TestAUserNamespaceMakesNobodyRoot: in one of his own bob has the number 0, and the daemon is told whose he is.
func TestAUserNamespaceMakesNobodyRoot(t *testing.T) {
	const ask = `use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "connect: $!";
print "uid $<\n"; print $s "GET /v1/account HTTP/1.0\r\nHost: localhost\r\n\r\n"; print while <$s>;`
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip("left out: perl is not installed")
	}
	shared(t, patient, func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		command := exec.Command(perl, "-e", ask, root.Socket())
		command.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: bob, Size: 1}}, GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: bob, Size: 1}},
			Credential: &syscall.Credential{Uid: 0, Gid: 0},
		}
		said, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "uid 0\n") || !strings.Contains(string(said), planted) || strings.Contains(string(said), "home/alices") {
			t.Errorf("%v: want bob's alone:\n%s", err, said)
		}
	})
}
