package host

import (
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestWhatIsConfiguredForAFolderDependsOnTheFolder(t *testing.T) {
	c := &configuration{set: discover.NewSet([]discover.Server{
		{Name: "dial", Command: "bin/dialpad", Folder: "/home/dev/project", Owner: inventory.Known(1000)},
	}, nil)}
	var w whole
	w.use(Catalogue(&policy.Policy{}), c, nil)
	for _, row := range []struct {
		says           string
		argv           []string
		cwd            string
		depends, reads bool
	}{
		{"as it is configured, in its folder", []string{"bin/dialpad"}, "/home/dev/project", true, true},
		{"as it is configured, in another folder", []string{"bin/dialpad"}, "/home/dev/other", true, false},
		{"the same program elsewhere", []string{"dialpad"}, "/home/dev/other", true, false},
		{"another program", []string{"/usr/sbin/cron", "-f"}, "/", false, false},
	} {
		p := &inventory.Process{PID: 7, Start: 1, UID: inventory.Known(1000), Argv: row.argv, Cwd: row.cwd}
		if got := w.Candidate(p); got != row.reads {
			t.Errorf("%s: read whole is %v, want %v", row.says, got, row.reads)
		}
		if p.Cwd = ""; w.DependsOnFolder(p) != row.depends {
			t.Errorf("%s: depends on its folder is %v, want %v", row.says, !row.depends, row.depends)
		}
	}
}

func TestWhatIsRecalledIsReadWhole(t *testing.T) {
	h := on(&world{})
	h.Recall([]string{"7:1", "0123abcd"})
	h.whole.use(Catalogue(&policy.Policy{}), newTestConfiguration(), nil)
	for _, row := range []struct {
		says string
		is   inventory.Process
		want bool
	}{
		{"the process that was a server", inventory.Process{PID: 7, Start: 1, Argv: []string{"node", "tool.js"}}, true},
		{"another with its number", inventory.Process{PID: 7, Start: 2, Argv: []string{"node", "tool.js"}}, false},
		{"another process", inventory.Process{PID: 8, Start: 1, Argv: []string{"node", "tool.js"}}, false},
	} {
		if got := h.whole.Candidate(&row.is); got != row.want {
			t.Errorf("%s: read whole %v, want %v", row.says, got, row.want)
		}
	}
}
