package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
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

// health and status are about one daemon, so they may not contradict each other.
func TestHealthSaysWhatStatusSays(t *testing.T) {
	for _, row := range []struct {
		world  string
		make   func(t *testing.T, d state.Dir, is *serve.State)
		health string
		acts   int // the exit code with --ready, and of status
	}{
		{"it is well", func(*testing.T, state.Dir, *serve.State) {}, "healthy\n", exitOK},
		{"it listens nowhere", func(_ *testing.T, _ state.Dir, is *serve.State) { is.Listen = "" }, "healthy: process 4121, on its socket alone (run --listen adds a port)\n", exitOK},
		{"its journal takes nothing", func(_ *testing.T, _ state.Dir, is *serve.State) {
			is.Ready, is.NotReady = false, "nothing is acted on: the journal takes no record"
		}, "alive, but NOT WELL: nothing is acted on: the journal takes no record\n", exitFailed},
		{"what is pinned cannot be read", func(t *testing.T, d state.Dir, _ *serve.State) {
			if err := os.WriteFile(filepath.Join(string(d), "pins.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "alive, but NOT WELL: its state cannot be read\n", exitFailed},
	} {
		t.Run(row.world, func(t *testing.T) {
			d, is := shortState(t), running()
			row.make(t, d, &is)
			answering(t, d, is)
			if got := command(t, "health"); got.code != exitOK || got.out != row.health {
				t.Errorf("health: %+v", got)
			}
			if got := command(t, "health", "--ready"); got.code != row.acts || got.out != row.health {
				t.Errorf("health --ready: %+v", got)
			}
			if got := command(t, "status"); got.code != row.acts {
				t.Errorf("status: %+v", got)
			}
		})
	}
}
