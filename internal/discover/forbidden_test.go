package discover

import "testing"

func TestForbidden(t *testing.T) {
	for name, want := range map[string]bool{
		"/Users/dev/.claude.json":            false,
		"/Users/dev/src/app/.mcp.json":       false,
		"/Users/dev":                         false,
		"/Users":                             false,
		"/":                                  false,
		"/tmp/x":                             false,
		"/private/var/root/.claude.json":     false,
		"/Users/dev/Documents":               true,
		"/Users/dev/Documents/app/.mcp.json": true,
		"/Users/dev/Desktop/x":               true,
		"/Users/dev/Downloads/x":             true,
		"/Users/dev/Library/Application Support/Claude/x":      true,
		"/Users/dev/Library/Mobile Documents/com~apple~x":      true,
		"/Users/dev/documents/x":                               true, // the file system does not tell case apart
		"/users/dev/Documents/x":                               true,
		"/Users/other/Documents/x":                             true,
		"/Users/dev/src/../Documents/x":                        true,
		"/Users/dev//Documents/x":                              true,
		"/Users/dev/Documents2/x":                              false,
		"/Users/dev/src/Documents/x":                           false,
		"/Users/Documents":                                     false,
		"/Library/Application Support/ClaudeCode/managed.json": false,
		"/Volumes":          true,
		"/Volumes/disk/src": true,
		"/Volumes2/x":       false,
		"/System/Volumes/Data/Users/dev/Documents/x": true,
		"/System/Volumes/Data/Users/dev/src/x":       false,
		"/System/Volumes/Data/Volumes/disk":          true,
		"/System/Volumes/Data":                       false,
		"/opt/home/dev/Documents/x":                  true, // the given home
		"/opt/home/dev/x":                            false,
		"/opt/home/other/Documents/x":                false,
		"relative/x":                                 true,
		"":                                           true,
	} {
		if got := Forbidden(name, "/opt/home/dev"); got != want {
			t.Errorf("Forbidden(%q) = %v, want %v", name, got, want)
		}
	}
	if Forbidden("/srv/Documents", "") {
		t.Error("without a home, /srv/Documents is forbidden")
	}
}
