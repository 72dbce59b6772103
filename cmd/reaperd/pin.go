package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/screen"
)

// pinFlags are the flags of pin.
type pinFlags struct {
	lookFlags
	lasts  time.Duration // 0 is until it is unpinned
	reason string
}

func newPin(s *shared) *cobra.Command {
	p := &pinFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "pin PID|CONTAINER|NAME…",
		Short: "Keep one, until it is unpinned or its time is over",
		Long: `Keeps a server, a container or a session of yours, whatever the policy says: its whole
tree, the container of a client, and what a session holds while it lives. NAME pins every
copy that runs now, each by its identity; what starts later is not pinned. A process's pin
ends with the boot.`,
		Example: "  reaperd pin 4711\n  reaperd pin '*github*' --for 8h --reason 'a demo'",
		Args:    cli.Words(1, cli.Any, "a PID, a container or a name"),
		RunE:    func(cmd *cobra.Command, words []string) error { return p.pin(cmd.Context(), words) },
	}
	flags := cmd.Flags()
	flags.Func("for", "`DURATION`, such as 8h or 7d (default: until unpinned)", cli.Span(&p.lasts))
	flags.StringVar(&p.reason, "reason", "", "`TEXT` that every report shows beside it")
	return cmd
}

// pin keeps the named targets, whatever the policy says.
func (p *pinFlags) pin(ctx context.Context, words []string) error {
	d, err := p.ordered(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	until := time.Time{}
	if p.lasts > 0 {
		until = endOf(p.lasts)
	}
	for _, subject := range words {
		pinned, err := d.Pin(ctx, subject, until, p.reason)
		if err != nil {
			return err
		}
		if err := p.tell("Pinned", pinned); err != nil {
			return err
		}
	}
	return nil
}

// tell confirms what was done to some pins.
func (s *shared) tell(done string, pins []account.Pin) error {
	for _, pin := range pins {
		until := ""
		if done == "Pinned" && !pin.Until.IsZero() {
			until = " until " + human.Moment(pin.Until.Local())
		}
		if _, err := fmt.Fprintf(s.Out, "%s %s %s%s.\n", done, human.Safe(pin.Called), human.Safe(cmp.Or(pin.Container, human.Handle(pin.Target))), until); err != nil {
			return err
		}
	}
	return nil
}

func newUnpin(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	var all bool
	cmd := &cobra.Command{
		Use:   "unpin PID|CONTAINER|NAME… | --all",
		Short: "End a pin: the policy decides again",
		RunE:  func(cmd *cobra.Command, words []string) error { return l.unpin(cmd.Context(), words, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "end every pin of yours")
	return cmd
}

func (l *lookFlags) unpin(ctx context.Context, words []string, all bool) error {
	if all == (len(words) > 0) {
		return human.Misused("reaperd pins   lists them", "unpin: want what to unpin, or --all, and not both")
	}
	d, err := l.ordered(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	ended, err := d.Unpin(ctx, words)
	if err != nil {
		return err
	}
	if len(ended) == 0 {
		l.Remark("Nothing was pinned.")
	}
	return l.tell("Unpinned", ended)
}

func newPins(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "pins",
		Short: "List what is pinned",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return l.pins(cmd.Context()) },
	}
	l.outputFlag(cmd, "table, json or yaml")
	return cmd
}

func (l *lookFlags) pins(ctx context.Context) error {
	d, err := l.decider(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	pins, err := d.Pins(ctx)
	if err != nil {
		return err
	}
	return l.show(func(w io.Writer) error { return screen.Pins(w, pins, l.options()) }, pins)
}
