package tie

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/supervise"
)

func TestWhatIsAddedToTheCommandLineOfAContainer(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for _, row := range []struct {
		name, line    string
		at            int
		cid, label    bool
		remove        bool
		unknown, keep string // keep is a cid file of the line's own
	}{
		{name: "no container", line: "npx -y x"},
		{name: "docker removes it itself", line: "docker run -i --rm mcp/time", at: 2, cid: true, label: true},
		{name: "podman's stays until it is removed", line: "podman run -i --rm mcp/time", at: 2, cid: true, label: true, remove: true},
		{name: "a cid file of its own is gone by", line: "docker run -i --cidfile /run/x/cid mcp/time", at: 2, label: true, keep: "/run/x/cid"},
		{name: "an owner that is named already stays", line: "docker run -i --label reaperd.owner=1:2 mcp/time", at: 2, cid: true},
		{name: "a detached one is to outlive its client", line: "docker run -d mcp/time"},
		{name: "a line that cannot be read whole", line: "docker run --no-such-flag mcp/time", unknown: "--no-such-flag"},
	} {
		t.Run(row.name, func(t *testing.T) {
			line := supervise.Line{Args: strings.Fields(row.line)}
			unknown, err := Container(&line)
			if err != nil || unknown != row.unknown {
				t.Fatalf("%q, %v", unknown, err)
			}
			c := line.Container
			t.Cleanup(func() {
				if row.cid {
					_ = os.RemoveAll(filepath.Dir(c.CIDFile))
				}
			})
			owner := slices.ContainsFunc(c.Flags, func(flag string) bool { return strings.HasPrefix(flag, "reaperd.owner=") })
			if c.At != row.at || c.Remove != row.remove || slices.Contains(c.Flags, "--cidfile") != row.cid || owner != row.label {
				t.Errorf("added %+v", c)
			}
			if row.keep != "" && c.CIDFile != row.keep {
				t.Errorf("cid file %s, want %s", c.CIDFile, row.keep)
			}
		})
	}
}
