package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/demo"
)

const demoHelp = `Plays a leak and its end with real processes, in under a minute, and explains each step:
two clients, one of them killed, the servers that it leaves behind, and the daemon that
reaps those and no others.

It happens in a process table of its own: no process of this host is seen or touched, and
nothing is left behind. It needs Linux, and root where the kernel lets no user make such a
world; elsewhere it shows a recording.

With --hold the world stays as it is while the servers are pending; with a command, that
runs in it and ends it. Such a world has an idle session too, one at work, and something
that was reaped.`

func newDemo(s *shared) *cobra.Command {
	options := demo.Options{}
	cmd := &cobra.Command{
		Use:                   "demo [--fast] [--hold] [--life-size] [-- COMMAND [ARG…]]",
		DisableFlagsInUseLine: true, // behind COMMAND they are its own
		Short:                 "Play a leak and its end in a world of its own",
		Long:                  demoHelp,
		Example:               "  reaperd demo\n  reaperd demo -- reaperd top\n  reaperd demo --hold",
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Command = args
			return s.demo(cmd.Context(), options)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().BoolVar(&options.Fast, "fast", false, "no pauses for reading, and a shorter wait")
	cmd.Flags().BoolVar(&options.Hold, "hold", false, "stay while the servers are pending, until interrupted")
	cmd.Flags().BoolVar(&options.LifeSize, "life-size", false, "stand-ins take as much memory as what they stand for, up to 3 GB in all")
	return cmd
}

func (s *shared) demo(ctx context.Context, options demo.Options) error {
	if s.color != "auto" {
		options.Color = s.color
	}
	err := options.Play(ctx)
	if farewell := options.Farewell(); farewell != "" && err == nil && s.ErrWidth() > 0 {
		s.Remark(farewell)
	}
	var ended *demo.EndedError
	switch {
	case errors.Is(err, demo.ErrNotHere):
		fmt.Fprintf(s.Out, "A recording, made on Linux:\n\n%s\n", demo.Recorded())
	case errors.As(err, &ended):
		return exitWith(ended.Code)
	}
	return err
}
