package wrap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileInAFolderThatMayNotBeWrittenIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes in every folder")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, ".mcp.json")
	write(t, path, []byte(`{"mcpServers": {"a": {"command": "npx"}}}`))
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) }) // so that it can be removed
	plan, err := MakePlan(t.Context(), Request{Names: []string{path}, Program: program})
	if err == nil {
		_, err = plan.Write()
	}
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "write "+path+", with a backup beside it: permission denied" {
		t.Errorf("got %v", err)
	}
}
