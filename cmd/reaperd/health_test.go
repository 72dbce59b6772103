package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthOfADaemonOnAPort(t *testing.T) {
	for _, row := range []struct {
		world        string
		alive, ready int
		says         string
		health, acts int // the exit codes, the second with --ready
	}{
		{"it acts", http.StatusOK, http.StatusOK, "healthy\n", exitOK, exitOK},
		{"its disk is full", http.StatusOK, http.StatusServiceUnavailable, "alive, but NOT WELL: the journal takes no record\n", exitOK, exitFailed},
		{"its loop hangs", http.StatusServiceUnavailable, http.StatusServiceUnavailable, "", exitFailed, exitFailed},
	} {
		t.Run(row.world, func(t *testing.T) {
			daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				code := map[string]int{"/healthz": row.alive, "/readyz": row.ready}[r.URL.Path]
				w.WriteHeader(code)
				if code != http.StatusOK {
					fmt.Fprintln(w, "the journal takes no record")
				}
			}))
			defer daemon.Close()
			t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
			address := strings.TrimPrefix(daemon.URL, "http://")
			if got := command(t, "health", "--listen", address); got.code != row.health || got.out != row.says {
				t.Errorf("%+v", got)
			}
			if got := command(t, "health", "--ready", "--listen", address); got.code != row.acts || got.out != row.says {
				t.Errorf("--ready: %+v", got)
			}
		})
	}
}

func TestHealthFailsWhereNobodyListens(t *testing.T) {
	daemon := httptest.NewServer(http.NotFoundHandler())
	address := strings.TrimPrefix(daemon.URL, "http://")
	daemon.Close()
	if got := command(t, "health", "--listen", address); got.code != exitFailed || got.out != "" {
		t.Errorf("%+v", got)
	}
}
