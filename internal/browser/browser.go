// Package browser tells a person's everyday browser from one that a program drives. A
// server opens the everyday browser for a login, sometimes as its first window, so
// that it runs below the server; reaperd never ends it.
package browser

import "strings"

// Is reports the executable of a web browser, by its name.
func Is(program string) bool {
	switch program {
	case "chrome", "google-chrome", "google-chrome-stable", "google-chrome-beta", "chromium", "chromium-browser",
		"headless_shell", "chrome-headless-shell", "msedge", "microsoft-edge", "microsoft-edge-stable", "brave", "brave-browser",
		"opera", "vivaldi", "vivaldi-bin", "firefox", "firefox-bin", "firefox-esr", "librewolf", "waterfox", "zen", "floorp",
		"epiphany", "konqueror", "falkon", "safari", "arc", "minibrowser":
		return true
	}
	return false
}

// IsDriven reports the arguments of a browser that a program drives: a pipe or port
// for commands, or a profile in a temporary folder (Playwright, Puppeteer, Selenium;
// Chrome DevTools Protocol, Juggler, Marionette, WebKit's inspector).
func IsDriven(args []string) bool {
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		switch flag {
		case "--remote-debugging-pipe", "--remote-debugging-port", "--enable-automation", "--headless", "-headless",
			"-juggler", "-juggler-pipe", "--marionette", "-marionette", "--inspector-pipe":
			return true
		case "--user-data-dir", "--profile", "-profile":
			if !joined && i+1 < len(args) {
				value = args[i+1]
			}
			if isTemporary(value) {
				return true
			}
		}
	}
	return false
}

func isTemporary(folder string) bool {
	for _, parent := range []string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/var/folders/", "/private/tmp/", "/dev/shm/"} {
		if strings.HasPrefix(folder, parent) {
			return true
		}
	}
	return false
}

// IsEveryday reports the command line of the first process of a person's own browser.
// The processes that it starts have a --type.
func IsEveryday(argv []string) bool {
	if len(argv) == 0 || !Is(strings.ToLower(argv[0][strings.LastIndexByte(argv[0], '/')+1:])) || IsDriven(argv[1:]) {
		return false
	}
	for _, arg := range argv[1:] {
		if strings.HasPrefix(arg, "--type=") || arg == "-contentproc" {
			return false
		}
	}
	return true
}
