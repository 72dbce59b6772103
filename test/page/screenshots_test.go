package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/eventually"
	"github.com/reaperd/reaperd/test/page/window"
)

// TestScreenshots takes the pictures of the documentation into the folder that
// REAPERD_SCREENSHOTS names, of the world that `reaperd demo --hold` plays:
// hack/screenshots.sh asks for it.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("REAPERD_SCREENSHOTS")
	if folder == "" {
		t.Skip("left out: hack/screenshots.sh takes the pictures")
	}
	show := exec.Command(os.Getenv("REAPERD_BIN"), "page")
	show.Env = append(os.Environ(), "REAPERD_STATE_DIR="+demo(t))
	page := window.Open(t, window.Visit(t, show))
	page.Awaits(`document.querySelectorAll("#leaked ~ details li").length >= 2 && document.getElementById("live").textContent === "live"`)
	for _, idle := range []string{"[23][0-9]s", "[45][0-9]s"} { // until it has been so for a while
		page.Awaits("/idle[^0-9]*" + idle + "/.test(document.body.innerText)")
	}
	take := func(name string) {
		png, err := chromedp.Run(page.Context, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), png, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", name, len(png))
	}
	page.Do(chromedp.EmulateViewport(1280, 800), window.Prefers("light"))
	take("page-light.png")
	page.Do(window.Prefers("dark"))
	take("page-dark.png")
	page.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(1.5)), window.Prefers("light"))
	take("page-phone.png")
	page.Do(chromedp.EmulateViewport(1280, 800), chromedp.Evaluate[chromedp.Void](`document.querySelector("#leaked ~ details a").click()`))
	page.Awaits(`document.getElementById("about").open`)
	take("page-evidence.png")
}

// demo starts `reaperd demo --hold` and returns the state directory of the daemon in
// its world, as it is seen from here.
func demo(t *testing.T) string {
	t.Helper()
	world := exec.Command(os.Getenv("REAPERD_BIN"), "demo", "--fast", "--hold", "--life-size")
	if err := world.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = world.Process.Signal(unix.SIGINT)
		_ = world.Wait()
	})
	state, found := "", false
	eventually.Holds(t, "the demo's daemon is up, and knows its last session", func() bool {
		if state, found = stateOf(world.Process.Pid); !found {
			return false
		}
		scan := exec.Command(os.Getenv("REAPERD_BIN"), "scan")
		scan.Env = append(os.Environ(), "REAPERD_STATE_DIR="+state)
		said, err := scan.Output()
		return err == nil && strings.Contains(string(said), "gemini ")
	})
	return state
}

// stateOf is the daemon's state directory in the world of a demo, once it is there.
func stateOf(pid int) (path string, found bool) {
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return "", false
	}
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(text)) {
			path = "/proc/" + child + "/root/run/reaperd-demo/state"
			if _, err := os.Stat(filepath.Join(path, "reaperd.sock")); err == nil {
				return path, true
			}
		}
	}
	return "", false
}
