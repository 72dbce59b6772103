package browser

import (
	"strings"
	"testing"
)

func TestOnlyAPersonsBrowserIsEveryday(t *testing.T) {
	for _, c := range []struct {
		argv string
		want bool
	}{
		{"/opt/google/chrome/chrome https://login.example", true},
		{"/usr/lib/firefox/firefox", true},
		{"chromium --profile-directory=Work", true},
		{"chromium --headless=new about:blank", false},
		{"/x/chrome --remote-debugging-pipe", false},
		{"/x/chrome --user-data-dir=/tmp/p", false},
		{"/x/chrome --user-data-dir /var/folders/p", false},
		{"/x/chrome --user-data-dir=/home/dev/work", true},
		{"/Applications/Safari.app/Contents/MacOS/Safari", true},
		{"firefox -contentproc -isForBrowser", false},
		{"/x/chrome --type=renderer", false},
		{"firefox -profile /tmp/p -marionette", false},
		{"node server.js", false},
		{"", false},
	} {
		if got := IsEveryday(strings.Fields(c.argv)); got != c.want {
			t.Errorf("%q: %v", c.argv, got)
		}
	}
}

func TestWhatIsForAPerson(t *testing.T) {
	for program, want := range map[string]bool{
		"/usr/bin/godot":                                   true,
		"/opt/Godot_v4.3-stable_linux.x86_64":              true,
		"/usr/lib/libreoffice/program/soffice.bin":         true,
		"/usr/bin/vim":                                     true,
		"/Applications/Blender.app/Contents/MacOS/Blender": true,
		"/opt/homebrew/Frameworks/Python.framework/Versions/3.12/Resources/Python.app/Contents/MacOS/Python": false,
		"/usr/bin/node":                   false,
		"/usr/bin/gopls":                  false,
		"/opt/codeql/codeql":              false,
		"/usr/local/bin/viewer-mcp":       false,
		"/usr/local/bin/unified-language": false,
		"":                                false,
	} {
		if got := IsForPerson(program); got != want {
			t.Errorf("%q: %v, want %v", program, got, want)
		}
	}
}
