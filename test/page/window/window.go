// Package window opens windows of a headless Chromium for tests.
package window

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/reaperd/reaperd/test/eventually"
)

// patience is how long anything may take in a browser on a busy machine.
const patience = time.Minute

// chromium is the program; empty is that there is none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser is the one that all tests share; each has a profile of its own in it.
// It ends with the test binary.
var browser = sync.OnceValues(func() (context.Context, error) {
	ctx, _ := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1200, 900),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(patience),
	)...)
	first, _ := chromedp.NewContext(ctx)
	return first, chromedp.Do(first)
})

// Needed leaves a test out where there is no Chromium.
func Needed(t *testing.T) {
	t.Helper()
	if chromium() == "" {
		LeaveOut(t, "no Chromium")
	}
}

// LeaveOut leaves a test out for want of something. With REAPERD_TEST_REQUIRE=chromium,
// as the project's own machines have it, that is a failure.
func LeaveOut(t *testing.T, want string) {
	t.Helper()
	if strings.Contains(os.Getenv("REAPERD_TEST_REQUIRE"), "chromium") {
		t.Fatalf("required by REAPERD_TEST_REQUIRE: %s", want)
	}
	t.Skip("left out: " + want)
}

// End ends the browser, if one was started, and removes its profile. TestMain calls
// it; where a browser runs in a namespace of its own, it ends with that.
func End() {
	if ctx, err := browser(); chromium() != "" && err == nil {
		_ = chromedp.Cancel(ctx)
	}
}

// Window is one window of the browser.
type Window struct {
	t *testing.T
	// Context is that of the window, for actions of chromedp.
	Context context.Context
}

// Open opens a window on an address, after some actions.
func Open(t *testing.T, address string, before ...chromedp.Action[chromedp.Void]) Window {
	t.Helper()
	Needed(t)
	shared, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	w := Window{t, ctx}
	w.Do(before...)
	w.Do(chromedp.Navigate(address))
	return w
}

func (w Window) Do(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.Context, actions...); err != nil {
		w.t.Fatal(err)
	}
}

// Says evaluates an expression to a text.
func (w Window) Says(expression string) string {
	w.t.Helper()
	text, err := chromedp.Run(w.Context, chromedp.Evaluate[string](expression))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// Resolves evaluates an expression to a promise of a number, and waits for the number.
func (w Window) Resolves(promise string) float64 {
	w.t.Helper()
	number, err := chromedp.Run(w.Context, chromedp.Evaluate[float64](promise, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%s: %v", promise, err)
	}
	return number
}

// Is evaluates an expression to a claim.
func (w Window) Is(expression string) bool {
	w.t.Helper()
	return w.Says(claim(expression)) == "true"
}

func claim(expression string) string { return "String(Boolean(" + expression + "))" }

// Awaits waits until an expression holds. While the window goes to another page it does
// not hold.
func (w Window) Awaits(expression string) {
	w.t.Helper()
	eventually.Holds(w.t, expression, func() bool {
		text, err := chromedp.Run(w.Context, chromedp.Evaluate[string](claim(expression)))
		return err == nil && text == "true"
	})
}

// Keys types keys.
func (w Window) Keys(keys string) { w.t.Helper(); w.Do(chromedp.KeyEvent(keys)) }

// Prefers has the window prefer light or dark.
func Prefers(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// Visit starts `reaperd page` and returns the address that it prints.
func Visit(t *testing.T, page *exec.Cmd) string {
	t.Helper()
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = page.Process.Kill(); _ = page.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}
