package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/state"
)

// TestTheFilesThatWrapWroteAreFoundInEveryHome: not those of another kind, nor what somebody has written
// himself.
func TestTheFilesThatWrapWroteAreFoundInEveryHome(t *testing.T) {
	t.Chdir(t.TempDir())
	own, other := t.TempDir(), t.TempDir()
	const plain = `{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}`
	wrapped := filepath.Join(own, ".claude.json")
	write(t, wrapped, []byte(plain))
	change(t, wrapped, "claude-code", true)
	for _, folder := range []string{".cursor", ".gemini"} {
		if err := os.Mkdir(filepath.Join(own, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(own, ".cursor", "mcp.json"), []byte(plain))
	write(t, filepath.Join(own, ".gemini", "settings.json"), []byte(`{"mcpServers": {"b": {"command": "reaperd", "args": ["exec", "--", "node", "y.js"]}}}`))
	homes, want := []discover.Home{{Dir: own, UID: os.Getuid()}}, []Written{{Path: wrapped}}
	if got := writtenBelow(t.Context(), homes, state.Dir(t.TempDir())); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	dir, project := state.Dir(t.TempDir()), filepath.Join(t.TempDir(), "web")
	cursors := filepath.Join(project, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(cursors), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, cursors, []byte(plain))
	wrapsOrUndoes := func(r Request) {
		t.Helper()
		r.State = dir
		plan, err := MakePlan(t.Context(), r)
		if err == nil {
			_, err = plan.Write()
		}
		if err != nil || len(plan.Rewritings) != 1 {
			t.Fatalf("%+v: %v, %d files", r, err, len(plan.Rewritings))
		}
	}
	wrapsOrUndoes(Request{Names: []string{cursors}, Program: "reaperd"})
	if got := writtenBelow(t.Context(), nil, dir); !slices.Equal(got, []Written{{Path: cursors}}) {
		t.Errorf("a project elsewhere: %v", got)
	}
	t.Setenv("HOME", t.TempDir())
	wrapsOrUndoes(Request{Undo: true})
	if got := writtenBelow(t.Context(), nil, dir); len(got) > 0 {
		t.Errorf("undone from elsewhere: %v", got)
	}

	if os.Getuid() != 0 {
		t.Skip("only root reads the homes of others")
	}
	const nobody = 65534
	theirs := filepath.Join(other, ".claude.json")
	write(t, theirs, []byte(plain))
	change(t, theirs, "claude-code", true)
	if err := os.Chmod(filepath.Dir(other), 0o711); err != nil { // root reads it with no more rights than its owner
		t.Fatal(err)
	}
	for _, path := range []string{other, theirs} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	homes, want = append(homes, discover.Home{Dir: other, UID: nobody}), append(want, Written{Path: theirs, User: "nobody"})
	slices.SortFunc(want, func(a, b Written) int { return strings.Compare(a.Path, b.Path) })
	if got := writtenBelow(t.Context(), homes, state.Dir(t.TempDir())); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
