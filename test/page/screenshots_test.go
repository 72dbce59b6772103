//go:build linux

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/page/window"
)

// TestScreenshots takes the pictures of the documentation into the folder that
// REAPERD_SCREENSHOTS names: hack/screenshots.sh asks for it.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("REAPERD_SCREENSHOTS")
	if folder == "" {
		t.Skip("left out: hack/screenshots.sh takes the pictures")
	}
	within(t, func(t *testing.T, live *farm.Live, address string) {
		page := window.Open(t, address)
		live.KillAll(t, []string{"ends"})
		daemon.Gone(t, live, strings.Fields(cast.Chain("left"))...)
		page.Awaits(`document.body.innerText.includes("2 reaped")`)
		live.Start(t, []actor.Part{cast.Claude("also-ends", cast.Memory("left-too", actor.Socket), cast.Memory("kept", actor.Socket))})
		page.Awaits(`document.body.innerText.includes("3 sessions hold")`)
		live.KillAll(t, []string{"also-ends"})
		page.Awaits(`document.querySelectorAll(".coming li").length === 2`)
		for _, picture := range []struct {
			name, scheme  string
			width, height int64
			scale         float64
		}{
			{"page-light.png", "light", 1100, 1000, 1},
			{"page-dark.png", "dark", 1100, 1000, 1},
			{"page-phone.png", "light", 390, 844, 1.5},
		} {
			page.Do(chromedp.EmulateViewport(picture.width, picture.height, chromedp.EmulateScale(picture.scale)), window.Prefers(picture.scheme))
			png, err := chromedp.Run(page.Context, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, picture.name), png, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Logf("farm: %s: %d bytes", picture.name, len(png))
		}
		thing := page.Says(`document.querySelector(".coming a").href`)
		page.Do(chromedp.EmulateViewport(1100, 700), chromedp.Navigate(thing))
		png, err := chromedp.Run(page.Context, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "page-evidence.png"), png, 0o644); err != nil {
			t.Fatal(err)
		}
	})
}
