package catalogue

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestABrowserIsDrivenByWhatItIsToldAtItsStart(t *testing.T) {
	for _, c := range []struct {
		name            string
		argv            []string
		browser, driven bool
	}{
		{"a person's", words("/usr/lib/firefox/firefox https://example.com/login"), true, false},
		{"with a profile of its user's", words("/opt/google/chrome/chrome --user-data-dir=/home/dev/.config/work"), true, false},
		{"Playwright's Chromium", words("/home/dev/.cache/ms-playwright/chromium-1200/chrome-linux/chrome --no-sandbox --user-data-dir=/tmp/playwright_chromiumdev_profile-X --remote-debugging-pipe"), true, true},
		{"Playwright's Firefox", words("/home/dev/.cache/ms-playwright/firefox-1490/firefox/firefox -no-remote -profile /tmp/playwright_firefoxdev_profile-X -juggler-pipe -silent"), true, true},
		{"Puppeteer's, over a port", words("/usr/bin/chromium --remote-debugging-port=0 about:blank"), true, true},
		{"one without a window", words("/usr/bin/chromium --headless=new --dump-dom page"), true, true},
		{"no browser", words("/usr/bin/less chrome"), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			class := New().Process(&inventory.Process{PID: 50, Argv: c.argv, Exe: c.argv[0]})
			if class.Browser != c.browser || class.Driven != c.driven {
				t.Errorf("browser %v, driven %v; want %v, %v", class.Browser, class.Driven, c.browser, c.driven)
			}
		})
	}
}
