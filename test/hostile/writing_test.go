//go:build linux

package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// writingAnswer is what a command came to.
type writingAnswer struct {
	code      int
	out, talk string
	endless   bool // it had to be ended
}

// writingRuns runs a command of reaperd as a user, with nothing but this environment.
func writingRuns(t *testing.T, uid uint32, folder string, env []string, args ...string) writingAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, farm.Program("reaperd"), args...)
	command.Env, command.Dir = append([]string{"PATH=" + os.Getenv("PATH")}, env...), folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	var out, talk strings.Builder
	command.Stdout, command.Stderr = &out, &talk
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return writingAnswer{command.ProcessState.ExitCode(), out.String(), talk.String(), ctx.Err() != nil}
}

// A user without HOME, as in a service. Another user has made what would be the state folder below the folder for temporary
// files: his socket answers there, and the journal is a link to a file of the first user's.
func TestAStateFolderThatSomebodyElseMadeIsNotUsed(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		temporary := live.Folder.Path("tmp")
		planted := filepath.Join(temporary, fmt.Sprintf("reaperd-%d", cast.Ordinary))
		mine := live.Folder.Path("profile")
		if err := errors.Join(os.MkdirAll(planted, 0o777), os.Chmod(planted, 0o777), os.Chown(planted, actingLone, actingLone), os.WriteFile(mine, []byte("mine"), 0o600),
			os.Chown(mine, cast.Ordinary, cast.Ordinary), os.Symlink(mine, filepath.Join(planted, journal.FileName))); err != nil {
			t.Fatal(err)
		}
		writingStranger(t, filepath.Join(planted, "reaperd.sock"))
		for _, args := range [][]string{{"run", "--listen", ""}, {"status"}, {"page"}, {"scan"}} {
			got := writingRuns(t, cast.Ordinary, "/", []string{"TMPDIR=" + temporary}, args...)
			if got.code != 2 || !strings.Contains(got.talk, "REAPERD_STATE_DIR") || strings.Contains(got.out+got.talk, "STRANGER") {
				t.Errorf("reaperd %s: exit %d, endless %v\n%.600s%.600s", strings.Join(args, " "), got.code, got.endless, got.out, got.talk)
			}
		}
		// Named, it is refused all the same.
		for _, args := range [][]string{{"run", "--listen", ""}, {"status"}, {"page"}, {"pause", "1h"}} {
			got := writingRuns(t, cast.Ordinary, "/", []string{"REAPERD_STATE_DIR=" + planted}, args...)
			if got.code == 0 || got.endless || !strings.Contains(got.talk, "another user") && !strings.Contains(got.talk, "others can write") {
				t.Errorf("reaperd %s: exit %d, endless %v\n%.600s%.600s", strings.Join(args, " "), got.code, got.endless, got.out, got.talk)
			}
		}
		if got := writingRuns(t, cast.Ordinary, "/", nil, "version"); got.code != 0 {
			t.Errorf("version without a home: %+v", got)
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
			t.Errorf("the user's own file is %q (%v)", text, err)
		}
	})
}

// writingStranger answers at a socket in the place of a daemon, as another user.
func writingStranger(t *testing.T, path string) {
	t.Helper()
	listener, err := writingListen(path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"version":1,"STRANGER":true}`)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
}

// writingListen listens with the rights of the lone user, whom the kernel then names.
func writingListen(path string) (listener net.Listener, err error) {
	done := make(chan struct{})
	go func() { // its thread ends with it
		defer close(done)
		writingBecome(actingLone)
		listener, err = net.Listen("unix", path)
	}()
	<-done
	if err == nil {
		err = os.Chmod(path, 0o777)
	}
	return listener, err
}

// Before somebody types `reaperd wrap` in a cloned repository, or root in a user's folder, links were put there.
func TestWrapReadsNoDeviceAndWritesThroughNoStrangersLink(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		const file = `{"mcpServers": {"x": {"command": "npx", "args": ["-y", "x"]}}}`
		env := []string{"HOME=" + live.Folder.Path("home"), "REAPERD_STATE_DIR=" + live.Folder.Path("home", "state")}
		for _, row := range []struct {
			says, link, at string
			args           []string
		}{
			{"a backup without an end", ".mcp.json.before-reaperd", "/dev/zero", []string{"wrap", "--yes", "--undo", ".mcp.json"}},
			{"a backup in /proc", ".mcp.json.before-reaperd", "/proc/self/pagemap", []string{"wrap", "--yes", "--undo", ".mcp.json"}},
			{"a file in /proc", ".mcp.json", "/proc/self/pagemap", []string{"wrap", "--check", "."}},
			{"a device", ".mcp.json", "/dev/zero", []string{"wrap", "--check", ".mcp.json"}},
		} {
			clone := live.Folder.Path("clone-" + strings.ReplaceAll(row.says, " ", "-"))
			readingConfigure(t, clone, file)
			if got := writingRuns(t, 0, clone, env, "wrap", "--yes", "--program", "reaperd", ".mcp.json"); got.code != 0 {
				t.Fatalf("%s: wrap: %+v", row.says, got)
			}
			_ = os.Remove(filepath.Join(clone, row.link))
			if err := os.Symlink(row.at, filepath.Join(clone, row.link)); err != nil {
				t.Fatal(err)
			}
			if got := writingRuns(t, 0, clone, env, row.args...); got.endless {
				t.Errorf("%s: reaperd %s reads without an end", row.says, strings.Join(row.args, " "))
			}
		}

		roots, bobs := live.Folder.Path("roots.json"), live.Folder.Path("bobs")
		if err := errors.Join(os.WriteFile(roots, []byte(file), 0o600), os.Mkdir(bobs, 0o755), os.Symlink(roots, filepath.Join(bobs, ".mcp.json")),
			os.Lchown(filepath.Join(bobs, ".mcp.json"), cast.Ordinary, cast.Ordinary), os.Chown(bobs, cast.Ordinary, cast.Ordinary)); err != nil {
			t.Fatal(err)
		}
		got := writingRuns(t, 0, bobs, env, "wrap", "--yes", ".")
		if text, _ := os.ReadFile(roots); string(text) != file || got.code == 0 || strings.Contains(got.out, "npx") {
			t.Errorf("root's file, through a user's link: exit %d\n%s%s%s", got.code, text, got.out, got.talk)
		}
		own := live.Folder.Path("own")
		if err := errors.Join(os.Mkdir(own, 0o755), os.Symlink(roots, filepath.Join(own, ".mcp.json"))); err != nil {
			t.Fatal(err)
		}
		if got := writingRuns(t, 0, own, env, "wrap", "--dry-run", ".mcp.json"); got.code != 0 || !strings.Contains(got.talk, "is a link: the file is "+roots) {
			t.Errorf("root's own link is not named: exit %d\n%s%s", got.code, got.out, got.talk)
		}
	})
}

// Names with characters that move a terminal's cursor or turn its text around, in the files and lines that a person may read
// on a terminal.
func TestNoInvisibleCharacterIsInTheJournalTheLogOrExecsErrors(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		server := readingServer("gone", "left\u202eright", "c1\u009b31m", "tag\U000e0041")
		server.Children[0].Cwd = "home/x\u202ey\u009b1m"
		live.Start(t, []actor.Part{server})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy, Args: []string{"--log-level", "debug"}})
		live.KillAll(t, []string{"gone"})
		daemon.Gone(t, live, "gone-server")
		farm.Eventually(t, "the outcome is written", func() bool { return len(actingJournalled(d)) >= 2 })
		book, err := os.ReadFile(filepath.Join(d.State(), journal.FileName))
		if err != nil || !strings.Contains(string(book), "right") {
			t.Fatalf("the journal does not have the arguments: %v\n%s", err, book)
		}
		exec := writingRuns(t, 0, "/", []string{"HOME=/"}, "exec", "--", "nosuch\x1b[31m\u202e\u009b2J")
		exec.talk += writingRuns(t, 0, "/", []string{"HOME=/"}, "exec", "--no\x1b[31msuch").talk
		if !strings.Contains(exec.talk, "nosuch") {
			t.Errorf("exec says %q", exec.talk)
		}
		for name, text := range map[string]string{"journal": string(book), "log": d.Said(), "exec's error": exec.talk} {
			for _, r := range text {
				if r != '\n' && r < ' ' || r >= unicode.MaxASCII && !unicode.IsGraphic(r) {
					t.Errorf("%s: %U is raw", name, r)
					break
				}
			}
		}
	})
}

// No file of the daemon's may grow: space can be set aside, and no line be written.
func TestAJournalThatMayNotGrowIsNotReady(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		orphans := actingOrphans(t, live, actingCrowdOf{"orphan", actingCrowd, 1, "/bin/sleep", actingSleeps})
		d := daemon.Start(t, live, daemon.Options{Policy: actingPolicy("1s")})
		limit := unix.Rlimit{Max: unix.RLIM_INFINITY}
		if err := unix.Prlimit(d.PID(), unix.RLIMIT_FSIZE, &limit, nil); err != nil {
			t.Fatal(err)
		}
		more := actingOrphans(t, live, actingCrowdOf{"more", actingCrowd, 1, "/bin/sleep", actingSleeps})
		farm.Eventually(t, "it is not ready", func() bool { code, _ := d.Get(t, "/readyz"); return code == http.StatusServiceUnavailable })
		d.AwaitMore(t, 3)
		if code, _ := d.Get(t, "/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("three looks later it is ready: %d", code)
		}
		if code, out, _ := d.Run(t, "status"); code == 0 || strings.Contains(out, "it is well") {
			t.Errorf("status: exit %d\n%s", code, out)
		}
		if actingAlive(more) == 0 {
			t.Error("something was ended without a record")
		}
		if err := unix.Prlimit(d.PID(), unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
		farm.Eventually(t, "where files may grow again, all are gone", func() bool { return actingAlive(more)+actingAlive(orphans) == 0 })
		farm.Eventually(t, "and it is ready", func() bool { code, _ := d.Get(t, "/readyz"); return code == http.StatusOK })
	})
}

// writingBecome gives the present thread the identity of a user. The thread ends with its goroutine.
func writingBecome(uid int) {
	runtime.LockOSThread()
	_, _, _ = unix.RawSyscall(unix.SYS_SETRESGID, uintptr(uid), uintptr(uid), 0)
	_, _, _ = unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), 0)
}
