package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/serve"
)

func newPage(s *shared) *cobra.Command {
	var port uint16
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Show the daemon's page in a browser",
		Long: `Prints an address that opens the daemon's page in one browser, and serves it until it is
interrupted. The address works once: another user of this host who reaches the port sees nothing.

The page shows each session with what it holds, what leaked and since when, what goes next and
when, and what was reaped in the last day. It follows the daemon's looks, and only shows: nothing is stopped from there.
A browser on another machine needs a forward from there: ssh -N -L PORT:127.0.0.1:PORT HOST.
With --port it is the same port each time, and so is the forward.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.page(cmd.Context(), port) },
	}
	cmd.Flags().Uint16Var(&port, "port", 0, "`PORT` of 127.0.0.1 to serve it on; 0 takes any that is free")
	return cmd
}

func (s *shared) page(ctx context.Context, port uint16) error {
	asked, err := found(ctx)
	switch {
	case err != nil:
		return err
	case asked == nil:
		return &ending{exitNotRunning, noPage()}
	case asked.UID != os.Geteuid() && os.Geteuid() != 0:
		return human.Failed("sudo reaperd page; reaperd top   shows your own", "the page shows everybody's, so it is root's")
	}
	defer asked.Close()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return human.Failed("reaperd page   takes a port that is free", "%s is taken: another program listens there", address)
	}
	if err != nil {
		return human.Failed("reaperd page   takes a port that is free", "listen for the browser: %w", err)
	}
	visit := serve.NewVisit(asked.Socket())
	if _, err := fmt.Fprintf(s.Out, "http://%s%s\n", listener.Addr(), visit.Path()); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.Remark("opens once; Ctrl-C ends it", fmt.Sprintf("from another machine: ssh -N -L %d:%s HOST, and open it there", listener.Addr().(*net.TCPAddr).Port, listener.Addr()))
	return visit.Serve(ctx, listener)
}

// noPage is the error that no daemon runs, which makes the page.
func noPage() error {
	return human.Failed(install.HowToStart().Command()+"   starts a daemon; reaperd top   needs none", "no daemon runs, and the page is that of a daemon")
}
