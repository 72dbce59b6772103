//go:build !linux && !darwin

package supervise

import (
	"errors"
	"runtime"
	"syscall"
)

// host is a system on which no server is supervised, because nothing there follows
// the processes that a server starts.
type host struct{ tellsEnd bool }

// open refuses: no server is started on this system.
func (h *host) open(bool) error {
	return errors.New("servers are not supervised on " + runtime.GOOS + ": start them without reaperd exec")
}

func (h *host) attributes(bool) *syscall.SysProcAttr { return nil }

func (h *host) fork(string, []string, *syscall.ProcAttr) (int, error) { return 0, syscall.ENOSYS }

func (h *host) settle()                        {}
func (h *host) letGo()                         {}
func (h *host) close()                         {}
func (h *host) killGroup(bool)                 {}
func (h *host) signal(process, syscall.Signal) {}
func (h *host) serve([]process) bool           { return false }
func (h *host) clientGone() <-chan struct{}    { return nil }
func (h *host) descendants() []process         { return nil }

func trim() {}

func argvOf(int) []string { return nil }

// Owner is empty: no server is started here.
func Owner() string { return "" }

// Client is not known here.
func Client() Seen { return Seen{} }
