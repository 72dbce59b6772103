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
