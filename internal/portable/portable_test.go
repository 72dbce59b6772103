package portable

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestAChildIsSeenAsItIs(t *testing.T) {
	child := exec.Command("/bin/sleep", "60")
	child.Dir = t.TempDir()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	table, err := List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(table, func(p inventory.Process) bool { return p.PID == child.Process.Pid })
	if at < 0 {
		t.Fatalf("process %d is not among %d", child.Process.Pid, len(table))
	}
	got := table[at]
	Describe(t.Context(), &got)
	Measure(t.Context(), &got)
	if got.PPID.Or(0) != os.Getpid() || got.Start == 0 || got.Comm != "sleep" || got.Cwd != child.Dir || got.UID.Or(-1) != os.Geteuid() ||
		!slices.Equal(got.Argv, []string{"/bin/sleep", "60"}) || got.RSSBytes.Or(0) == 0 || got.Threads.Or(0) != 1 {
		t.Errorf("got %+v", got)
	}
	if !got.Stdin.IsUnreadable() || !got.Stdout.IsUnreadable() {
		t.Errorf("the ends of its streams count as told: %+v %+v", got.Stdin, got.Stdout)
	}
	if again, err := List(t.Context()); err != nil || !slices.ContainsFunc(again, func(p inventory.Process) bool { return p.ID() == got.ID() }) {
		t.Errorf("it has another identity in the next look: %v", err)
	}
}

func TestThisBootHasAName(t *testing.T) {
	if id := BootID(); id == "" {
		t.Error("none")
	}
}
