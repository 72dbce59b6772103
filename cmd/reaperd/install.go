package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func newInstall(s *shared) *cobra.Command {
	return s.installer(&cobra.Command{
		Use:   "install",
		Short: "Write the service for this machine, and start it",
		Long: `Writes the systemd unit or launchd job that runs this very program, and starts it.
What is written and what is run is shown first; on a terminal it asks.

--user watches your own servers, --system every user's. Without either it is
--system for root and --user for everybody else.

--dry-run shows the files and commands also where the service cannot be installed, as where
systemd does not run, or --system without root; it then says why, and ends with 1.`,
		Example: "  reaperd install --user\n  sudo reaperd install --system\n  reaperd install --dry-run",
	}, install.Install, "show what would be written and run, and stop there")
}

func newUninstall(s *shared) *cobra.Command {
	return s.installer(&cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service that install wrote, and remove it",
		Long: `Stops the service that "reaperd install" wrote and removes its file. Policy, pins
and journal stay, and it says where they are.

--system --dry-run shows what it would do without root too; it then says that it needs root,
and ends with 1.`,
	}, install.Uninstall, "show what would be run and removed, and stop there")
}

// installer makes cmd a command that changes the service.
func (s *shared) installer(cmd *cobra.Command, do func(context.Context, install.Request) error, dryRun string) *cobra.Command {
	r := install.Request{Out: s.Out, Err: s.Err, Width: s.LineWidth(), Hosted: hosted}
	r.Ask = func(ctx context.Context, question string) (bool, error) {
		return s.Agrees(ctx, false, question, "Nothing changed.")
	}
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return do(cmd.Context(), r) }
	flags := cmd.Flags()
	flags.BoolVar(&r.User, "user", false, "for your own servers")
	flags.BoolVar(&r.Host, "system", false, "for the whole host; needs root")
	flags.BoolVar(&r.DryRun, "dry-run", false, dryRun)
	flags.BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("user", "system")
	return cmd
}

// hosted reports that the host's daemon answers a user other than root.
func hosted(ctx context.Context) bool {
	socket := state.Own().HostSocket()
	if os.Geteuid() == 0 || socket == "" {
		return false
	}
	daemon, err := serve.Dial(ctx, socket)
	if err != nil {
		return false
	}
	daemon.Close()
	return true
}
