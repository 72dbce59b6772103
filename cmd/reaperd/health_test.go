package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/terminal"
)

func TestHealthFollowsTheDaemonsAnswer(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		code   int
	}{
		{"it is well", http.StatusOK, exitOK},
		{"it is not", http.StatusServiceUnavailable, exitFailed},
	} {
		t.Run(row.name, func(t *testing.T) {
			daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/healthz" {
					t.Errorf("asked %s", r.URL.Path)
				}
				w.WriteHeader(row.status)
			}))
			defer daemon.Close()
			t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
			if code := healthCode(t, strings.TrimPrefix(daemon.URL, "http://")); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
		})
	}
}

func TestHealthFailsWhereNobodyListens(t *testing.T) {
	daemon := httptest.NewServer(http.NotFoundHandler())
	address := strings.TrimPrefix(daemon.URL, "http://")
	daemon.Close()
	if code := healthCode(t, address); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}

// healthCode runs the command as if the main program had it.
func healthCode(t *testing.T, listen string) int {
	t.Helper()
	s := &shared{Terminal: terminal.Terminal{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &strings.Builder{}}}
	cmd := newHealth(s)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--listen", listen})
	return conclude(t.Context(), &s.Terminal, cmd.ExecuteContext(t.Context()))
}
