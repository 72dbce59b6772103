package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/outlook"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/state"
)

// pinFlags are the flags of pin.
type pinFlags struct {
	lookFlags
	lasts  string // --for
	reason string
	yes    bool
}

func newPin(s *shared) *cobra.Command {
	p := &pinFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "pin PID|CONTAINER|NAME…",
		Short: "Keep one, until it is unpinned or its time is over",
		Long: `Keeps a server, a container or a session, whatever the policy says: its whole tree,
the container of a client, and what a session holds while it lives. NAME pins every
copy that runs now, each by its identity; what starts later is not pinned. On a terminal it asks first where a name without
wildcards means several. A process's pin ends with the boot.`,
		Example: "  reaperd pin 4711\n  reaperd pin '*github*' --for 8h --reason 'a demo'",
		Args:    cli.SomeOf("a PID, a container or a name"),
		RunE:    func(cmd *cobra.Command, words []string) error { return p.pin(cmd.Context(), words) },
	}
	flags := cmd.Flags()
	flags.StringVar(&p.lasts, "for", "", "`DURATION`, such as 8h or 7d (default: until unpinned)")
	flags.StringVar(&p.reason, "reason", "", "`TEXT` that every report shows beside it")
	flags.BoolVarP(&p.yes, "yes", "y", false, "do not ask where a name means several")
	flags.StringVar(&p.policies, policyFlag, "", "policy `FILE`, for the servers it names")
	return cmd
}

// pin keeps the named targets, whatever the policy says.
func (p *pinFlags) pin(ctx context.Context, words []string) error {
	now := time.Now()
	until, err := p.until(now)
	if err != nil {
		return err
	}
	sight, err := p.lookOnce(ctx)
	if err != nil {
		return err
	}
	defer sight.Close()
	sight.Place(words)
	request := pins.Request{
		Graph: sight.View.Graph, Programs: sight.Programs(), Words: words, Now: now, Until: until, Reason: p.reason, LeftBy: sight.LeftBy(ctx), NotSeen: sight.NotSeen,
	}
	if err := request.Check(); err != nil { // before it asks about the words that mean something
		return err
	}
	if agreed, err := p.agreed(ctx, sight, words); !agreed || err != nil {
		return err
	}
	before, err := stateDir().Pins(sight.View.Graph.Snapshot.Host.BootID, now)
	if err != nil {
		return advice.Failed("", "%w", err)
	}
	found, err := pins.Pin(stateDir(), request)
	if err != nil {
		return err
	}
	if late := pins.TooLate(found, sight.Begun(ctx)); late != "" {
		defer p.Remark("warning: " + late)
	}
	if err := p.tell(ctx, sight, found, before); err != nil {
		return err
	}
	awaitDaemon(ctx)
	return nil
}

// tell says what is pinned now, and what a person may not expect of that.
func (p *pinFlags) tell(ctx context.Context, sight *oneshot.Sight, found, before []state.Pin) error {
	if err := pins.Tell(p.Out, found, pins.Pinned); err != nil {
		return err
	}
	p.Remark(append(pins.LookNotes(sight.View.Graph, found, neighbours.Daemons(ctx)), pins.Notes(sight.View.Graph, found, before, stateDir())...)...)
	return nil
}

// until is when the pin ends; the error says which flag is wrong.
func (p *pinFlags) until(now time.Time) (time.Time, error) {
	if err := checkReason(p.reason); err != nil {
		return time.Time{}, err
	}
	return cli.EndOf("--for", p.lasts, now)
}

func checkReason(reason string) error {
	if err := state.CheckReason(reason); err != nil {
		return advice.Misused("", "--reason: %w", err)
	}
	return nil
}

// agreed asks on a terminal whether all of several of one name are to be pinned.
func (p *pinFlags) agreed(ctx context.Context, sight *oneshot.Sight, words []string) (bool, error) {
	several := sight.Several(words)
	if len(several) == 0 || p.yes || !p.IsAttended() {
		return true, nil
	}
	p.Remark(several...)
	return p.Ask(ctx, "Pin all of them?", "Nothing pinned. A PID pins one of them.")
}

func newUnpin(s *shared) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "unpin PID|CONTAINER|NAME… | --all",
		Short: "End a pin: the policy decides again",
		RunE:  func(cmd *cobra.Command, words []string) error { return s.unpin(cmd.Context(), words, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "end every pin")
	return cmd
}

func (s *shared) unpin(ctx context.Context, words []string, all bool) error {
	if all == (len(words) > 0) {
		return advice.Misused("reaperd pins   lists them", "unpin: want what to unpin, or --all, and not both")
	}
	look := func() *pins.Seen {
		sight, err := (&lookFlags{shared: s}).lookOnce(ctx)
		if err != nil {
			return nil
		}
		defer sight.Close()
		return &pins.Seen{Graph: sight.View.Graph, Verdicts: sight.View.Verdicts}
	}
	ended, err := pins.End(stateDir(), words, look)
	if err != nil {
		return err
	}
	if err := pins.Tell(s.Out, ended, pins.Unpinned); err != nil {
		return err
	}
	if len(ended) == 0 {
		s.Remark("Nothing was pinned.")
		return nil
	}
	daemons := neighbours.Daemons(ctx)
	notes, others := pins.StillKeptNotes(ended, look, daemons)
	s.Remark(append(notes, outlook.Unpinned(ctx, stateDir(), daemons, others)...)...)
	return nil
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
	if err := l.check(); err != nil {
		return err
	}
	list, users, err := pins.Read(ctx, stateDir(), l.logger())
	if err != nil {
		return err
	}
	err = l.answer(func(w io.Writer) error {
		if len(list) == 0 {
			l.Remark(pins.Nothing(users))
			return nil
		}
		return list.Write(w, l.LineWidth())
	}, func() ([]byte, error) { return list.JSON(users) })
	if err == nil {
		l.Remark(append(pins.ListNotes(list, neighbours.Daemons(ctx)), pins.UserNotes(users)...)...)
	}
	return err
}
