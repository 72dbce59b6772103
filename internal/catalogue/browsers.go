package catalogue

import (
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// browserNames are the programs of web browsers, as their executables are called.
var browserNames = cmdline.WordsOf("chrome google-chrome google-chrome-stable google-chrome-beta chromium chromium-browser headless_shell " +
	"chrome-headless-shell msedge microsoft-edge microsoft-edge-stable brave brave-browser opera vivaldi vivaldi-bin firefox firefox-bin " +
	"firefox-esr librewolf waterfox zen floorp epiphany konqueror falkon safari arc minibrowser")

// What a program passes to a browser that it drives: a pipe or port for commands,
// or a profile of its own in a temporary folder (Playwright, Puppeteer, Selenium;
// Chrome DevTools Protocol, Juggler, Marionette, WebKit's inspector).
var (
	drivenFlags    = cmdline.WordsOf("--remote-debugging-pipe --remote-debugging-port --enable-automation --headless -headless -juggler -juggler-pipe --marionette -marionette --inspector-pipe")
	profileFlags   = cmdline.WordsOf("--user-data-dir --profile -profile")
	temporaryPaths = []string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/var/folders/", "/private/tmp/", "/dev/shm/"}
)

// browser recognises web browsers, and whether a program drives one. A browser
// that nothing drives is its user's, whoever opened it.
func browser(s sighting) (Class, bool) {
	for _, program := range s.programs() {
		if name := cmdline.ProgramName(program); browserNames[name] {
			return Class{Browser: true, Driven: isDriven(s.args()), Name: name, Why: name + " is a web browser"}, true
		}
	}
	return Class{}, false
}

func isDriven(args []string) bool {
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		if drivenFlags[flag] {
			return true
		}
		if !profileFlags[flag] {
			continue
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		for _, folder := range temporaryPaths {
			if strings.HasPrefix(value, folder) {
				return true
			}
		}
	}
	return false
}
