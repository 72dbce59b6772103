package page

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/reaperd/reaperd/test/page/window"
)

// axeVersion is the release of axe-core that the page is checked with.
const axeVersion = "4.14.1"

// axe is the source of axe-core, from the registry.
func axe(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		window.LeaveOut(t, "no npm for axe-core")
	}
	folder := t.TempDir()
	install := exec.CommandContext(t.Context(), npm, "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "axe-core@"+axeVersion)
	install.Dir = folder
	if said, err := install.CombinedOutput(); err != nil {
		window.LeaveOut(t, fmt.Sprintf("axe-core %s cannot be had: %v: %s", axeVersion, err, said))
	}
	source, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violation is a rule of axe-core that a page breaks.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML string }
}

func TestAxeFindsNothingSerious(t *testing.T) {
	source := axe(t)
	w := shop()
	u := w.update()
	left := w.orphan("time", w.ended("codex", time.Second), 0)
	u.Outcomes = append(u.Outcomes, outcome(left))
	s := newStage(t, u)
	for _, scheme := range []string{"light", "dark"} {
		page := window.Open(t, s.address(t), window.Prefers(scheme))
		page.Awaits(`document.getElementById("live").textContent === "live"`)
		check(t, page, scheme+" page", source)
		page.Do(chromedp.EmulateViewport(390, 844))
		check(t, page, scheme+" page on a phone", source)
		page.Do(chromedp.EmulateViewport(1200, 900))
		page.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#leaked ~ details a").click()`))
		page.Awaits(`document.getElementById("about").open`)
		check(t, page, scheme+" page with what is known of a thing", source)
	}
}

func check(t *testing.T, page window.Window, what, source string) {
	t.Helper()
	page.Do(chromedp.Evaluate[chromedp.Void](source + "; void 0"))
	page.Do(chromedp.Evaluate[chromedp.Void](`window.found = null; axe.run().then((r) => { window.found = JSON.stringify({passes: r.passes.length, violations: r.violations}); }); void 0`))
	page.Awaits(`window.found`)
	var found struct {
		Passes     int
		Violations []violation
	}
	if err := json.Unmarshal([]byte(page.Says(`window.found`)), &found); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d rules pass, %d do not", what, found.Passes, len(found.Violations))
	if found.Passes < 10 {
		t.Errorf("%s: axe-core has looked at nothing", what)
	}
	for _, v := range found.Violations {
		t.Errorf("%s: %s, %s: %s: %+v", what, v.Impact, v.ID, v.Help, v.Nodes)
	}
}
