// Package browser tells a person's everyday browser from one that a program
// drives. A server that lets a person log in opens the first, and it may happen
// to be the first window; nothing of reaperd ends it.
package browser

import "strings"

// IsEveryday reads the command line of a browser's first process. One that a
// program drives says so: it has a debugging port or pipe, no window, or a
// profile that was named for it.
func IsEveryday(argv []string) bool {
	if len(argv) == 0 || !isBrowser(argv[0]) {
		return false
	}
	for _, arg := range argv[1:] {
		flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch flag {
		case "remote-debugging-port", "remote-debugging-pipe", "remote-debugging-address", "headless", "user-data-dir",
			"enable-automation", "test-type", "profile", "marionette", "juggler", "juggler-pipe", "no-startup-window", "type":
			return false
		}
	}
	return true
}

func isBrowser(program string) bool {
	switch program[strings.LastIndexByte(program, '/')+1:] {
	case "chrome", "google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "brave", "brave-browser",
		"microsoft-edge", "msedge", "vivaldi", "vivaldi-bin", "opera", "firefox", "firefox-bin", "firefox-esr", "librewolf", "zen", "zen-bin",
		"waterfox", "epiphany", "falkon", "konqueror", "Safari", "Google Chrome", "Firefox", "Brave Browser", "Microsoft Edge", "Arc":
		return true
	}
	return false
}
