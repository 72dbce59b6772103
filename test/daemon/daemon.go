//go:build linux

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Options tell how to start a daemon. The zero value means the built-in policy on the
// default port.
type Options struct {
	Policy string   // a policy file's text; empty: no file
	Args   []string // arguments behind `reaperd run`
	Env    []string // in addition to every daemon's environment
	UID    uint32
	// Host: it has the usual places of its user, and decides for the host if that is root.
	Host bool
}

// Daemon is a running `reaperd run`.
type Daemon struct {
	live    *farm.Live
	options Options
	command *exec.Cmd
	log     *os.File
	ended   chan struct{} // closed when the daemon has ended
}

// Start starts a daemon in the world and waits until it has looked.
func Start(t *testing.T, live *farm.Live, options Options) *Daemon {
	t.Helper()
	d := Launch(t, live, options)
	d.AwaitSweeps(t, 1)
	return d
}

// Launch starts a daemon without waiting. A failing test shows the daemon's log.
func Launch(t *testing.T, live *farm.Live, options Options) *Daemon {
	t.Helper()
	d := &Daemon{live: live, options: options, ended: make(chan struct{})}
	if options.Policy != "" {
		d.WritePolicy(t, options.Policy)
	}
	log, err := os.CreateTemp(live.Folder.Path("run"), "daemon-*.log")
	if err != nil {
		t.Fatal(err)
	}
	d.log = log
	d.command = d.Command(context.WithoutCancel(t.Context()), append([]string{"run", "--log-format", "json"}, options.Args...)...)
	d.command.Stderr, d.command.Stdout = log, log
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = d.command.Wait()
		close(d.ended)
	}()
	t.Cleanup(func() { d.cleanUp(t) })
	return d
}

func (d *Daemon) cleanUp(t *testing.T) {
	_ = d.command.Process.Kill()
	<-d.ended
	if t.Failed() {
		t.Logf("reaperd run said:\n%s", d.Said())
	}
	_ = d.log.Close()
}

// Said returns the daemon's log so far.
func (d *Daemon) Said() string {
	text, err := os.ReadFile(d.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Command returns a command of reaperd with the daemon's user and state.
func (d *Daemon) Command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, farm.Program("reaperd"), args...)
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.home(),
	}, d.options.Env...)
	if !d.options.Host {
		command.Env = append(command.Env, "REAPERD_STATE_DIR="+d.State())
	}
	if d.options.Policy != "" {
		command.Env = append(command.Env, "REAPERD_POLICIES="+d.PolicyFile())
	}
	if _, err := os.Stat(strings.TrimPrefix(d.live.DockerHost(), "unix://")); err == nil {
		command.Env = append(command.Env, "DOCKER_HOST="+d.live.DockerHost())
	}
	if d.options.UID != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: d.options.UID, Gid: d.options.UID}}
	}
	return command
}

// home is the world's, or a folder of the user's own where the daemon has the usual places.
func (d *Daemon) home() string {
	if d.options.Host && d.options.UID != 0 {
		return d.live.Folder.Path("home", strconv.Itoa(int(d.options.UID)))
	}
	return d.live.Folder.Path("home")
}

// As returns commands of another user beside the daemon.
func (d *Daemon) As(uid uint32) *Daemon {
	return &Daemon{live: d.live, options: Options{UID: uid, Host: d.options.Host}}
}

// State returns the daemon's state directory.
func (d *Daemon) State() string {
	switch {
	case d.options.Host && d.options.UID == 0:
		return "/var/lib/reaperd"
	case d.options.Host:
		return filepath.Join(d.home(), ".local/state/reaperd")
	}
	if d.options.UID != 0 {
		return filepath.Join(d.home(), "state-of-user")
	}
	return filepath.Join(d.home(), "state")
}

// Socket returns where the daemon answers.
func (d *Daemon) Socket() string {
	if d.options.Host && d.options.UID == 0 {
		return "/run/reaperd/reaperd.sock"
	}
	return filepath.Join(d.State(), "reaperd.sock")
}

// PolicyFile returns the path of the daemon's policy, if it has one.
func (d *Daemon) PolicyFile() string { return filepath.Join(d.home(), "policy", "policies.yaml") }

// WritePolicy replaces the policy as editors do: a new file over the old one.
func (d *Daemon) WritePolicy(t *testing.T, text string) {
	t.Helper()
	folder := filepath.Dir(d.PolicyFile())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(folder, "4913")
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, d.PolicyFile()); err != nil {
		t.Fatal(err)
	}
}

// PID returns the daemon's PID.
func (d *Daemon) PID() int { return d.command.Process.Pid }

// Signal sends the daemon a signal.
func (d *Daemon) Signal(t *testing.T, signal unix.Signal) {
	t.Helper()
	if err := d.command.Process.Signal(signal); err != nil {
		t.Fatalf("signal the daemon: %v", err)
	}
}

// Kill ends the daemon with SIGKILL.
func (d *Daemon) Kill(t *testing.T) {
	t.Helper()
	d.Signal(t, unix.SIGKILL)
	<-d.ended
}

// Ended reports whether the daemon has ended, and its exit code.
func (d *Daemon) Ended() (code int, ended bool) {
	select {
	case <-d.ended:
		return d.command.ProcessState.ExitCode(), true
	default:
		return 0, false
	}
}

// AwaitEnd waits for the daemon's end and returns its exit code.
func (d *Daemon) AwaitEnd(t *testing.T) int {
	t.Helper()
	farm.Eventually(t, "the daemon has ended", func() bool { _, ended := d.Ended(); return ended })
	return d.command.ProcessState.ExitCode()
}

// Run runs one reaperd command beside the daemon. It returns its exit code, stdout and
// stderr.
func (d *Daemon) Run(t *testing.T, args ...string) (code int, out, talk string) {
	t.Helper()
	var answer, says bytes.Buffer
	command := d.Command(t.Context(), args...)
	command.Stdout, command.Stderr = &answer, &says
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("reaperd %s: %v", strings.Join(args, " "), err)
	}
	return command.ProcessState.ExitCode(), answer.String(), says.String()
}

// Does runs one reaperd command that must succeed and returns its answer.
func (d *Daemon) Does(t *testing.T, args ...string) string {
	t.Helper()
	code, out, talk := d.Run(t, args...)
	if code != 0 {
		t.Fatalf("reaperd %s: exit %d\n%s%s", strings.Join(args, " "), code, out, talk)
	}
	return out
}

// Status returns what the daemon tells of its last look and of itself; answers is false if
// it does not answer.
func (d *Daemon) Status(t *testing.T) (told *account.Account, answers bool) {
	t.Helper()
	told = &account.Account{Decider: account.Decider{Daemon: &account.Daemon{}}}
	return told, d.told(t, told)
}

// told decodes what the daemon tells.
func (d *Daemon) told(t *testing.T, into any) (answers bool) {
	t.Helper()
	code, data := d.Get(t, "/v1/account")
	for code == http.StatusTooManyRequests { // whoever waits for something asks again and again
		code, data = d.Get(t, "/v1/account")
	}
	if code != http.StatusOK {
		return false
	}
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatalf("account: %v\n%s", err, data)
	}
	return true
}

// Pending returns what waits for its time in the daemon's last look.
func (d *Daemon) Pending(t *testing.T) (pending []account.Thing) {
	t.Helper()
	told, _ := d.Status(t)
	for i := range told.Things {
		if told.Things[i].Decision == "pending" {
			pending = append(pending, told.Things[i])
		}
	}
	return pending
}

// Report returns the daemon's last look.
func (d *Daemon) Report(t *testing.T) *farm.Report {
	t.Helper()
	report := &farm.Report{}
	if !d.told(t, report) {
		t.Fatal("the daemon does not answer")
	}
	return report
}

// Get asks the daemon over its socket. A code of 0 means that it has not answered.
func (d *Daemon) Get(t *testing.T, path string) (code int, body string) {
	t.Helper()
	client := &http.Client{Timeout: actor.Patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", d.Socket())
		},
	}}
	return get(t, client, "http://localhost"+path)
}

// GetPort asks the program that has the TCP port. A code of 0 means that it has not
// answered.
func GetPort(t *testing.T, address, path string) (code int, body string) {
	t.Helper()
	client := &http.Client{Timeout: actor.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	return get(t, client, "http://"+address+path)
}

func get(t *testing.T, client *http.Client, url string) (code int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		return 0, ""
	}
	return response.StatusCode, text.String()
}

// Metric returns the sum of the samples of one metric whose labels contain all of these,
// each written name="value". A missing metric is 0.
func (d *Daemon) Metric(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	_, text := d.Get(t, "/metrics")
	return sum(text, name, labels)
}

// AwaitSweeps waits until the daemon has published that many sweeps.
func (d *Daemon) AwaitSweeps(t *testing.T, count float64) {
	t.Helper()
	farm.Eventually(t, "the daemon has swept", func() bool {
		if code, ended := d.Ended(); ended {
			t.Fatalf("the daemon has ended with %d", code)
		}
		return d.Metric(t, "reaperd_sweeps_total") >= count
	})
}

// AwaitMore waits for that many further sweeps.
func (d *Daemon) AwaitMore(t *testing.T, count float64) {
	t.Helper()
	d.AwaitSweeps(t, d.Metric(t, "reaperd_sweeps_total")+count)
}

// AwaitNoAct waits until no act is under way.
func (d *Daemon) AwaitNoAct(t *testing.T) {
	t.Helper()
	farm.Eventually(t, "no act is under way", func() bool {
		told, answers := d.Status(t)
		return answers && !slices.ContainsFunc(told.Things, func(thing account.Thing) bool { return thing.UnderWay })
	})
}

// Journal returns the daemon's journal: the outcomes, and the intentions without an
// outcome.
func (d *Daemon) Journal(t *testing.T) (outcomes, unfinished []journal.Entry) {
	t.Helper()
	history := journal.History{Path: filepath.Join(d.State(), journal.FileName)}
	for entry, err := range history.Read(journal.Filter{}) {
		if err != nil {
			t.Fatalf("journal: %v", err)
		}
		if entry.Phase == journal.PhaseOutcome {
			outcomes = append(outcomes, entry)
		}
	}
	unfinished, err := history.Unfinished(time.Time{})
	if err != nil {
		t.Fatalf("journal: %v", err)
	}
	return outcomes, unfinished
}

// Gone waits until all of these parts are gone, and returns how long it took.
func Gone(t *testing.T, live *farm.Live, names ...string) time.Duration {
	t.Helper()
	began := time.Now()
	for _, name := range names {
		being := live.Being(t, name)
		farm.Eventually(t, name+" is gone", func() bool { return !being.Alive() })
	}
	return time.Since(began)
}

// Live checks that all of these parts live.
func Live(t *testing.T, live *farm.Live, names ...string) {
	t.Helper()
	for _, name := range names {
		if !live.Being(t, name).Alive() {
			t.Errorf("%s is dead and was to be kept", name)
		}
	}
}
