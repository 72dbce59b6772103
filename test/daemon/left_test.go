//go:build linux

package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

// builder is a session that has started a dev server by a shell, and speaks to a language server.
func builder(name string, uid int, folder string) actor.Part {
	dev := cast.Listening(cast.Node(name+"-dev", "/home/"+folder+"/web/node_modules/.bin/next", "dev"), "tcp")
	shell := actor.Part{
		Name: name + "-shell", Exe: "bash", Argv: []string{"bash", "-c", "unalias -a && eval 'npm run dev'"},
		Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Children: []actor.Part{dev},
	}
	language := cast.Deaf(actor.Part{
		Name: name + "-lsp", Exe: "gopls", Argv: []string{"gopls", "-mode=stdio", "-logfile=/home/" + folder + "/lsp.log"},
		Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server,
	})
	part := cast.Claude(name, shell, language)
	part.UID = uid
	return part
}

// portOf is the port on which a part listens.
func portOf(t *testing.T, live *farm.Live, name string) string {
	t.Helper()
	address, err := live.Folder.Read(name + ".addr")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address[strings.LastIndexByte(address, ':')+1:])
}

// leftBy is the row that tells what a part of builder's also left.
func leftBy(t *testing.T, live *farm.Live, name string) (title, names string) {
	t.Helper()
	return "also left by claude-code " + pid(t, live, name), fmt.Sprintf("next dev :%s, gopls %s", portOf(t, live, name+"-dev"), pid(t, live, name+"-lsp"))
}

// TestWhatASessionAlsoLeftIsToldToItsUserAndNothingActsOnIt: the daemon saw a dev server and a language server below
// two sessions that have ended since, and below one that lives. Every rule ends what it finds.
func TestWhatASessionAlsoLeftIsToldToItsUserAndNothingActsOnIt(t *testing.T) {
	shared(t, leaks.Everything(), func(t *testing.T, live *farm.Live, root *daemon.Daemon) {
		live.Start(t, []actor.Part{builder("a3", alice, "alices"), builder("a4", alice, "alices"), builder("b3", bob, planted)})
		a, b := root.As(alice), root.As(bob)
		root.AwaitMore(t, 2)
		for _, who := range []*daemon.Daemon{root, a, b} {
			if told := who.Does(t, "scan"); strings.Contains(told, "also left") || strings.Contains(told, "gopls") {
				t.Errorf("while the sessions live:\n%s", told)
			}
		}
		live.KillAll(t, []string{"a3", "b3"})
		title, names := leftBy(t, live, "a3")
		root.AwaitMore(t, 3)
		if told := a.Does(t, "scan"); !strings.Contains(told, title) || !strings.Contains(told, names) {
			t.Fatalf("no %q, %q in\n%s", title, names, told)
		}
		his, _ := leftBy(t, live, "b3")
		if told := a.Does(t, "scan"); strings.Count(told, "also left") != 1 || strings.Contains(told, his) {
			t.Errorf("hers:\n%s", told)
		}
		if told := b.Does(t, "scan"); strings.Count(told, "also left") != 1 || !strings.Contains(told, his) {
			t.Errorf("his:\n%s", told)
		}
		hidesBobs(t, live, a)
		for _, row := range []struct{ word, says string }{
			{pid(t, live, "a3"), "also left  " + names},
			{pid(t, live, "a3-dev"), "claude-code " + pid(t, live, "a3") + " started it, and has ended. reaperd never touches it."},
		} {
			if _, out, _ := a.Run(t, "explain", row.word); !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(row.says), " ")) {
				t.Errorf("explain %s: no %q in\n%s", row.word, row.says, out)
			}
		}
		for _, who := range []*daemon.Daemon{a, root} {
			for _, word := range []string{pid(t, live, "a3-dev"), pid(t, live, "a3-lsp"), pid(t, live, "a3-shell"), pid(t, live, "a3"), "next", "gopls", "gopl*", "also*"} {
				refused(t, who, "sweep", "--yes", "--settle", "0", word)
			}
		}
		root.AwaitMore(t, 5)
		daemon.Live(t, live, "a3-shell", "a3-dev", "a3-lsp", "b3-dev", "b3-lsp", "a4", "a4-dev", "a4-lsp")
		if outcomes, unfinished := root.Journal(t); len(outcomes)+len(unfinished) > 0 {
			t.Errorf("journal: %v %v", outcomes, unfinished)
		}

		root.Kill(t) // the next daemon has not seen the session
		again := daemon.Start(t, live, daemon.Options{Policy: leaks.Everything(), Host: true, Args: []string{"--listen", ""}})
		for _, who := range []uint32{alice, bob} {
			var told account.Account
			decoded(t, again.As(who), &told, "scan")
			if len(told.AlsoLeft) != 1 || len(told.AlsoLeft[0].PIDs) != 2 || told.AlsoLeft[0].Session.Name != "claude-code" {
				t.Errorf("user %d, after a restart: %+v", who, told.AlsoLeft)
			}
		}
		live.KillAll(t, []string{"a3-dev", "a3-lsp", "a3-shell"})
		again.AwaitMore(t, 2)
		if told := again.As(alice).Does(t, "scan"); strings.Contains(told, "also left") {
			t.Errorf("when it has ended:\n%s", told)
		}
	})
}

// TestAContainerThatASessionStartedDetachedIsToldAndNothingActsOnIt: the docker run -d ended long before its session
// did. Nobody's session started the other container.
func TestAContainerThatASessionStartedDetachedIsToldAndNothingActsOnIt(t *testing.T) {
	farm.Demand(t, farm.NoEngine())
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		engine := farm.StartEngine(t, live)
		engine.Docker(t, "tag", farm.Image, "postgres")
		engine.Docker(t, "run", "-d", "--network", "none", "--name", "other", "-e", farm.Contained("other"), "postgres")
		engine.Adopt(t, "other")
		d := daemon.Start(t, live, daemon.Options{Policy: leaks.Everything()})
		run := engine.Client("db", "run", "-d", "--network", "none", "--name", "db", "-e", actor.EnvPart, "postgres")
		run.Stdin, run.Stdout = actor.Null, actor.Null
		engine.Up(t, cast.Claude("claude", run), "db")
		farm.Eventually(t, "the docker run -d has ended", func() bool { return !live.Being(t, "db-client").Alive() })
		d.AwaitMore(t, 2)
		if told := d.Does(t, "scan"); strings.Contains(told, "also left") {
			t.Errorf("while the session lives:\n%s", told)
		}
		live.KillAll(t, []string{"claude"})
		want := "also left by claude-code " + pid(t, live, "claude")
		farm.Eventually(t, "what the session left is told", func() bool { return strings.Contains(d.Does(t, "scan"), want) })
		if told := d.Does(t, "scan"); !strings.Contains(told, "container db") || strings.Contains(told, "other") {
			t.Errorf("told:\n%s", told)
		}
		for _, word := range []string{"db", "postgres", pid(t, live, "claude")} {
			if _, out, _ := d.Run(t, "sweep", "--yes", "--settle", "0", word); out != "" && !strings.HasPrefix(out, "Nothing to stop of what was named.") {
				t.Errorf("sweep %s:\n%s", word, out)
			}
		}
		d.AwaitMore(t, 3)
		daemon.Live(t, live, "db", "other")
		if outcomes, unfinished := d.Journal(t); len(outcomes)+len(unfinished) > 0 {
			t.Errorf("journal: %v %v", outcomes, unfinished)
		}
	})
}
