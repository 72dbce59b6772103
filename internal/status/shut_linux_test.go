package status

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/test/nobody"
)

func TestAStateDirectoryThatIsShutNamesWhatOpensIt(t *testing.T) {
	home, elsewhere := nobody.Folder(t), nobody.Folder(t)
	t.Setenv("HOME", home)
	for _, row := range []struct {
		world, dir string
		says, hint string
	}{
		{"root's, in the user's home", home + "/local/reaperd", "cannot be used because of " + home + "/local: it belongs to root", "sudo chown -R "},
		{"root's own", elsewhere + "/lib/reaperd", "answers only its own user", "ask as the user"},
	} {
		t.Run(row.world, func(t *testing.T) {
			if err := os.MkdirAll(row.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			nobody.Runs(t, func() {
				err := Unanswered(state.Dir(row.dir), fs.ErrPermission)
				var advised *advice.Error
				if !errors.As(err, &advised) {
					t.Errorf("without a remedy: %v", err)
				} else if !strings.Contains(err.Error(), row.says) || !strings.HasPrefix(advised.Hint, row.hint) {
					t.Errorf("%v, hint %q", err, advised.Hint)
				}
			})
		})
	}
}
