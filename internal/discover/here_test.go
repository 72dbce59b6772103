package discover

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheFolderOneWorksInIsReadWithoutASession(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "src", "shop")
	below := filepath.Join(project, "cmd")
	for _, dir := range []string{below, filepath.Join(project, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, name := range map[string]string{home + "/.claude.json": "own", project + "/.mcp.json": "shop", home + "/src/.mcp.json": "above"} {
		if err := os.WriteFile(path, []byte(mcp(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]int{below: 2, project: 2, home: 1, "/": 1} { // above the root of a repository nothing is read
		t.Chdir(folder)
		set := Around(t.Context(), []Home{{home, os.Getuid()}})
		if got := set.Servers(); len(got) != want {
			t.Errorf("in %s: %+v, want %d", folder, got, want)
		}
	}
}
