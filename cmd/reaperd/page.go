package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/status"
)

func newPage(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "page",
		Short: "Show the daemon's page in a browser",
		Long: `Prints an address that opens the daemon's page in one browser, and serves it until it is
interrupted. The address works once: another user of this host who reaches the port sees nothing.

The page shows each session with what it holds, what leaked and since when, what goes next and
when, and what was reaped in the last day. It follows the daemon's looks, and only shows: nothing
is stopped from there.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.page(cmd.Context()) },
	}
}

func (s *shared) page(ctx context.Context) error {
	dir := stateDir()
	if _, err := serve.Status(ctx, dir.Socket()); err != nil {
		err = status.Unanswered(dir, err)
		if errors.Is(err, serve.ErrNotRunning) {
			return &ending{exitNotRunning, noPage()}
		}
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return advice.Failed("", "listen for the browser: %w", err)
	}
	visit := serve.NewVisit(dir.Socket())
	fmt.Fprintf(s.Out, "http://%s%s\n", listener.Addr(), visit.Path())
	s.Remark("opens once; Ctrl-C ends it")
	return serveUntil(ctx, listener, visit.Handler())
}

// noPage says that no daemon of this user runs, and what shows a page.
func noPage() error {
	if system, runs := state.ForeignDaemon(); runs {
		return advice.Failed("sudo reaperd page   shows that of the system daemon", "no daemon of yours runs; a system daemon does (process %d)", system.PID)
	}
	return advice.Failed("reaperd run   starts it here", "reaperd is not running")
}

// visitTimeout limits one request of the browser.
const visitTimeout = 15 * time.Second

// serveUntil serves until ctx ends, which is no error.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadTimeout: visitTimeout, WriteTimeout: 2 * visitTimeout}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return advice.Failed("", "serve the browser: %w", err)
	}
	return nil
}
