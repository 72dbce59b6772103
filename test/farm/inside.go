//go:build linux

package farm

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Environment variables that the outer run of a test binary sets for the inner one.
const (
	envInside   = "FARM_INSIDE"   // set in the namespace
	envPrograms = "FARM_PROGRAMS" // the folder of the built programs
	envWorld    = "FARM_WORLD"    // the folder of the world
)

// First is the kind of the namespace's first process.
type First string

// The first processes.
const (
	Tini  First = ""      // tini, or Plain if tini is not installed
	Plain First = "plain" // an init whose name reaperd does not know
)

// Main is for TestMain of a package with live worlds: outside it builds the programs,
// inside it prepares the namespace.
func Main(m *testing.M) { MainOf(m, 4) }

// MainOf is [Main] with a number of worlds that run at the same time: they mostly wait.
// -test.parallel on the command line takes precedence.
func MainOf(m *testing.M, worlds int) {
	status, err := run(m, worlds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "farm:", err)
		status = 1
	}
	os.Exit(status)
}

// run keeps what the shell of whoever runs the tests left open out of the worlds: the other end of a
// pipe from outside is somebody's who cannot be seen there, and keeps whatever has it.
func run(m *testing.M, worlds int) (int, error) {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if inside() {
		if err := enter(); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	if err := flag.Set("test.parallel", strconv.Itoa(worlds)); err != nil {
		return 0, err
	}
	if missing() != "" {
		return m.Run(), nil
	}
	programs, err := os.MkdirTemp("", "reaperd-programs-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(programs)
	removeOnInterrupt(programs)
	if err := build(programs); err != nil {
		return 0, err
	}
	if err := os.Setenv(envPrograms, programs); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func inside() bool { return os.Getenv(envInside) != "" }

// missing names the things that a live world needs and this machine lacks.
func missing() string {
	if os.Getuid() != 0 {
		return "a PID namespace needs root"
	}
	return ""
}

// Demand skips the test because want is missing, or fails it if REAPERD_TEST_REQUIRE says
// that live tests must run.
func Demand(t *testing.T, want string) {
	t.Helper()
	if want == "" {
		return
	}
	if strings.Contains(os.Getenv("REAPERD_TEST_REQUIRE"), "docker") {
		t.Fatalf("required by REAPERD_TEST_REQUIRE: %s", want)
	}
	t.Skip("left out: " + want)
}

// Inside runs body in namespaces of its own: it runs the test of the same name in a
// second run of the test binary. The outer run waits for it and shows its output if it
// fails.
func Inside(t *testing.T, first First, body func(t *testing.T)) {
	t.Helper()
	if inside() {
		body(t)
		return
	}
	Demand(t, missing())
	if err := lookAtSources(); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	var said bytes.Buffer
	control, command := again(t, first, worldFolder(t), &said)
	err := command.Run()
	_ = control.Close()
	for _, line := range summaries(said.String()) {
		t.Log(line)
	}
	if err != nil {
		t.Fatalf("inside: %v\n%s", err, said.String())
	}
}

// summaryMark starts a line of the inner run that the outer one repeats.
const summaryMark = "farm: "

// Figure logs a line of the inner run that the outer one repeats.
func Figure(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf(summaryMark+format, args...)
}

func summaries(said string) (lines []string) {
	for line := range strings.Lines(said) {
		if _, text, ok := strings.Cut(line, summaryMark); ok {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return lines
}

// again returns the command that runs this test inside. control is the other end of the
// inner run's stdin: when this process ends in any way, the inner run ends, and with it
// the namespace.
func again(t *testing.T, first First, world string, said io.Writer) (control *os.File, command *exec.Cmd) {
	t.Helper()
	ours, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	init, env := firstProcess(first)
	command = exec.CommandContext(t.Context(), init[0], append(init[1:], ours, "-test.run="+exactly(t.Name()), "-test.v", "-test.timeout="+timeout().String())...)
	command.Env = append(os.Environ(), append(env, envInside+"=1", envWorld+"="+world)...)
	command.Stdout, command.Stderr = said, said
	read, control, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	command.Stdin = read
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET,
		Setsid:     true,
	}
	return control, command
}

// timeout returns the time limit of the inner run, half of the outer run's, so that the
// inner run reports where it hangs.
func timeout() time.Duration {
	outer, ok := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	if !ok {
		return 5 * time.Minute
	}
	return outer / 2
}

// worldFolder makes a folder open to all users, since a world may contain any user. Like
// /tmp it is sticky: others must not replace files that steer reaperd. The outer run
// removes it once everything mounted below it is gone.
func worldFolder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "reaperd-farm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	for _, name := range []string{"", "run", "bin", "home"} {
		folder := filepath.Join(path, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o777|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func firstProcess(first First) (argv, env []string) {
	if tini, err := exec.LookPath("tini"); err == nil && first == Tini {
		return []string{tini, "--"}, nil
	}
	return []string{Program("actor")}, []string{actor.EnvInit + "=1"}
}

// exactly returns the -test.run pattern of one test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// enter makes the namespace a world, with its own process table and loopback. The world
// ends when the outer run ends.
func enter() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := hideHost(); err != nil {
		return err
	}
	if err := hideHomes(actor.Folder(os.Getenv(envWorld))); err != nil {
		return err
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	control, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fmt.Errorf("keep control: %w", err)
	}
	go func() {
		_, _ = unix.Read(control, make([]byte, 1))
		_ = os.RemoveAll(os.Getenv(envWorld)) // the outer run is gone and cannot do it
		os.Exit(1)
	}()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	return unix.Dup3(int(null.Fd()), 0, 0)
}

// hideHost hides the sockets of the host's Docker and systemd. Only a mount namespace
// hides a socket with a path.
func hideHost() error {
	for _, folder := range []string{"/run", "/var/run"} {
		if real, err := filepath.EvalSymlinks(folder); err != nil || real != folder {
			continue
		}
		if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
			return fmt.Errorf("hide %s: %w", folder, err)
		}
	}
	return nil
}

// hideHomes gives the only user the world's home, so that reaperd finds the
// configurations of the world's clients alone.
func hideHomes(folder actor.Folder) error {
	path := folder.Path("run", "passwd")
	users := "root:x:0:0:root:" + folder.Path("home") + ":/bin/sh\n"
	if err := os.WriteFile(path, []byte(users), 0o644); err != nil {
		return err
	}
	if err := unix.Mount(path, "/etc/passwd", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("hide /etc/passwd: %w", err)
	}
	return nil
}

func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
