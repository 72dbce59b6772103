package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// pinning keeps what is named, whatever the policy says.
type pinning struct {
	looking
	lasts  string // --for
	reason string
}

func newPin(s *shared) *cobra.Command {
	p := &pinning{looking: looking{shared: s}}
	cmd := &cobra.Command{
		Use:   "pin PID|CONTAINER|NAME…",
		Short: "Never touch this one, until it is unpinned or its time is over",
		Long: `Keeps a server or a container, whatever the policy says: its whole tree, and the
container of a client. NAME pins every copy that runs now, each by its identity;
what starts later is not pinned. A process's pin ends with the boot.`,
		Example: "  reaperd pin 4711\n  reaperd pin 'github*' --for 8h --reason 'a demo'",
		Args:    someOf("a PID, a container or a name"),
		RunE:    func(cmd *cobra.Command, words []string) error { return p.pin(cmd.Context(), words) },
	}
	flags := cmd.Flags()
	flags.StringVar(&p.lasts, "for", "", "`DURATION`, such as 8h or 7d (default: until unpinned)")
	flags.StringVar(&p.reason, "reason", "", "`TEXT` that every report shows beside it")
	flags.StringVar(&p.policies, policyFlag, "", "policy `FILE`, for the servers it names")
	return cmd
}

func (p *pinning) pin(ctx context.Context, words []string) error {
	now := time.Now()
	until, err := endOf("--for", p.lasts, now)
	if err != nil {
		return err
	}
	g, programs, err := p.seen(ctx)
	if err != nil {
		return err
	}
	found, missing := pinsOf(g, programs, words)
	if len(missing) > 0 {
		return notSeen(g.Snapshot, missing)
	}
	for i := range found {
		found[i].Until, found[i].Reason = until, p.reason
	}
	if err := stateDir().Pin(g.Snapshot.Host.BootID, now, found...); err != nil {
		return failed("", "%w", err)
	}
	p.systemNote(found)
	return p.tellPinned(found)
}

// stateDir is what this user's tool and daemon share.
func stateDir() state.Dir { return state.Own() }

// endOf is when something that a flag or an argument gives a time for is over;
// zero is never.
func endOf(what, lasts string, now time.Time) (time.Time, error) {
	if lasts == "" {
		return time.Time{}, nil
	}
	d, err := human.ParseDuration(lasts)
	if err != nil {
		return time.Time{}, usage("a number with a unit, such as 30m, 8h or 7d", "%s: %w", what, err)
	}
	if d <= 0 {
		return time.Time{}, usage("", "%s %s: want a time above 0", what, lasts)
	}
	return now.Add(d).Truncate(time.Second), nil
}

// seen is one look at this host.
func (p *pinning) seen(ctx context.Context) (*graph.Graph, graph.Catalogue, error) {
	loaded, err := loadPolicy(p.policies)
	if err != nil {
		return nil, nil, err
	}
	sweeper, h, err := p.sweeper(loaded)
	if err != nil {
		return nil, nil, err
	}
	defer h.Close()
	defer p.progress(0)()
	g, err := sweeper.Look(ctx, nil)
	if err != nil && ctx.Err() == nil {
		err = failed("reaperd doctor", "look at this host: %w", err)
	}
	return g, sweeper.Catalogue, err
}

// pinsOf are the pins that the words mean, and the words that mean nothing here.
func pinsOf(g *graph.Graph, programs graph.Catalogue, words []string) (found []state.Pin, missing []string) {
	for _, word := range words {
		pins := pinsOfWord(g, programs, word)
		if len(pins) == 0 {
			missing = append(missing, word)
		}
		for _, pin := range pins {
			if !slices.ContainsFunc(found, func(p state.Pin) bool { return p.ID == pin.ID }) {
				found = append(found, pin)
			}
		}
	}
	return found, missing
}

// pinsOfWord: a number or an id means one thing, be it a server or any other
// process; only a name means several.
func pinsOfWord(g *graph.Graph, programs graph.Catalogue, name string) []state.Pin {
	boot := g.Snapshot.Host.BootID
	var pins []state.Pin
	for _, t := range word.Targets(g, name) {
		pins = append(pins, state.PinOf(t, boot))
	}
	process := word.Process(g.Snapshot, name)
	if len(pins) > 0 || process == nil {
		return pins
	}
	if t, found := g.Target(process.ContainerID); found && process.ContainerID != "" {
		return []state.Pin{state.PinOf(t, boot)}
	}
	return []state.Pin{state.PinOfProcess(process.ID(), programs.Program(process), boot)}
}

// notSeen says what was named and is not here; a source that did not answer may
// be why.
func notSeen(s *inventory.Snapshot, missing []string) error {
	why := ""
	for _, source := range s.Sources {
		if source.Status == inventory.StatusError {
			why += fmt.Sprintf("; %s could not be read: %s", source.Name, source.Reason)
		}
	}
	return failed("reaperd scan   shows what there is", "%s: no such MCP server, container or process here%s", strings.Join(missing, ", "), why)
}

// tellPinned says what was pinned and how that ends.
func (p *pinning) tellPinned(found []state.Pin) error {
	for _, pin := range found {
		until := ""
		if !pin.Until.IsZero() {
			until = " until " + human.Moment(pin.Until.Local())
		}
		if _, err := fmt.Fprintf(p.out, "Pinned %s %s%s.\n", human.Safe(pin.Name), handleOf(&pin), until); err != nil {
			return err
		}
	}
	for _, pin := range found {
		if len(pin.Members) == 0 && strings.Contains(pin.ID, ":") {
			fmt.Fprintf(p.err, "note: %s is no MCP server, as far as is known: it would not be touched anyway\n", handleOf(&pin))
		}
	}
	if len(found) == 1 {
		fmt.Fprintf(p.err, "reaperd unpin %s   ends it\n", handleOf(&found[0]))
	}
	return nil
}

// systemNote says where the daemon that root runs does not go by a user's pins.
func (p *pinning) systemNote(found []state.Pin) {
	system, running := foreignDaemon()
	if !running {
		return
	}
	home, err := os.UserHomeDir()
	if err != nil || state.UserDir(home) != stateDir() {
		fmt.Fprintf(p.err, "note: the system daemon (process %d) does not look into %s: sudo reaperd pin …\n", system.PID, stateDir())
		return
	}
	for _, pin := range found {
		if !strings.Contains(pin.ID, ":") {
			fmt.Fprintf(p.err, "note: the system daemon (process %d) goes by a user's pins of processes, not of containers: sudo reaperd pin %s\n", system.PID, handleOf(&pin))
		}
	}
}

// foreignDaemon is the daemon that root runs, where it is not this user's own.
func foreignDaemon() (state.Daemon, bool) {
	if os.Geteuid() == 0 {
		return state.Daemon{}, false
	}
	return state.SystemDaemon()
}

// handleOf returns the word by which a person names a pinned thing on a command line:
// a container's name or short id, a process's PID.
func handleOf(p *state.Pin) string { return thingOf(p).Handle() }

// thingOf is what is pinned, as a word of the command line means it.
func thingOf(p *state.Pin) word.Thing {
	return word.Thing{ID: p.ID, Members: p.Members, Container: p.Container, Name: p.Name}
}

// unpinning ends pins.
type unpinning struct {
	*shared
	all bool
}

func newUnpin(s *shared) *cobra.Command {
	u := &unpinning{shared: s}
	cmd := &cobra.Command{
		Use:   "unpin PID|CONTAINER|NAME… | --all",
		Short: "End a pin: the policy decides again",
		RunE:  func(_ *cobra.Command, words []string) error { return u.unpin(words) },
	}
	cmd.Flags().BoolVar(&u.all, "all", false, "end every pin")
	return cmd
}

func (u *unpinning) unpin(words []string) error {
	if u.all == (len(words) > 0) {
		return usage("reaperd pins   lists them", "unpin: want what to unpin, or --all")
	}
	now, d := time.Now(), stateDir()
	// Whether a pin is of this boot does not matter: it may go in any case.
	pins, err := d.Pins("", now)
	if err != nil {
		return failed("", "%w", err)
	}
	if missing := notPinned(pins, words); len(missing) > 0 {
		return failed("reaperd pins   lists them", "%s: not pinned", strings.Join(missing, ", "))
	}
	removed, err := d.Unpin("", now, func(p state.Pin) bool {
		return u.all || slices.ContainsFunc(words, func(word string) bool { return thingOf(&p).IsMeant(word) })
	})
	if err != nil {
		return failed("", "%w", err)
	}
	for _, pin := range removed {
		if _, err := fmt.Fprintf(u.out, "Unpinned %s %s.\n", human.Safe(pin.Name), handleOf(&pin)); err != nil {
			return err
		}
	}
	if len(removed) == 0 {
		fmt.Fprintln(u.err, "Nothing was pinned.")
	}
	return nil
}

func notPinned(pins []state.Pin, words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(pins, func(p state.Pin) bool { return thingOf(&p).IsMeant(word) })
	})
}

func newPins(s *shared) *cobra.Command {
	l := &looking{shared: s}
	cmd := &cobra.Command{
		Use:   "pins",
		Short: "List what is pinned",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return l.pins(cmd.Context()) },
	}
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: table, json or yaml")
	return cmd
}

// pinLine is one pin as it is listed.
type pinLine struct {
	state.Pin
	// Running tells whether anything that was pinned still runs; known of
	// processes alone.
	Running *bool `json:"running,omitempty"`
}

func (l *looking) pins(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	boot, running := l.runningNow(ctx)
	pins, err := stateDir().Pins(boot, time.Now())
	if err != nil {
		return failed("mend or remove the file; until then nothing is reaped", "%w", err)
	}
	lines := []pinLine{}
	for _, pin := range pins {
		lines = append(lines, pinLine{pin, stillRuns(pin, running)})
	}
	return l.answer(func(w io.Writer) error { return l.listPins(w, lines) }, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": 1, "pins": lines})
	})
}

// runningNow is the present boot and the identities of its processes; empty and
// nil where they could not be read, which is said.
func (l *looking) runningNow(ctx context.Context) (boot string, running map[string]bool) {
	scanner, err := scan.New(scan.Options{})
	if err == nil {
		defer scanner.Close()
		var look scan.Look
		if look, err = scanner.Processes(ctx); err == nil {
			running = make(map[string]bool, len(look.Processes))
			for i := range look.Processes {
				running[look.Processes[i].ID().String()] = true
			}
			return look.Host.BootID, running
		}
	}
	l.logger().Warn("read processes", "err", err)
	return "", nil
}

func stillRuns(pin state.Pin, running map[string]bool) *bool {
	if running == nil || !strings.Contains(pin.ID, ":") {
		return nil
	}
	runs := running[pin.ID] || slices.ContainsFunc(pin.Members, func(id string) bool { return running[id] })
	return &runs
}

func (l *looking) listPins(w io.Writer, lines []pinLine) error {
	if len(lines) == 0 {
		fmt.Fprintln(l.err, "Nothing is pinned.")
		return nil
	}
	rows := [][]string{{"NAME", "TARGET", "OF", "UNTIL", "PINNED", "REASON"}}
	for _, line := range lines {
		until := "until unpinned"
		if !line.Until.IsZero() {
			until = human.Moment(line.Until.Local())
		}
		if line.Running != nil && !*line.Running {
			until = "it has ended"
		}
		rows = append(rows, []string{human.Safe(line.Name), handleOf(&line.Pin), cmp.Or(human.Safe(line.Owner), "unknown"), until, pinnedBy(line.Pin), human.Safe(line.Reason)})
	}
	for _, line := range report.Columns(rows) {
		if _, err := fmt.Fprintln(w, l.fit(line)); err != nil {
			return err
		}
	}
	return nil
}

func pinnedBy(p state.Pin) string {
	text := human.Moment(p.At.Local())
	if p.By != os.Geteuid() {
		text += " by uid " + strconv.Itoa(p.By)
	}
	return text
}
