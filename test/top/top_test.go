//go:build linux

package top_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/terminal"
)

func TestMain(m *testing.M) {
	if os.Getenv(envPanics) != "" {
		panics()
	}
	farm.Main(m)
}

// usual is the size of a terminal that nobody has made larger.
var usual = terminal.Size{Width: 80, Height: 24}

// on is `reaperd top` on a terminal.
type on struct {
	*terminal.Terminal
	t       *testing.T
	command *exec.Cmd
}

// run starts a command on a terminal of its own.
func run(t *testing.T, command *exec.Cmd, env ...string) *on {
	t.Helper()
	return runAt(t, usual, command, env...)
}

func runAt(t *testing.T, size terminal.Size, command *exec.Cmd, env ...string) *on {
	t.Helper()
	it, err := terminal.Open(size)
	if err != nil {
		t.Skip("left out: no terminal can be made here: ", err)
	}
	t.Cleanup(it.Close)
	command.Env = append(append(command.Env, "TERM=xterm-256color", "LANG=C.UTF-8"), env...)
	if err := it.Start(command); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return &on{it, t, command}
}

// shows waits until all texts are on the screen.
func (o *on) shows(texts ...string) {
	o.t.Helper()
	o.await("the screen shows "+strings.Join(texts, " and "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// hides waits until a text is not on the screen.
func (o *on) hides(text string) {
	o.t.Helper()
	o.await("the screen does not show "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (o *on) await(claim string, holds func(string) bool) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), actor.Patience)
	defer cancel()
	if err := o.Await(ctx, holds); err != nil {
		o.t.Fatalf("%s: %v", claim, err)
	}
}

// types types keys and waits for texts.
func (o *on) types(keys string, texts ...string) {
	o.t.Helper()
	if err := o.Type(keys); err != nil {
		o.t.Fatal(err)
	}
	o.shows(texts...)
}

// ends waits for the end of the program, and checks that the terminal is as it was.
func (o *on) ends(code int) {
	o.t.Helper()
	_ = o.command.Wait()
	if got := o.command.ProcessState.ExitCode(); got != code {
		o.t.Errorf("it ended with %d, want %d:\n%s", got, code, o.Text())
	}
	o.leftTheScreen()
	if raw, err := o.IsRaw(); raw || err != nil {
		o.t.Errorf("the terminal still gives keys one by one, without an echo (%v)", err)
	}
}

// leftTheScreen waits until the alternate screen is left, with a cursor. A shell at
// its prompt has modes of its own.
func (o *on) leftTheScreen() {
	o.t.Helper()
	farm.Eventually(o.t, "the alternate screen is left", func() bool {
		written := o.Written()
		return strings.LastIndex(written, leaveScreen) > strings.LastIndex(written, enterScreen) &&
			strings.LastIndex(written, showCursor) > strings.LastIndex(written, hideCursor)
	})
}

// What takes the alternate screen and hides the cursor, and what ends that.
const (
	enterScreen, leaveScreen = "\x1b[?1049h", "\x1b[?1049l"
	hideCursor, showCursor   = "\x1b[?25l", "\x1b[?25h"
)

// leak is a world with a live session and one that is dead when keys are typed.
func leak() farm.World {
	return farm.World{
		Name: "a session that died left a server, another one lives",
		Parts: []actor.Part{
			cast.Claude("claude", cast.Filesystem("files", actor.Pipe, "/tmp")),
			cast.Session("codex", "codex", cast.Memory("left", actor.Pipe)),
		},
		Kill: []string{"codex"},
	}
}

// within raises a world and kills in it what its row says.
func within(t *testing.T, world farm.World, test func(t *testing.T, live *farm.Live)) {
	farm.Within(t, world, func(t *testing.T, live *farm.Live) {
		live.KillAll(t, world.Kill)
		test(t, live)
	})
}

func TestKeysFilterFoldPinStopAndQuit(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		top := run(t, live.Command(t, "top"))
		top.shows("1 MCP server leaked", "LEAKED", "memory", "claude-code", "filesystem", "No daemon")

		top.types("/memory\r", "filter: memory")
		top.hides("filesystem")
		top.types("\x1b", "filesystem")

		top.types("G\r", "in use by claude-code", "sh -c")
		top.types("\x1bhh")
		top.hides("filesystem")
		top.types("l", "filesystem")

		top.types("gn\r", "leaked: nobody uses it", "orphaned", "reaperd pin", "SIGTERM")
		top.types("p", "Pinned mcp-server-memory", "is kept: reaperd pin keeps it")
		top.types("\x1b", "KEPT", "MCP server kept", "p unpin")
		daemon.Live(t, live, "left", "left-npm", "left-sh")
		top.types("x", "is kept: reaperd pin keeps it")
		top.types("p", "Unpinned mcp-server-memory", "LEAKED", "x stop")

		top.types("x", "Stop 1 MCP server", "y yes, n no", "mcp-server-memory")
		top.types("n", "Nothing stopped.")
		daemon.Live(t, live, "left", "left-npm", "left-sh")
		top.types("x", "Stop 1 MCP server")
		top.types("y", "Stopped 1")
		daemon.Gone(t, live, "left", "left-npm", "left-sh")
		daemon.Live(t, live, "claude", "files", "files-npm", "files-sh")
		top.shows("Nothing to do.")
		top.hides("LEAKED")
		if history := live.Tell(t, "history"); !strings.Contains(history, "memory") {
			t.Errorf("the journal does not tell of it:\n%s", history)
		}
		top.types("q")
		top.ends(0)
	})
}

func TestADaemonsLooksAreShownAndWhatItReapsGoes(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		rules := func(held string) string {
			return "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: orphaned-servers, for: " + held + ", grace: 30s}\n"
		}
		d := daemon.Start(t, live, daemon.Options{Policy: rules("1h")})
		top := run(t, d.Command(t.Context(), "top"))
		top.shows("Acting ", "LEAKED", "stops in")
		d.WritePolicy(t, rules("1s"))
		daemon.Gone(t, live, "left", "left-npm", "left-sh")
		top.shows("Nothing to do.")
		top.types("e", "The last day", "stopped")
		top.types("\x1b", "IN USE")

		top.types("/claude\r", "filter: claude")
		top.types("p", "Pinned claude", "p unpin")
		if pins := d.Does(t, "pins"); !strings.Contains(pins, "claude") {
			t.Errorf("it is not pinned:\n%s", pins)
		}
		top.types("p", "Unpinned claude", "p pin")
		top.types("\x1b", "filesystem")
		if pins := d.Does(t, "pins"); strings.Contains(pins, "claude") {
			t.Errorf("it is still pinned:\n%s", pins)
		}
		top.types("P", "Paused for an hour.", "Paused until")
		if status := d.Does(t, "status"); !strings.Contains(status, "Paused") {
			t.Errorf("it is not paused:\n%s", status)
		}
		top.types("P", "Resumed.")
		top.hides("Paused")

		d.Kill(t) // and then it looks by itself
		top.shows("No daemon runs, so nothing stops by itself", "filesystem")
		top.types("\x03")
		top.ends(0)
	})
}

func TestTheTerminalIsGivenBack(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		for signal, code := range map[unix.Signal]int{unix.SIGTERM: 130, unix.SIGHUP: 130, unix.SIGINT: 130} {
			top := run(t, live.Command(t, "top"))
			top.shows("LEAKED")
			if err := top.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			top.ends(code)
		}
	})
}

// TestItIsAJobLikeAnyOther suspends it under a shell, and changes the size of the
// terminal.
func TestItIsAJobLikeAnyOther(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		top := live.Command(t, "top")
		shell := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
		shell.Env = append(top.Env, "PS1=prompt ")
		it := run(t, shell)
		it.shows("prompt")
		it.types(strings.Join(top.Args, " ")+"\n", "LEAKED")
		it.types("\x1a", "Stopped")
		it.leftTheScreen()
		it.types("echo the shell is $((40+2))\n", "the shell is 42")
		it.types("fg\n", "LEAKED", "claude-code")
		it.types("?", "Keys")
		it.types("q", "LEAKED")

		for _, size := range []terminal.Size{{Width: 40, Height: 10}, {Width: 120, Height: 30}, usual} {
			if err := it.Resize(size); err != nil {
				t.Fatal(err)
			}
			it.await("the foot is in the last line", func(screen string) bool {
				lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
				return len(lines) == size.Height && strings.Contains(lines[size.Height-1], "? help")
			})
		}
		it.types("q", "prompt")
		it.leftTheScreen()
		it.types("echo status $?\n", "status 0")
	})
}

func TestWithoutColourAndWithoutUTF8(t *testing.T) {
	within(t, leak(), func(t *testing.T, live *farm.Live) {
		coloured := run(t, live.Command(t, "top"))
		coloured.shows("LEAKED", "in use", "▾")
		if !colour.MatchString(coloured.Written()) {
			t.Error("there is no colour where there should be")
		}
		for _, env := range [][]string{{"NO_COLOR=1"}, {"REAPERD_COLOR=never"}, {"LANG=C", "NO_COLOR=1"}, {"TERM=vt100", "LANG=POSIX", "NO_COLOR=1"}} {
			top := run(t, live.Command(t, "top"), env...)
			top.shows("LEAKED", "in use")
			top.types("?", "Keys")
			if found := colour.FindString(top.Written()); found != "" {
				t.Errorf("%v: it writes %q", env, found)
			}
			if env[0] == "LANG=C" {
				for _, r := range top.Text() {
					if r > 0x7e {
						t.Fatalf("%v: %q is on the screen:\n%s", env, r, top.Text())
					}
				}
			}
			top.types("qq")
			top.ends(0)
		}
	})
}

// colour is what gives text a colour, or its ground.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m`)

func TestHostileArgumentsAreInert(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;owned\x07\x1b[?1049l\u202egnp.exe\u2066 漢字 \x9b31m"
	world := leak()
	server := cast.Filesystem("evil", actor.Pipe, "/tmp")
	server.Argv = append(server.Argv[:1:1], evil)
	leaf := &world.Parts[0].Children[0].Children[0].Children[0]
	leaf.Argv = append(leaf.Argv, evil, strings.Repeat(evil, 50))
	world.Parts = append(world.Parts, cast.Claude("claude-2", cast.Server("evil", evil+"-mcp", actor.Pipe, evil)))
	within(t, world, func(t *testing.T, live *farm.Live) {
		top := run(t, live.Command(t, "top"))
		top.shows("LEAKED")
		top.types("+Gl\r", "claude-code")
		for _, bad := range []string{"\x1b[2J", "owned\x07", "\u202e", "\u2066", "\u009b"} {
			if strings.Contains(strings.ReplaceAll(top.Written(), leaveScreen, ""), bad) {
				t.Errorf("%q reaches the terminal", bad)
			}
		}
		if strings.Contains(top.Written(), leaveScreen) {
			t.Error("an argument left the alternate screen")
		}
		top.types("qq")
		top.ends(0)
	})
}

func TestTheLogOfADaemonOnATerminalIsToBeRead(t *testing.T) {
	within(t, farm.World{Name: "nothing runs"}, func(t *testing.T, live *farm.Live) {
		running := run(t, live.Command(t, "run", "--listen", "", "--mode", "report"))
		running.shows(`msg="reaperd runs"`, "mode=report", "docker")
		running.types("\x03", "msg=ended")
		if written := running.Written(); strings.Contains(written, "level=INFO") {
			t.Errorf("it writes for programs:\n%s", written)
		}
		exact := run(t, live.Command(t, "run", "--listen", "", "--mode", "report", "--log-format", "text"))
		exact.shows("level=INFO", `msg="reaperd runs"`)
		exact.types("\x03", "msg=ended")
	})
}
