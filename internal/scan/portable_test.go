package scan

import (
	"errors"
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
	s := &Portable{options: Options{Candidate: func(p *inventory.Process) bool { return p.PID == child.Process.Pid }}}
	look, err := s.Processes(t.Context())
	if err != nil || look.Source.Status != inventory.StatusOK || look.Host.BootID == "" || look.Host.MemoryBytes == 0 {
		t.Fatalf("source %+v, host %+v, %v", look.Source, look.Host, err)
	}
	at := slices.IndexFunc(look.Processes, func(p inventory.Process) bool { return p.PID == child.Process.Pid })
	if at < 0 {
		t.Fatalf("process %d is not among %d", child.Process.Pid, len(look.Processes))
	}
	got := look.Processes[at]
	if got.PPID.Or(0) != os.Getpid() || got.Start == 0 || got.Comm != "sleep" || got.Cwd != child.Dir || got.UID.Or(-1) != os.Geteuid() ||
		!slices.Equal(got.Argv, []string{"/bin/sleep", "60"}) || got.RSSBytes.Or(0) == 0 || got.Threads.Or(0) != 1 {
		t.Errorf("got %+v", got)
	}
	if !got.Stdin.IsUnreadable() || !got.Stdout.IsUnreadable() {
		t.Errorf("the ends of its streams count as told: %+v %+v", got.Stdin, got.Stdout)
	}
	if again, err := s.Process(got.ID()); err != nil || again.RSSBytes.Or(0) == 0 {
		t.Errorf("it has another identity in the next look: %+v, %v", again, err)
	}
	if rows, err := s.Table(); err != nil || !slices.ContainsFunc(rows, func(r inventory.Row) bool { return r.ID == got.ID() && r.PPID == os.Getpid() }) {
		t.Errorf("its row is not among %d: %v", len(rows), err)
	}
	if _, err := s.Process(inventory.ID{PID: got.PID, Start: got.Start + 1}); !errors.Is(err, ErrGone) {
		t.Errorf("another with its number: %v", err)
	}
}
