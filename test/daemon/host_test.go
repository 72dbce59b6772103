//go:build linux

package daemon_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"golang.org/x/sys/unix"
)

func TestASecondDaemonOfOneUserIsRefused(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		code, out, talk := d.Run(t, "run", "--listen", "")
		if code != 1 || out != "" {
			t.Errorf("the second: exit %d, answer %q", code, out)
		}
		first, _, _ := strings.Cut(talk, "\n")
		if !strings.HasPrefix(first, "error: ") || !strings.Contains(first, strconv.Itoa(d.PID())) || !strings.Contains(first, d.State()) {
			t.Errorf("the second is to name the first (%d) and where: got %q", d.PID(), talk)
		}
		d.AwaitMore(t, 0)
		d.Kill(t)
		daemon.Start(t, live, daemon.Options{Policy: reporting}) // the lock and the socket of the killed daemon do not stop this one
	})
}

// take listens on the address until the test ends.
func take(t *testing.T, address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
}

func TestATakenDefaultPortIsNoReasonNotToRun(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		take(t, serve.DefaultListen)
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		if told, answers := d.Status(t); !answers || told.Decider.Daemon.Listen != "" || told.Decider.Daemon.NotReady != "" {
			t.Errorf("status: %+v", told.Decider.Daemon)
		}
		first, rest, _ := strings.Cut(d.Said(), "\n")
		if !strings.Contains(first, `"msg":"reaperd runs"`) || !strings.Contains(first, `"sha256":"`) || !strings.Contains(first, `"listen":""`) || !strings.Contains(rest, "the default port is taken") {
			t.Errorf("the first line is to be the configuration, without a port, and the port's warning behind it: got\n%s", d.Said())
		}
	})
}

func TestATakenPortThatWasAskedForIsAnError(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		take(t, "127.0.0.1:9999")
		d := daemon.Launch(t, live, daemon.Options{Policy: reporting, Args: []string{"--listen", "127.0.0.1:9999"}})
		if code := d.AwaitEnd(t); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
	})
}

func TestAUsersDaemonReapsThatUsersOwn(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		mine, others := one("mine"), one("others")
		mine.UID = cast.Ordinary
		live.Start(t, []actor.Part{mine, others})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s"), UID: cast.Ordinary})
		live.KillAll(t, []string{"mine", "others"})
		daemon.Gone(t, live, "mine-server")
		d.AwaitMore(t, 2)
		daemon.Live(t, live, "others-server")
	})
}

// manager plays a service manager: it receives the daemon's messages.
type manager struct {
	socket *net.UnixConn
	path   string
	heard  chan string
}

func newManager(t *testing.T, live *farm.Live) *manager {
	t.Helper()
	m := &manager{path: live.Folder.Path("run", "notify"), heard: make(chan string, 1024)}
	var err error
	if m.socket, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.path, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.socket.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := m.socket.Read(buffer)
			if err != nil {
				return
			}
			m.heard <- string(buffer[:n])
		}
	}()
	return m
}

// await waits for a message with that prefix, and skips all others.
func (m *manager) await(t *testing.T, prefix string) string {
	t.Helper()
	late := time.After(actor.Patience)
	for {
		select {
		case message := <-m.heard:
			if strings.HasPrefix(message, prefix) {
				return message
			}
		case <-late:
			t.Fatalf("the service manager never heard %s", prefix)
		}
	}
}

func TestTheServiceManagerIsToldHowItIs(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		m := newManager(t, live)
		d := daemon.Launch(t, live, daemon.Options{Policy: reporting, Env: []string{"NOTIFY_SOCKET=" + m.path}})
		m.await(t, "READY=1")
		m.await(t, "WATCHDOG=1")
		d.AwaitSweeps(t, 1)
		d.Signal(t, unix.SIGHUP)
		_, stamp, ok := strings.Cut(m.await(t, "RELOADING=1"), "MONOTONIC_USEC=")
		if at, err := strconv.ParseInt(strings.TrimSpace(stamp), 10, 64); !ok || err != nil || at <= 0 {
			t.Errorf("RELOADING=1 without a time: %q", stamp)
		}
		m.await(t, "READY=1")
		d.Signal(t, unix.SIGTERM)
		m.await(t, "STOPPING=1")
		if code := d.AwaitEnd(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestTheServiceManagerHearsThatItIsUpWithABadPolicy(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		m := newManager(t, live)
		daemon.Launch(t, live, daemon.Options{Policy: broken, Env: []string{"NOTIFY_SOCKET=" + m.path}})
		m.await(t, "READY=1")
	})
}

func TestTheWatchdogIsFed(t *testing.T)                { feedsWatchdog(t, reporting) }
func TestTheWatchdogIsFedUnderABadPolicy(t *testing.T) { feedsWatchdog(t, broken) }

func feedsWatchdog(t *testing.T, policy string) {
	t.Helper()
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		m := newManager(t, live)
		daemon.Launch(t, live, daemon.Options{Policy: policy, Env: []string{"NOTIFY_SOCKET=" + m.path, "WATCHDOG_USEC=600000"}})
		m.await(t, "READY=1")
		for range 5 {
			m.await(t, "WATCHDOG=1")
		}
	})
}

func TestPromtoolHasNothingToSayAboutTheMetrics(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("left out: promtool is not installed (Debian: prometheus)")
	}
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("killed"), three("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 60s", "1s")})
		live.KillAll(t, []string{"killed"})
		farm.Eventually(t, "something was reaped", func() bool { return d.Metric(t, "reaperd_reclaimed_bytes_total") > 0 })
		_, text := d.Get(t, "/metrics")
		command := exec.Command(promtool, "check", "metrics")
		command.Stdin = strings.NewReader(text)
		if said, err := command.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("promtool check metrics: %v\n%s", err, said)
		}
		farm.Figure(t, "promtool check metrics: nothing to say about %d lines", strings.Count(text, "\n"))
	})
}

// held is a policy whose `for:` passes while the daemon is stopped.
const held = `version: 1
extends: builtin
mode: enforce
schedule: "@every 60s"
rules:
  - {name: orphaned-servers, for: 10s, grace: 1s}
`

// A daemon that was stopped (by SIGSTOP or a debugger) differs from a suspended host: the
// clock of the time awake goes on. The looks before and after the stop agree, so a finding
// counts as having held in between.
func TestADaemonThatWasStoppedTakesTheTimeForHeld(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: held})
		live.KillAll(t, []string{"killed"})
		var due time.Time
		farm.Eventually(t, "it is pending", func() bool {
			if pending := d.Pending(t); len(pending) == 1 {
				due = pending[0].DueAt
			}
			return !due.IsZero()
		})
		began := time.Now()
		d.Signal(t, unix.SIGSTOP)
		<-time.After(time.Until(due) + time.Second) // the time of the rule passes meanwhile
		daemon.Live(t, live, "killed-server")
		d.Signal(t, unix.SIGCONT)
		continued := time.Now()
		daemon.Gone(t, live, "killed-server")
		farm.Figure(t, "`for: 10s` and a daemon stopped for %s meanwhile: gone %s after it was continued", continued.Sub(began).Round(time.Millisecond), time.Since(continued).Round(time.Millisecond))
		daemon.Live(t, live, "alive", "alive-server")
	})
}

// full mounts a disk at the folder that has no room for bytes, and room for this many
// files.
func full(t *testing.T, folder string, files int) {
	t.Helper()
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=4k,mode=700,nr_inodes=%d", files+2)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder+"/filler", make([]byte, 4096), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAFullStateDirectoryStopsTheActingAndNothingElse(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed"), one("alive")})
		folder := live.Folder.Path("home", "state")
		full(t, folder, 20)
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s")})
		live.KillAll(t, []string{"killed"})
		unrecorded(t, d)
		d.AwaitMore(t, 3)
		daemon.Live(t, live, "killed-server")
		if code, _, talk := d.Run(t, "run"); code != 1 || !strings.Contains(talk, "a daemon runs already") {
			t.Errorf("a second daemon: exit %d, %s", code, talk)
		}
		roomAgain(t, folder)
		daemon.Gone(t, live, "killed-server")
		daemon.Live(t, live, "alive", "alive-server")
	})
}

// unrecorded waits until the daemon reports in all its places that it cannot write the
// journal.
func unrecorded(t *testing.T, d *daemon.Daemon) {
	t.Helper()
	farm.Eventually(t, "it is said that the journal cannot be written", func() bool {
		told, _ := d.Status(t)
		says := told.Decider.Daemon
		code, _ := d.Get(t, "/readyz")
		return says.JournalWriteErrors > 0 && says.NotReady != "" && code == http.StatusServiceUnavailable && d.Metric(t, "reaperd_journal_write_errors_total") > 0
	})
}

// roomAgain gives a full disk room for bytes and files.
func roomAgain(t *testing.T, folder string) {
	t.Helper()
	if err := unix.Mount("", folder, "", unix.MS_REMOUNT, "size=4m,nr_inodes=100"); err != nil {
		t.Fatal(err)
	}
}

func TestAnUnwritableJournalStopsTheActing(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed")})
		folder := live.Folder.Path("home", "full")
		full(t, folder, 2)
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s"), Args: []string{"--journal", folder + "/journal.jsonl"}})
		live.KillAll(t, []string{"killed"})
		unrecorded(t, d)
		d.AwaitMore(t, 3)
		daemon.Live(t, live, "killed-server")
		roomAgain(t, folder)
		daemon.Gone(t, live, "killed-server")
	})
}
