//go:build linux

package engine_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

// nobody is the uid of a user who does not reach the engine.
const nobody = 65534

// watched has a daemon see to a world before and after something happens to it,
// by which the named parts end. All else that lived must live, but for a container
// of another image whose session is killed: the daemon is known to act.
func watched(t *testing.T, e *engine, happen func(), ending ...string) {
	t.Helper()
	e.Docker(t, "tag", farm.Image, leaks.GitHub)
	e.Up(t, session("doomed", leaks.FromGateway(e.Engine, "orphan")), "orphan")
	e.live.World.Reap = []string{"orphan", "orphan-client"}
	e.live.World.Either = append(ending, "doomed")
	e.live.Through(t, func() *farm.Report {
		d := daemon.Start(t, e.live, daemon.Options{Policy: leaks.Shipped, Args: []string{"--listen", ""}})
		d.AwaitMore(t, 2)
		happen()
		e.live.KillAll(t, []string{"doomed"})
		daemon.Gone(t, e.live, "orphan", "orphan-client")
		d.AwaitMore(t, 3)
		return d.Report(t)
	})
}

// grown is the age at which a client must have its container: a younger one may
// still be creating it. The shipped policy waits for longer than that.
const grown = 10 * time.Second

// A person looks into the containers of a live session and leaves again. The
// engine closes the stdin of a container when one leaves who could write to it.
func TestAPersonsAttachChangesNothing(t *testing.T) {
	within(t, farm.World{}, func(t *testing.T, e *engine) {
		e.Up(t, session("alive", e.Run("written-to", actor.Pipe), e.Run("looked-at", actor.Pipe)), "written-to", "looked-at")
		started := time.Now()
		attach := func(name, container string, flags ...string) actor.Part {
			part := e.Client(name, append(append([]string{"attach"}, flags...), e.live.Being(t, container).Container)...)
			part.Stdin, part.Stdout = actor.Pipe, actor.File
			return part
		}
		e.live.Start(t, []actor.Part{cast.Shell("person", attach("writes", "written-to"), attach("reads", "looked-at", "--no-stdin"))})
		e.live.World.Answers = []string{"alive looked-at-client"}
		leaving := []string{"writes-client", "reads-client", "person"}
		watched(t, e, func() {
			farm.Eventually(t, "the clients have grown", func() bool { return time.Since(started) > grown })
			e.live.KillAll(t, leaving)
		}, leaving...)
	})
}

// fake has the words of a `docker run` and is none: any program may.
func fake(name string, argv ...string) actor.Part {
	return actor.Part{
		Name: name, Exe: "home/mallory/docker", Argv: append([]string{"docker"}, argv...),
		Stdin: actor.Pipe, Stdout: actor.Pipe,
	}
}

// liar is another user's session with such programs, which is killed.
func liar(name string, fakes ...actor.Part) actor.Part {
	part := cast.Claude(name, fakes...)
	part.UID = nobody
	return part
}

// Another user's programs say that they have the containers of a live session:
// by a name, from before the real client was there, and by a file with an id, from
// beside it. They are orphaned, and then they end.
func TestAnotherUsersWordsCondemnNoContainer(t *testing.T) {
	within(t, farm.World{}, func(t *testing.T, e *engine) {
		named := func(name string) actor.Part { return fake(name, "run", "-i", "--rm", "--name", "memory", farm.Image) }
		e.live.Start(t, []actor.Part{liar("earlier", named("older"))})
		e.Up(t, session("alive", e.Run("used", actor.Pipe, "--name", "memory"), e.Run("used-2", actor.Pipe)), "used", "used-2")
		claimed := map[string]string{"used.id": "used", "used-2.id": "used-2"}
		for file, name := range claimed {
			writeAs(t, nobody, e.live.Folder.Path("home", file), e.live.Being(t, name).Container)
		}
		byFile := func(name, file string) actor.Part {
			return fake(name, "run", "-i", "--cidfile", e.live.Folder.Path("home", file), farm.Image)
		}
		fakes := []string{"older", "younger", "file", "file-2", "looks"}
		e.live.Start(t, []actor.Part{liar("later", named("younger"), byFile("file", "used.id"), byFile("file-2", "used-2.id"),
			fake("looks", "attach", e.live.Being(t, "used").Container))})
		e.live.KillAll(t, []string{"earlier", "later"})
		e.live.World.Answers = []string{"alive used-client", "alive used-2-client"}
		watched(t, e, func() {
			for _, name := range fakes {
				if e.live.Being(t, name).Alive() {
					e.live.KillAll(t, []string{name})
				}
			}
		}, fakes...)
	})
}

// writeAs writes a file that belongs to a user.
func writeAs(t *testing.T, uid int, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.TrimSpace(text)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, uid); err != nil {
		t.Fatal(err)
	}
}
