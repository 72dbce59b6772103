package serve

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

func TestADaemonThatTakesTheRequestAndNeverAnswersIsSilent(t *testing.T) {
	path := socketPath(t)
	listener, err := net.Listen("unix", path) // nobody accepts, as if a signal had stopped it
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Ask(ctx, path); !errors.Is(err, ErrSilent) {
		t.Errorf("a request: %v", err)
	}
	listener.Close()
	if _, err := Ask(t.Context(), path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody listens: %v", err)
	}
	if _, err := Ask(t.Context(), "/"+strings.Repeat("a", 200)); !errors.Is(err, ErrNotRunning) {
		t.Errorf("a path that no socket can have: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Ask(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
