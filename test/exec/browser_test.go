//go:build linux

package exec_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
)

// TestNothingIsLeftOfARealBrowser has a server that drives Chromium as Puppeteer
// does: over a pipe, with a profile of its own in a temporary folder, in a session
// of its own. The other tests have a stand-in with that command line, which is
// quicker and ignores more.
func TestNothingIsLeftOfARealBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("left out: chromium is not installed")
	}
	within(t, func(t *testing.T, w *world) {
		w.env = append(w.env, envBrowser+"="+chromium)
		most := 0
		for i := range max(1, rounds()/10) {
			s := w.start(t, roundOf(i), "driver", w.supervised("2s")...)
			s.await(t, "ready")
			farm.Eventually(t, "the browser has processes of its own", func() bool {
				most = max(most, len(browsers(t)))
				return len(browsers(t)) >= 3
			})
			s.kill()
			farm.Eventually(t, "neither browser nor server is left", func() bool {
				return len(browsers(t)) == 0 && len(players(t, roundOf(i))) == 0
			})
		}
		farm.Figure(t, "%d clients over a real Chromium of up to %d processes killed -9, 0 processes left", max(1, rounds()/10), most)
	})
}

// browsers are the processes of the namespace that run Chromium, by executable:
// it writes over its arguments and its environment.
func browsers(t *testing.T) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if target, err := os.Readlink(path); err == nil && filepath.Base(target) == "chromium" {
			found = append(found, path)
		}
	}
	return found
}

// envBrowser is the browser that a driver starts.
const envBrowser = "EXEC_BROWSER"

// drive starts a browser over two pipes as its descriptors 3 and 4, and returns
// its own ends of them.
func drive() ([]*os.File, error) {
	profile, err := os.MkdirTemp(filepath.Join(os.Getenv("EXEC_FOLDER"), "run"), "puppeteer_dev_chrome_profile-")
	if err != nil {
		return nil, err
	}
	commands, written, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	read, answers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	browser := exec.Command(os.Getenv(envBrowser), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	browser.ExtraFiles = []*os.File{commands, answers}
	browser.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := browser.Start(); err != nil {
		return nil, err
	}
	return []*os.File{written, read}, nil
}
