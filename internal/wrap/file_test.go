package wrap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/ownfile"
)

func TestAFileInAFolderThatMayNotBeWrittenIsNamedWithARemedy(t *testing.T) {
	f := configFile{Path: "/home/dev/link", Real: "/srv/a b/.mcp.json"}
	for _, row := range []struct {
		world  string
		err    error
		says   string
		remedy bool
	}{
		{"a folder of another user", &fs.PathError{Op: "open", Path: "/srv/a b/.x123", Err: syscall.EACCES}, "permission denied", true},
		{"a file system that is not written", &fs.PathError{Op: "open", Path: "/srv/a b/.x123", Err: syscall.EROFS}, "read-only file system", true},
		{"a file that cannot be replaced", &os.LinkError{Op: "rename", Old: "/srv/a b/.x123", New: "/srv/a b/.mcp.json", Err: syscall.EPERM}, "operation not permitted", true},
		{"a full disk", &fs.PathError{Op: "write", Path: "/srv/a b/.x123", Err: syscall.ENOSPC}, "no space left on device", false},
		{"another fault", errChanged, errChanged.Error(), false},
	} {
		err := ownfile.Cause(row.err)
		remedy := f.remedy(err)
		if err.Error() != row.says || strings.HasPrefix(remedy, "ls -ld '/srv/a b'   ") != row.remedy || remedy != "" != row.remedy {
			t.Errorf("%s: %v, remedy %q", row.world, err, remedy)
		}
	}

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
