package state

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/reaperd/reaperd/internal/human"
)

func TestWhatCannotBeReadOfTheStateDirectoryHasARemedy(t *testing.T) {
	dir := t.TempDir()
	denied := &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
	for _, row := range []struct {
		world string
		err   error
		hint  string
	}{
		{"the directory of another user", human.Failed("", "read pins: %w", denied), "run it as the user whose " + dir + " is, or name another folder with REAPERD_STATE_DIR"},
		{"the command knows better", human.Failed("sudo reaperd status", "read pins: %w", denied), "sudo reaperd status"},
		{"another folder", human.Failed("", "write x: %w", &fs.PathError{Op: "open", Path: "/srv/x", Err: fs.ErrPermission}), ""},
		{"another fault", human.Failed("", "%w", &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}), ""},
		{"no error", nil, ""},
	} {
		got := Dir(dir).Advise(row.err)
		hint := ""
		if advised := (*human.Error)(nil); errors.As(got, &advised) {
			hint = advised.Hint
		}
		if hint != row.hint || (got == nil) != (row.err == nil) || got != nil && got.Error() != row.err.Error() {
			t.Errorf("%s: %v, hint %q", row.world, got, hint)
		}
	}
}
