package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/state"
)

// historyFlags are the flags of history.
type historyFlags struct {
	lookFlags
	query       account.Period
	all, follow bool
}

func newHistory(s *shared) *cobra.Command {
	h := &historyFlags{lookFlags: lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show what was reaped, why, and what it freed",
		Long: `Tells what was stopped, a line for each sweep and each session that ended. A TIME is a
duration back from now (2h, 7d), a date (2026-11-20), a date with a time
("2026-11-20 14:02"), a time of today (14:02), "yesterday 14:02", or RFC 3339.

-o json is one JSON object. With --follow it is NDJSON: one object a line, an act's
intention and its outcome each on its own (reaperd schema history-line).`,
		Example: "  reaperd history -n 20\n  reaperd history --since 7d\n  reaperd history --pid 4711\n  reaperd history -f -o json | jq -r 'select(.phase == \"outcome\").name'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h.query.Now = time.Now()
			if err := checkJournal(h.journal); err != nil {
				return err
			}
			if h.follow {
				return h.tail(cmd.Context())
			}
			return h.tell(cmd.Context())
		},
	}
	h.outputFlag(cmd, "table, wide, json or yaml")
	flags := cmd.Flags()
	flags.Func("since", "from this `TIME` on", func(text string) (err error) {
		h.query.Since, err = past(text, time.Now())
		return err
	})
	flags.IntVar(&h.query.PID, "pid", 0, "what had process `N` in its tree")
	flags.StringVar(&h.query.Name, "name", "", "what has a name like this `GLOB`")
	flags.StringVar(&h.query.Rule, "rule", "", "what this `RULE` decided")
	flags.IntVarP(&h.query.Newest, "newest", "n", 0, "only the newest `N` acts; the sums are of all")
	flags.BoolVar(&h.all, "all", false, "a line for each act")
	flags.BoolVarP(&h.follow, "follow", "f", false, "a line for each act, and go on until interrupted")
	journalFlag(flags, &h.journal)
	return cmd
}

// past reads a time that has come.
func past(text string, now time.Time) (time.Time, error) {
	when, err := human.ParseWhen(text, now)
	switch {
	case err != nil:
		return when, fmt.Errorf("%q: %w: want %s", text, err, human.WhenHint)
	case when.After(now):
		return when, fmt.Errorf("%q: %s has not come yet", text, human.Moment(when))
	}
	return when, nil
}

// checkJournal refuses a named journal that is not there: that it names nothing would prove
// nothing.
func checkJournal(named string) error {
	if named == "" {
		return nil
	}
	if _, err := os.Stat(named); err != nil {
		return human.Failed("name a journal or its folder, or none: then "+journalPath("")+" is read", "read journal: %w", err)
	}
	return nil
}

// witness is who tells what was done.
type witness interface {
	History(ctx context.Context, query account.Period) (*account.History, error)
	Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error
}

// witness is the daemon, else the journal. Close it after use.
func (h *historyFlags) witness(ctx context.Context) (witness, func()) {
	if h.journal == "" {
		if asked, err := found(ctx); err == nil && asked != nil {
			return asked, asked.Close
		}
	}
	return daemon.PastIn(journalPath(h.journal)), func() {}
}

func (h *historyFlags) tell(ctx context.Context) error {
	from, done := h.witness(ctx)
	defer done()
	told, err := from.History(ctx, h.query)
	if err != nil {
		return err
	}
	if err := h.show(func(w io.Writer) error { return h.write(w, told) }, told); err != nil {
		return err
	}
	if told.Unread != "" {
		return exitWith(exitIncomplete)
	}
	return nil
}

func (h *historyFlags) write(w io.Writer, told *account.History) error {
	options := h.options()
	options.Wide = h.all || h.output == "wide" || h.query.Newest > 0
	return screen.History(w, told, options)
}

// again is how long a stream that ended waits before it goes on.
const again = time.Second

// tail shows past acts, and then new ones until it is interrupted, also from a daemon that starts
// again.
func (h *historyFlags) tail(ctx context.Context) error {
	if h.output == "yaml" {
		return human.Misused("", "--follow: want -o table, wide or json")
	}
	if err := h.fromNewest(ctx); err != nil {
		return err
	}
	var failed error
	for ctx.Err() == nil && failed == nil {
		from, done := h.witness(ctx)
		within, stop := context.WithCancel(ctx)
		err := from.Record(within, h.query.Since, func(entry journal.Entry) {
			h.query.Since = entry.Time.Add(1)
			if failed = h.writeEntry(entry); failed != nil {
				stop()
			}
		})
		stop()
		done()
		if err != nil && failed == nil {
			h.Remark(fmt.Sprintf("warning: %v", err))
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
	if failed != nil {
		return failed
	}
	return exitWith(exitInterrupted)
}

// fromNewest begins with the newest acts, if so many are asked for.
func (h *historyFlags) fromNewest(ctx context.Context) error {
	if h.query.Newest == 0 {
		return nil
	}
	from, done := h.witness(ctx)
	defer done()
	told, err := from.History(ctx, h.query)
	if err == nil && len(told.Entries) > 0 && told.Older > 0 {
		h.query.Since = told.Entries[0].At()
	}
	return err
}

// writeEntry writes an entry of a stream: for people only how an act ended.
func (h *historyFlags) writeEntry(entry journal.Entry) error {
	query := h.query
	query.Since, query.Newest = time.Time{}, 0
	told := account.HistoryOf([]journal.Entry{entry}, query, state.Home())
	if len(told.Entries) == 0 || h.text() && entry.Phase == journal.PhaseIntend {
		return nil
	}
	if h.text() {
		options := h.options()
		options.Wide = true
		return screen.History(h.Out, told, options)
	}
	data, err := screen.JSON(entry)
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return err
	}
	line.WriteByte('\n')
	_, err = line.WriteTo(h.Out)
	return err
}
