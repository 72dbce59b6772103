package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/state"
)

// The port is open to every user of the host, so its reason quotes no file; the user of
// the daemon gets the cause.
func TestADaemonThatMayNotActIsNotReadyAndTellsItsUserWhy(t *testing.T) {
	for _, row := range []struct {
		world string
		make  func(t *testing.T, s *service)
		why   string // for everybody
		fault string // for its user; empty if it may act
	}{
		{"all is well", func(*testing.T, *service) {}, "", ""},
		{"the journal takes nothing", func(_ *testing.T, s *service) { s.record.note(errors.New("write journal /j: no space left on device")) },
			"nothing is acted on: the journal takes no record", "write journal /j: no space left on device: nothing is acted on until it takes records again"},
		{"what is pinned is damaged", func(t *testing.T, s *service) {
			if err := os.WriteFile(filepath.Join(string(s.State), "pins.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "nothing is acted on: what is pinned or paused cannot be read", "pins.json: it is damaged"},
	} {
		t.Run(row.world, func(t *testing.T) {
			r, _ := opened(t)
			s := &service{Options: Options{State: state.Dir(t.TempDir())}, record: r, rules: &rules{}}
			row.make(t, s)
			if ready, why := s.ready(); why != row.why || ready != (row.why == "") {
				t.Errorf("ready %v: %q", ready, why)
			}
			faults := s.decides(time.Now()).Daemon.Faults
			told := slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, row.fault) })
			if row.fault == "" && len(faults) > 0 || row.fault != "" && !told {
				t.Errorf("faults %q", faults)
			}
		})
	}
}

func TestTheAddressIsToldWhereItListens(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, listens := range map[string]bool{"127.0.0.1:0": true, taken.Addr().String(): false, "": false} {
		s := newService(Options{Listen: address, State: state.Dir(t.TempDir()), Log: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(t.Context())
		_, err := s.serve(ctx)
		if err != nil || (s.listens != "") != listens {
			t.Errorf("%q: listens on %q, %v", address, s.listens, err)
		}
		stop()
		s.background.Wait()
	}
}
