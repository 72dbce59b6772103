package wrap

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAServerThatStaysTellsWhy, and what to write instead. What is told nothing of is wrapped.
func TestAServerThatStaysTellsWhy(t *testing.T) {
	goose := func(entry string) string { return "extensions:\n  b:\n    type: stdio\n" + entry }
	cursor := func(entry string) string { return `{"mcpServers": {"b": {` + entry + `}}}` }
	for _, row := range []struct{ name, client, text, want string }{
		{"an empty command", "cursor", cursor(`"command": "", "args": []`), noCommand},
		{"an empty list", "cursor", cursor(`"command": []`), noCommand},
		{"args that are null", "cursor", cursor(`"command": "x", "args": null`), noList},
		{"a text with quotes", "cursor", cursor(`"command": "bash -c 'node x.js'"`), oneText},
		{"a text with a home in it", "cursor", cursor(`"command": "~/bin/x y"`), oneText},
		{"a path with a flag behind it", "cursor", cursor(`"command": "/usr/bin/npx -y foo"`), oneText},
		{"a variable before the command", "cursor", cursor(`"command": "A=1 npx foo"`), oneText},
		{"words", "cursor", cursor(`"command": "npx -y foo"`), ""},
		{"words that begin with a folder of here", "cursor", cursor(`"command": "./x y"`), ""},
		{"a path with a space in it", "cursor", cursor(`"command": "/opt/my app/x"`), ""},
		{"an anchor at args", "goose", goose("    cmd: x\n    args: &a [y]\n"), anchored},
		{"an anchor at one of args", "goose", goose("    cmd: x\n    args: [&a y]\n"), oddArgument},
		{"an alias for args", "goose", "x: &a [y]\n" + goose("    cmd: x\n    args: *a\n"), anchored},
		{"an anchor at the server", "goose", "extensions:\n  b: &a\n    cmd: x\n    args: [y]\n", anchored},
		{"a command over several lines", "goose", goose("    cmd: >-\n      x\n      y\n    args: []\n"), oddCommand},
	} {
		path := filepath.Join(t.TempDir(), map[string]string{"cursor": "mcp.json", "goose": "config.yaml"}[row.client])
		write(t, path, []byte(row.text))
		file, err := openFile(path, row.client)
		if err != nil {
			t.Fatal(err)
		}
		change, err := file.wrap("reaperd")
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		want := ""
		if row.want != "" {
			want = path + `: server "b" stays as it is: ` + row.want
		}
		if got := strings.Join(remarks(file, change), "\n"); got != want || change.isNone() != (want != "") {
			t.Errorf("%s: %q, want %q; changed %v", row.name, got, want, !change.isNone())
		}
	}
}
