package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// TestDiscoverNamesTheCommandThatReachesEachFile: a hint that touches other files than those shown, or
// none, leads nowhere.
func TestDiscoverNamesTheCommandThatReachesEachFile(t *testing.T) {
	t.Chdir(t.TempDir())
	home, theirs := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	own, other := filepath.Join(home, ".claude.json"), filepath.Join(theirs, ".claude.json")
	for _, path := range []string{own, other} {
		write(t, path, []byte(`{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}`))
	}
	homes := []discover.Home{{Dir: home, UID: os.Getuid()}}
	server := func(file, command string) discover.Server {
		return discover.Server{Name: "a", Command: command, File: file, Client: "claude-code", Owner: inventory.Known(os.Getuid())}
	}
	plain := discover.Hint{Command: "reaperd wrap", Does: "those of your home, of this folder and of those above it"}
	for _, row := range []struct {
		world   string
		servers []discover.Server
		want    []discover.Hint
	}{
		{"a file of the home", []discover.Server{server(own, "npx")}, []discover.Hint{plain}},
		{"a project elsewhere, in the home", []discover.Server{server(own, "npx"), server(home+"/src/shop/.mcp.json", "npx")},
			[]discover.Hint{plain, {Command: "reaperd wrap ~/src/shop/.mcp.json", Does: "those of this file"}}},
		{"two projects elsewhere, one with a space", []discover.Server{server("/srv/a/.mcp.json", "npx"), server("/srv/a b/.mcp.json", "npx")},
			[]discover.Hint{{Command: "reaperd wrap '/srv/a b/.mcp.json' /srv/a/.mcp.json", Does: "those of these files"}}},
		{"one that is wrapped already, and one that has an address", []discover.Server{
			{Name: "b", Command: "reaperd", Args: []string{"exec", "--name", "b", "--", "npx"}, File: own, Client: "claude-code"},
			{Name: "c", URL: "https://example.com", File: own, Client: "claude-code"},
		}, nil},
		{"one that is called like reaperd, and is not started by its exec", []discover.Server{server(own, "/opt/reaperd")}, []discover.Hint{plain}},
	} {
		if got := Hints(t.Context(), discover.NewSet(row.servers, nil), homes, human.Home(home)); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}

	if os.Getuid() != 0 {
		t.Skip("only root reads the homes of others")
	}
	const nobody = 65534
	for _, path := range []string{theirs, other} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(theirs), 0o711); err != nil { // root reads it with no more rights than its owner
		t.Fatal(err)
	}
	foreign := func(file string) discover.Server {
		s := server(file, "npx")
		s.Owner = inventory.Known(nobody)
		return s
	}
	want := []discover.Hint{
		{Command: "su nobody -c 'reaperd wrap'", Does: "as nobody, those of nobody's home"},
		{Command: "su nobody -c 'reaperd wrap /srv/web/.mcp.json'", Does: "as nobody, those of this file"},
	}
	set := discover.NewSet([]discover.Server{foreign(other), foreign("/srv/web/.mcp.json")}, nil)
	if got := Hints(t.Context(), set, append(homes, discover.Home{Dir: theirs, UID: nobody}), human.Home(home)); !slices.Equal(got, want) {
		t.Errorf("of another user: got %q, want %q", got, want)
	}
}
