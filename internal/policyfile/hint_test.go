package policyfile

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/ownfile"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAUserIsToldWhatAUserCanDoAboutTheHostsPolicy: only root can mend that.
func TestAUserIsToldWhatAUserCanDoAboutTheHostsPolicy(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	own := Personal(config)
	denied := func(path string) error {
		return fmt.Errorf("read policy: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission})
	}
	faulty := func(path string) error {
		return policy.Faults{{Origin: policy.Origin{File: path, Line: 2}, Text: "ruels"}}
	}
	foreign := &ownfile.FolderError{Folder: filepath.Dir(own), Err: ownfile.ErrForeign}
	for _, row := range []struct {
		world string
		err   error
		uid   int
		want  string
	}{
		{"a user may not read the host's", denied(System), 1000, "only root can mend /etc/reaperd/policies.yaml: name a file of your own with --policies"},
		{"a user may not read a file of theirs", denied(own), 1000, "make it readable, or name a file of your own with --policies"},
		{"root may not either", denied(System), 0, "make it readable, or name a file of your own with --policies"},
		{"the host's has faults", faulty(System), 1000, "only root can mend /etc/reaperd/policies.yaml: name a file of your own with --policies"},
		{"a user's has", faulty(own), 1000, "reaperd help policy   shows the keys"},
		{"the host's has, and root asks", faulty(System), 0, "reaperd help policy   shows the keys"},
		{"sudo kept HOME", &distrustError{own, foreign, remedy(own, foreign)}, 0, "under sudo, sudo -H goes by root's"},
	} {
		if got := hint(row.err, row.uid); !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}
