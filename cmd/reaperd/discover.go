package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

func newDiscover(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "List the MCP servers in the configurations of clients here",
		Long: `Reads the clients' own configuration (names, command, args and url; nothing else)
and lists the servers it names: the files of clients in your home (as root: in the homes of
all users), in this folder and in those above it, up to the root of the repository, and in
the folders of running sessions. A daemon goes by the same files, except for those of this
folder and above: it reads them while a session runs there.

A file that cannot be read, or has a fault, is named on stderr, a fault with its line, and the
exit code is 4. The servers in all other files are listed.

On macOS a background daemon must not read below Documents, Desktop, Downloads,
Library or /Volumes: each read would raise a permission dialog. There this
command, run in a terminal, reads them and leaves what it found for the daemon.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.discoverServers(cmd.Context()) },
	}
	l.outputFlag(cmd, "table, json or yaml")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`, for the sessions it names")
	return cmd
}

func (l *lookFlags) discoverServers(ctx context.Context) error {
	p, err := l.policy()
	if err != nil {
		return err
	}
	h, err := l.configured(ctx, p)
	if err != nil {
		return err
	}
	defer h.Close()
	homes, _ := discover.NewUsers().Homes(ctx) // its faults are those of the look
	set := withThoseHere(ctx, h, homes)
	view := discover.View{Width: l.LineWidth(), Home: state.Home()}
	if err := l.answer(func(w io.Writer) error { return set.Write(w, view) }, set.JSON); err != nil {
		return err
	}
	for _, fault := range set.FaultTexts() {
		l.Remark("warning: " + fault)
	}
	if l.text() {
		l.Remark(discover.Scope(os.Geteuid()))
	}
	if err := l.keepDiscovered(h); err != nil || len(set.Faults()) == 0 {
		return err
	}
	return exitWith(exitIncomplete)
}

// withThoseHere adds the servers of the folder in which the person works, whether or not a session
// runs there, to those that this host goes by.
func withThoseHere(ctx context.Context, h *host.Host, homes []discover.Home) discover.Set {
	set, _ := h.Configured()
	return discover.Union(set, discover.Around(ctx, homes))
}

// configured opens this host and reads the clients' configurations. Close the host after
// use.
func (l *lookFlags) configured(ctx context.Context, p *policy.Policy) (*host.Host, error) {
	asked := *p
	asked.Discover = true // the user asked for it, so the policy cannot turn it off
	h, err := host.Open(host.Options{Policy: &asked, Log: l.logger(), TellsFaults: true})
	if err != nil {
		return nil, human.Failed("reaperd doctor", "%w", err)
	}
	if _, err := h.Look(ctx, nil); err != nil {
		h.Close()
		return nil, human.Failed("reaperd doctor", "look at this host: %w", err)
	}
	return h, nil
}

// keepDiscovered saves the result for a daemon that cannot read this user's files.
func (l *lookFlags) keepDiscovered(h *host.Host) error {
	isOfUse, err := h.SaveConfigured(stateDir().SavedConfiguration())
	if err != nil {
		return human.Failed("", "keep what was found: %w", err)
	}
	if isOfUse {
		l.Remark("kept for the daemon in " + stateDir().SavedConfiguration())
	}
	return nil
}
