package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhatMakeInstallsMakeUninstalls installs a program and pages that are empty, and
// holds that they go where the rpm has them, and away again.
func TestWhatMakeInstallsMakeUninstalls(t *testing.T) {
	tree, root := sources(t), t.TempDir()
	for _, name := range []string{"reaperd", "stage/man/reaperd.1.gz", "stage/man/reaperd-sweep.1.gz", "stage/completions/reaperd.bash", "stage/completions/_reaperd", "stage/completions/reaperd.fish"} {
		path := filepath.Join(tree, "bin", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("MAKEFLAGS", "")
	make := tool(t, "make", "any system")
	runIn(t, tree, make, "-o", "build", "-o", "pages", "install", "DESTDIR="+root, "PREFIX=/usr")
	got := filesBelow(t, root)
	want := []string{"/usr/bin/reaperd", "/usr/share/doc/reaperd/LICENSE", "/usr/share/doc/reaperd/policies.yaml"}
	for _, c := range parse[packed](t, "packages/nfpm.yaml").Contents {
		switch {
		case strings.HasSuffix(c.Dst, "/man1/"):
			want = append(want, c.Dst+"reaperd-sweep.1.gz", c.Dst+"reaperd.1.gz")
		case strings.Contains(c.Src, "/completions/") && c.Packager != "deb":
			want = append(want, c.Dst)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("make install writes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	runIn(t, tree, make, "uninstall", "DESTDIR="+root, "PREFIX=/usr")
	if left := filesBelow(t, root); len(left) > 0 {
		t.Errorf("make uninstall leaves %v", left)
	}
	runIn(t, tree, make, "uninstall", "DESTDIR="+root, "PREFIX=/usr") // with nothing to take away
}

// filesBelow lists the files below a folder, in order, as paths that begin there.
func filesBelow(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, strings.TrimPrefix(path, root))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}
