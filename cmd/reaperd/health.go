package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/serve"
)

func newHealth(s *shared) *cobra.Command {
	h := &healthFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask whether the daemon lives: 0 or 1",
		Long: `Exits 0 if the daemon lives: it answers within two seconds, and its loop moves (/healthz).
Else it exits 1. It is the health check of an image that has no shell.

A daemon that lives may still act on nothing: it was started with a policy that is
refused, or its disk is full. To start it again does not mend that, so it is 0, and the
line says so: "alive, but NOT WELL". With --ready that is 1 (/readyz). A policy that is
refused later leaves the one before it in effect: that is 0.

Without --listen it asks your own daemon: on its socket, else on the default port.`,
		Example: "  reaperd health\n  reaperd health --ready",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return h.health(cmd.Context(), !cmd.Flags().Changed("listen") || h.listen == "")
		},
	}
	cmd.Flags().StringVar(&h.listen, "listen", serve.DefaultListen, "`ADDR` the daemon listens on")
	cmd.Flags().BoolVar(&h.ready, "ready", false, "1 as well if it acts on nothing until something is mended")
	return cmd
}

// healthFlags are the flags of health.
type healthFlags struct {
	*shared
	listen string
	ready  bool
}

// health prints how the daemon is: the one that decides about this user's servers, or that on the named
// address.
func (h *healthFlags) health(ctx context.Context, own bool) error {
	if !own {
		return h.ofPort(ctx, h.listen, false)
	}
	asked, err := found(ctx)
	switch {
	case err != nil:
		return err
	case asked == nil:
		return h.ofPort(ctx, cmp.Or(h.listen, serve.DefaultListen), true)
	}
	defer asked.Close()
	if asked.Dead != "" {
		return human.Failed("reaperd status", "the daemon (process %d) is not well: %s", asked.PID, asked.Dead)
	}
	return h.tell(asked.NotReady)
}

// ofPort asks a port. The default one may be that of another user's daemon.
func (h *healthFlags) ofPort(ctx context.Context, listen string, own bool) error {
	notReady, err := serve.HealthOnPort(ctx, listen, own)
	if err != nil {
		return err
	}
	return h.tell(notReady)
}

// tell prints how a daemon is that lives.
func (h *healthFlags) tell(notReady string) error {
	text := "healthy"
	if notReady != "" {
		text = "alive, but NOT WELL: " + notReady
	}
	if _, err := fmt.Fprintln(h.Out, human.Safe(text)); err != nil {
		return human.Failed("", "%w", err)
	}
	if notReady == "" {
		return nil
	}
	h.Remark("hint: reaperd status   says more; starting it again does not mend that")
	if h.ready {
		return exitWith(exitFailed)
	}
	return nil
}
