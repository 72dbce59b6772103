package policyfile

import (
	"fmt"
	"io/fs"
	"os"
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
	instead := "have a file of your own, " + own + ", or name one with --policies"
	denied := func(path string) error {
		return fmt.Errorf("read policy: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission})
	}
	faulty := func(path string) error {
		return policy.Faults{{Origin: policy.Origin{File: path, Line: 2}, Text: "ruels"}}
	}
	for _, row := range []struct {
		world string
		err   error
		uid   int
		want  string
	}{
		{"a user may not read the host's", denied(System), 1000, "   lets every user read it; or " + instead},
		{"a user may not read a file of theirs", denied(own), 1000, "make it readable, or name another file with --policies"},
		{"root may not either", denied(System), 0, "make it readable, or name another file with --policies"},
		{"the host's has faults", faulty(System), 1000, "only root can mend /etc/reaperd/policies.yaml; until then " + instead},
		{"a user's has", faulty(own), 1000, "reaperd help policy   shows the keys"},
		{"the host's has, and root asks", faulty(System), 0, "reaperd help policy   shows the keys"},
	} {
		if got := hint(row.err, row.uid); !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

func TestWhatHidesAFileIsOpened(t *testing.T) {
	for seen, want := range map[string]string{
		"/etc/reaperd/policies.yaml": "chmod a+r /etc/reaperd/policies.yaml",
		"/etc/reaperd":               "chmod a+x /etc/reaperd",
		"/etc":                       "chmod a+x /etc",
	} {
		if got := opens(System, func(path string) bool { return strings.HasPrefix(seen, path) }); got != want {
			t.Errorf("up to %s: %q, want %q", seen, got, want)
		}
	}
}

// TestAPolicyInTheHomeOfAnotherUserIsRefusedWithWhatHelps: sudo may keep HOME.
func TestAPolicyInTheHomeOfAnotherUserIsRefusedWithWhatHelps(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	home, own := t.TempDir(), t.TempDir()
	if err := os.Chown(home, 1000, 1000); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ world, home, config, want string }{
		{"sudo kept HOME", home, "", "HOME is another user's: sudo -H "},
		{"sudo kept a folder of configuration", own, home, "XDG_CONFIG_HOME is another user's: unset it, "},
		{"the home is root's", own, "", "move the file to a folder that is yours or root's alone"},
		{"HOME does not count", home, own, "move the file to a folder that is yours or root's alone"},
	} {
		t.Setenv("HOME", row.home)
		t.Setenv("XDG_CONFIG_HOME", row.config)
		foreign := &ownfile.FolderError{Folder: "/home/dev", Err: ownfile.ErrForeign}
		if got := remedy(paths()[0], foreign); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
		isTheirs := strings.Contains(row.want, " is another user's")
		if got := hint(&fs.PathError{Path: paths()[0], Err: fs.ErrPermission}, 0); isTheirs && !strings.HasPrefix(got, row.want) || !isTheirs && !strings.HasPrefix(got, "make it readable") {
			t.Errorf("%s, and it cannot be read: %q", row.world, got)
		}
		if got := remedy(filepath.Join(home, "named.yaml"), foreign); !strings.HasPrefix(got, "move the file ") {
			t.Errorf("%s, of a named file: %q", row.world, got)
		}
	}
}
