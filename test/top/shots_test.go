//go:build linux

package top_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/terminal"
)

// envShots is the folder that `hack/shots.sh` wants pictures in.
const envShots = "REAPERD_SHOTS"

// shot saves what the screen shows.
func (o *on) shot(name, title string) {
	o.t.Helper()
	picture := o.SVG(title)
	for _, needed := range []string{"<title>" + title, "claude-code", "</svg>"} {
		if !strings.Contains(picture, needed) {
			o.t.Errorf("the picture %s lacks %q", name, needed)
		}
	}
	folder := os.Getenv(envShots)
	if folder == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(picture), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

// TestPicturesAreMadeOfTheScreen makes the pictures of docs/images from a world like
// a developer's evening.
func TestPicturesAreMadeOfTheScreen(t *testing.T) {
	at := func(part actor.Part, folder string) actor.Part {
		part.Cwd = folder
		return part
	}
	world := farm.World{
		Name: "two live sessions, and what a third one left",
		Parts: []actor.Part{
			at(cast.Claude("claude", cast.Memory("memory", actor.Pipe), cast.Filesystem("files", actor.Pipe, "/tmp"), cast.UVX("fetch", "mcp-server-fetch", actor.Pipe)), "home"),
			at(cast.Session("gemini", "gemini", cast.UVX("git", "mcp-server-git", actor.Pipe)), "home"),
			at(cast.Session("codex", "codex", cast.Memory("left-1", actor.Pipe), cast.Filesystem("left-2", actor.Pipe, "/tmp")), "home"),
		},
	}
	within(t, world, func(t *testing.T, live *farm.Live) {
		const rules = "version: 1\nextends: builtin\nmode: enforce\nschedule: '@every 2s'\nrules:\n  - {name: orphaned-servers, for: 10m}\n"
		d := daemon.Start(t, live, daemon.Options{Policy: rules})
		d.AwaitMore(t, 2) // what was seen with its session is known to be the session's
		live.KillAll(t, []string{"codex"})
		d.AwaitMore(t, 2)
		scan := run(t, d.Command(t.Context(), "scan", "--dry-run", "--settle", "2s"))
		if err := scan.Resize(terminal.Size{Width: 96, Height: 30}); err != nil {
			t.Fatal(err)
		}
		_ = scan.command.Wait()
		scan.shows("claude-code", "policy")
		scan.shot("scan.svg", "reaperd scan")

		top := run(t, d.Command(t.Context(), "top"))
		if err := top.Resize(terminal.Size{Width: 96, Height: 24}); err != nil {
			t.Fatal(err)
		}
		top.shows("LEAKED", "stops in 9m", "claude-code")
		top.types("n")
		top.shot("top.svg", "reaperd top")
	})
}
