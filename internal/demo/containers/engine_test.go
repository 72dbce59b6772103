package containers

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/docker"
)

func TestAnEngineThatHangsIsToldInWords(t *testing.T) {
	err := &url.Error{Op: "Get", Err: context.DeadlineExceeded}
	const want = "the engine at /d.sock did not answer within 5s"
	if got := unusable(docker.Endpoint{Host: "unix:///d.sock"}, err).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnEngineThatThisUserMayNotAskIsNoSilentOne(t *testing.T) {
	for cause, want := range map[syscall.Errno]string{
		syscall.EACCES:       "permission denied on /d.sock; ",
		syscall.ECONNREFUSED: "the engine at /d.sock does not answer: connect: connection refused",
	} {
		err := &url.Error{Op: "Get", Err: &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", cause)}}
		if got := unusable(docker.Endpoint{Host: "unix:///d.sock"}, err).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
