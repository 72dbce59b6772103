//go:build linux

package top_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/terminal"
)

// envShots is the folder that hack/shots.sh wants pictures in.
const envShots = "REAPERD_SHOTS"

// TestPicturesAreMadeOfTheScreen makes the pictures of docs/images, of the world
// that `reaperd demo` plays.
func TestPicturesAreMadeOfTheScreen(t *testing.T) {
	if os.Geteuid() != 0 {
		farm.Demand(t, "the world of reaperd demo needs root")
	}
	for _, row := range []struct {
		name, title string
		args        []string
		size        terminal.Size
		shows       []string
		keys        string
	}{
		{"scan.svg", "reaperd scan", []string{"scan"}, terminal.Size{Width: 96, Height: 30}, []string{"IN USE", "PENDING", "policy "}, ""},
		{"top.svg", "reaperd top", []string{"top"}, terminal.Size{Width: 96, Height: 18}, []string{"LEAKED", "stops in", "codex"}, "nn"},
	} {
		t.Run(row.name, func(t *testing.T) {
			reaperd := farm.Program("reaperd")
			command := exec.CommandContext(t.Context(), reaperd, append([]string{"demo", "--fast", "--", reaperd}, row.args...)...)
			command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			it := runAt(t, row.size, command)
			it.shows(row.shows...)
			it.types(row.keys, row.shows...)
			it.shot(row.name, row.title)
		})
	}
}

// shot saves what the screen shows, where somebody wants it.
func (o *on) shot(name, title string) {
	o.t.Helper()
	picture := o.SVG(title)
	for _, needed := range []string{"<title>" + title + "</title>", ">codex ", "</svg>"} {
		if !strings.Contains(picture, needed) {
			o.t.Errorf("the picture %s lacks %q", name, needed)
		}
	}
	if folder := os.Getenv(envShots); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(picture), 0o644); err != nil {
			o.t.Fatal(err)
		}
	}
}
