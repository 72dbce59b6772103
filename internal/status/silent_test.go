package status

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func TestADaemonThatDoesNotAnswerIsNamedWithARemedy(t *testing.T) {
	dir := state.Dir(t.TempDir())
	if err := Unanswered(dir, fmt.Errorf("ask: %w", serve.ErrNotRunning)); !errors.Is(err, serve.ErrNotRunning) {
		t.Errorf("none runs: %v", err)
	}
	held, err := dir.Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	process := fmt.Sprintf("(process %d, since ", os.Getpid())
	for _, row := range []struct {
		world            string
		err              error
		says, does, hint string
	}{
		{"it hangs", serve.ErrSilent, process, "does not answer: it hangs", fmt.Sprintf("kill -KILL %d ", os.Getpid())},
		{"it could not make its socket", serve.ErrNotRunning, process, "does not answer: it has no socket in " + string(dir), "its log says which"},
		{"it is another user's", syscall.EACCES, "the daemon of " + string(dir), "answers only its own user", "ask as the user"},
		{"it answers nonsense", errors.New("HTTP 500"), "HTTP 500", "", ""},
	} {
		err := Unanswered(dir, fmt.Errorf("ask: %w", row.err))
		var advised *advice.Error
		if !errors.As(err, &advised) || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), row.does) || !strings.HasPrefix(advised.Hint, row.hint) {
			t.Errorf("%s: %v", row.world, err)
		}
	}
}
