package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/status"
)

func newPage(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:   "page",
		Short: "Show the daemon's page in a browser",
		Long: `Prints an address that opens the daemon's page in one browser, and serves it until it is
interrupted. The address works once: another user of this host who reaches the port sees nothing.

The page shows each session with what it holds, what leaked and since when, what goes next and
when, and what was reaped in the last day. It follows the daemon's looks, and only shows: nothing is stopped from there.
A browser on another machine needs a forward from there, which is printed over ssh: ssh -N -L PORT:127.0.0.1:PORT HOST`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.page(cmd.Context()) },
	}
}

func (s *shared) page(ctx context.Context) error {
	dir := stateDir()
	if _, err := serve.Status(ctx, dir.Socket()); err != nil {
		err = status.Unanswered(dir, err)
		if errors.Is(err, serve.ErrNotRunning) {
			return &ending{exitNotRunning, status.NoPage()}
		}
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return advice.Failed("", "listen for the browser: %w", err)
	}
	visit := serve.NewVisit(dir.Socket())
	fmt.Fprintf(s.Out, "http://%s%s\n", listener.Addr(), visit.Path())
	s.Remark(serve.Opens(listener.Addr())...)
	return visit.Serve(ctx, listener)
}
