//go:build linux

package hostile_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

func TestHugeArgumentsOfOneUserCostOthersNothing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name                string
		count, words, width int
	}{
		{"60 orphans with 500,000 arguments", 60, 500_000, 1},
		{"60 orphans with arguments of 1 MB", 60, 10, 100_000},
		{"6 orphans with arguments of 5.4 MB", 6, 45, 120_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			readingWithin(t, func(t *testing.T, live *farm.Live) {
				live.Start(t, []actor.Part{readingServer("bob")})
				readingPuppet(t, live, "PUPPET=orphan", "PUPPET_UID=1234", fmt.Sprintf("PUPPET_COUNT=%d", row.count),
					fmt.Sprintf("PUPPET_WORDS=%d", row.words), fmt.Sprintf("PUPPET_WIDTH=%d", row.width))
				farm.Eventually(t, "all orphans are there", func() bool { return readingPuppets(t) >= row.count })
				live.KillAll(t, []string{"bob"})
				began := time.Now()
				d := daemon.Launch(t, live, daemon.Options{Policy: readingPolicy})
				daemon.Gone(t, live, "bob-server")
				bob := time.Since(began)
				farm.Eventually(t, "all orphans are gone", func() bool { return readingPuppets(t) == 0 })
				farm.Figure(t, "another user's orphan is gone %s after the daemon's start, all after %s",
					bob.Round(10*time.Millisecond), time.Since(began).Round(10*time.Millisecond))
				readingFits(t, d, row.name)
				if journal, err := os.ReadFile(d.State() + "/journal.jsonl"); err == nil && strings.Contains(string(journal), strings.Repeat("x", 10_000)) {
					t.Error("the journal holds an argument of theirs")
				}
			})
		})
	}
}

func TestAnEngineThatStreamsAnEndlessListIsBounded(t *testing.T) {
	t.Parallel()
	entry := `{"Id":"` + strings.Repeat("a", 64) + `","Names":["/x"],"Image":"mcp/x","State":"running","Status":"Up","Labels":{"l":"` + strings.Repeat("v", 500) + `"}},`
	for _, row := range []struct{ name, begin, again string }{
		{"containers without an end", "[", strings.Repeat(entry, 50)},
		{"one name without an end", `[{"Id":"`, strings.Repeat("a", 1<<15)},
	} {
		t.Run(row.name, func(t *testing.T) {
			readingWithin(t, func(t *testing.T, live *farm.Live) {
				readingEngine(t, live, row.begin, row.again)
				d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
				d.AwaitMore(t, 3)
				state, _ := d.Status(t)
				for _, source := range state.Sources {
					if source.Name == "docker" && source.Status != "error" {
						t.Errorf("the engine is %s: %s", source.Status, source.Reason)
					}
				}
				readingFits(t, d, row.name)
			})
		})
	}
}

// readingEngine answers on the world's engine socket with a list that never ends.
func readingEngine(t *testing.T, live *farm.Live, begin, again string) {
	t.Helper()
	listener, err := net.Listen("unix", strings.TrimPrefix(live.DockerHost(), "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		if !strings.HasSuffix(r.URL.Path, "/containers/json") {
			return
		}
		_, err := io.WriteString(w, begin)
		for err == nil {
			_, err = io.WriteString(w, again)
		}
	}
	server := &http.Server{Handler: http.HandlerFunc(handler)}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
}

func TestConnectionsThatNeverFinishDoNotShutThePort(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		const connections = 2000
		for i := range connections {
			conn, err := net.Dial("tcp", serve.DefaultListen)
			if err != nil {
				t.Fatalf("connection %d: %v", i, err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"); err != nil {
				continue // it was already closed to make room for another
			}
		}
		began := time.Now()
		for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
			if code, _ := daemon.GetPort(t, serve.DefaultListen, path); code != http.StatusOK {
				t.Errorf("%s beside %d connections that wait: %d", path, connections, code)
			}
		}
		farm.Figure(t, "three answers beside %d connections that wait took %s", connections, time.Since(began).Round(time.Millisecond))
		if files := daemon.FiguresOf(t, d.PID()).Files; files > 200 {
			t.Errorf("the daemon has %d descriptors", files)
		}
		readingFits(t, d, "2,000 connections")
	})
}
