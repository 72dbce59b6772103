package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/serve"
)

func newHealth(s *shared) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the daemon whether it is well: 0 or 1",
		Long: `Asks the daemon's /healthz and exits 0 where it answers that it is well within two
seconds, else 1. It is the health check of an image that has no shell.

Without --listen it asks your own daemon: on the default port, else on its socket,
and says where it was found.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own, found := !cmd.Flags().Changed("listen"), ""
			err := serve.Health(cmd.Context(), listen, own)
			if err != nil && own {
				found, err = serve.HealthOnSocket(cmd.Context(), stateDir().Socket(), listen, err)
			}
			if err != nil {
				return err
			}
			answer := "healthy"
			if found != "" {
				answer += ": " + found
			}
			_, err = fmt.Fprintln(s.Out, answer)
			return err
		},
	}
	cmd.Flags().StringVar(&listen, "listen", serve.DefaultListen, "`ADDR` the daemon listens on")
	return cmd
}
