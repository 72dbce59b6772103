package doctor

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/test/nobody"
)

func init() {
	runtime.LockOSThread() // the main goroutine stays on the first thread
	runAll = withOneUsersThread
}

// withOneUsersThread has the first thread go with a user's rights, as where it reads a user's file.
func withOneUsersThread(m *testing.M) int {
	if os.Geteuid() == 0 {
		if err := unix.Setfsuid(nobody.UID); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	done := make(chan int)
	go func() { done <- m.Run() }()
	return <-done
}

// TestTheRightsAreNotThoseOfTheFirstThread, which may be reading a file with a user's rights alone.
func TestTheRightsAreNotThoseOfTheFirstThread(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has rights to drop")
	}
	first, known := effectiveRights(func(name string) ([]byte, error) {
		return os.ReadFile(strings.Replace(name, "thread-self", "self", 1))
	})
	own, alsoKnown := effectiveRights(os.ReadFile)
	const readSearch = 1 << 2
	if !known || !alsoKnown || first&readSearch != 0 || own&readSearch == 0 {
		t.Errorf("the first thread has %x (%v), this one %x (%v)", first, known, own, alsoKnown)
	}
}
