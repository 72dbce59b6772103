package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/exits"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// socketName is the daemon's socket in its state directory.
const socketName = "reaperd.sock"

// daemon is `reaperd run`: the loop with a host, a journal and a port around it.
type daemon struct {
	*shared
	policies string
	listen   string
	explicit bool // --listen was given
	state    string
	mode     string

	log     *slog.Logger
	dir     state.Dir
	hangups chan os.Signal
	read    string        // the fingerprint of the policy's files when they were read first
	recheck chan struct{} // that the policy be read again, for another reason than its file
	journal *journal.Journal
	metrics *serve.Metrics
	server  *serve.Server
	watcher *exits.Watcher
	host    *host.Host
	// governed tells that there has been a policy to go by.
	governed atomic.Bool
	// beside tells that a system daemon runs beside this user's, and that this
	// one only reports for that.
	beside atomic.Bool
	// next is the policy that was read last; it may still wait for a sweep to end.
	next atomic.Pointer[policy.Policy]
	// strangers are the containers of the last look that are nothing of ours.
	strangers atomic.Pointer[map[string]bool]
	// unrecorded is why nothing is acted on: the journal takes nothing; nil where it
	// does.
	unrecorded atomic.Pointer[error]
	// beaten is when the loop, or what waits for its policy, was last heard of.
	beaten atomic.Pointer[time.Time]

	background sync.WaitGroup
	wakes      chan sweep.Trigger
}

func newRun(s *shared) *cobra.Command {
	d := &daemon{shared: s, wakes: make(chan sweep.Trigger, 1), hangups: make(chan os.Signal, 1), recheck: make(chan struct{}, 1)}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run as a daemon: sweep on schedule, and at once when a session dies",
		Long: `Runs until it is told to end. It sweeps at the times of the policy's schedule, at
once when a session or gateway dies or the engine reports a container of ours,
and when a pending verdict comes due. SIGHUP reads the policy again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.explicit = cmd.Flags().Changed("listen")
			return d.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.policies, policyFlag, "", "policy `FILE` (default: the user's, /etc/reaperd's, the built-in one)")
	flags.StringVar(&d.listen, "listen", serve.DefaultListen, "`ADDRESS` for metrics and health; empty for none")
	flags.StringVar(&d.state, "journal", "", "journal `FILE` (default: in the state directory)")
	flags.StringVar(&d.mode, "mode", "", "enforce or report, over the policy's own mode")
	return cmd
}

// heapGrowth is by how many percent the heap may grow before it is collected:
// the daemon has months to do little in, and others' memory is what it is about.
const heapGrowth = 50

func (d *daemon) run(ctx context.Context) error {
	signal.Notify(d.hangups, syscall.SIGHUP) // to the end: a hangup while it starts or ends must not kill it
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1) // a look is short; waking more threads for it costs more than it takes
	}
	if mode := policy.Mode(d.mode); mode != "" && mode != policy.ModeEnforce && mode != policy.ModeReport {
		return usage("", "--mode %q: want report or enforce", d.mode)
	}
	d.log, d.dir = d.logger(), state.Dir(stateDirectory())
	d.beaten.Store(new(time.Now()))
	locks, err := d.lock()
	if err != nil {
		return err
	}
	defer locks.close()
	defer d.guard(ctx)()
	ctx, stop := context.WithCancel(ctx)
	defer waitAtMost(endBackground, d.background.Wait)
	defer stop()
	d.metrics = serve.NewMetrics(serve.MetricsOptions{Build: serve.Build{Version: version().Version, Revision: version().Revision, Go: version().Go}})
	d.read = fingerprint(policyFiles(d.policies))
	first := d.load()
	d.describe(first)
	reloads := make(chan *policy.Policy)
	if err := d.open(ctx, reloads); err != nil {
		return err
	}
	defer waitAtMost(endBackground, d.close)
	d.notify(systemd.SdNotifyReady) // without a policy too: up, and /readyz says that it is not ready
	if first == nil {
		first = d.awaitPolicy(ctx, reloads)
	}
	if first != nil {
		err = d.sweepOn(ctx, first, reloads)
	}
	d.notify(systemd.SdNotifyStopping)
	d.log.Info("ended")
	return err
}

// locks are what tells others that this daemon runs.
type locks []*state.Lock

func (l locks) close() {
	for _, lock := range l {
		_ = lock.Close() // it goes with the process in any case
	}
}

// lock refuses a second daemon of this user, and shows a root daemon to all users.
func (d *daemon) lock() (locks, error) {
	own, err := d.dir.Lock(time.Now())
	var running *state.RunningError
	switch {
	case errors.As(err, &running):
		return nil, failed("reaperd status   shows it; end it before another is started", "%w", err)
	case err != nil:
		return nil, failed("make the state directory writable, or name another with REAPERD_STATE_DIR", "%w", err)
	}
	held := locks{own}
	if os.Geteuid() != 0 {
		return held, nil
	}
	public, err := state.System.LockPublic(time.Now())
	switch {
	case errors.As(err, &running): // any user can hold that lock: no reason to end
		d.log.Warn("another daemon of root may run, with another state directory; both act", "pid", running.PID, "since", running.Since)
		return held, nil
	case err != nil:
		d.log.Debug("other users cannot see this daemon", "err", err)
		return held, nil
	}
	return append(held, public), nil
}

// open brings up everything that works without a policy: journal, port, socket,
// and the watch over the policy itself.
func (d *daemon) open(ctx context.Context, reloads chan<- *policy.Policy) error {
	path := journalPath(d.state)
	opened, err := journal.Open(path, journal.Options{})
	d.journal = opened
	if err == nil {
		err = opened.Ready()
	}
	d.tellJournal(err)
	if err := d.serve(ctx); err != nil {
		return err
	}
	d.recall()
	if d.host, err = host.Open(host.Options{Policy: shippedPolicy(), Log: d.log, State: d.dir, Guarded: true}); err != nil {
		return failed("reaperd doctor", "%w", err)
	}
	d.closeBegun()
	d.watcher = exits.New()
	if err := d.watcher.Err(); err != nil {
		d.log.Warn("exits cannot be watched; the schedule alone starts sweeps", "err", err)
	}
	d.background.Go(func() { d.watchPolicy(ctx, reloads) })
	d.background.Go(func() { d.wakeOnExits(ctx) })
	d.background.Go(func() { d.wakeOnHand(ctx) })
	return nil
}

func (d *daemon) close() {
	if d.watcher != nil {
		d.watcher.Close()
	}
	if d.host != nil {
		d.host.Close()
	}
	if err := d.journal.Close(); err != nil {
		d.log.Warn("journal", "err", err)
	}
}

// recall reads from the journal what was reaped today.
func (d *daemon) recall() {
	now := time.Now()
	history := journal.History{Path: d.journal.Path()}
	reaped, freed := 0, uint64(0)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.Local)
	for entry, err := range history.Read(journal.Filter{Since: midnight}) {
		if err != nil {
			d.log.Warn("journal cannot be read", "err", err)
			continue
		}
		if ended := reap.Result(entry.Result); entry.Phase == journal.PhaseOutcome && (ended == reap.ResultExited || ended == reap.ResultKilled) {
			reaped, freed = reaped+1, freed+entry.FreedBytes
		}
	}
	d.metrics.RecallToday(reaped, freed)
	if torn := history.Torn(); torn > 0 {
		d.log.Warn("journal has lines that were cut short", "lines", torn)
	}
}

// begunWithin is how far back it is looked for what was begun and not ended: a
// daemon that was killed is mostly started again at once, and the journal of a
// year takes seconds to read.
const begunWithin = 7 * 24 * time.Hour

// closeBegun ends what a reaperd before this one began and did not: it lets go on
// what that one had stopped, whatever the mode is, and says in the journal that
// the act came to nothing. Whether its target still has to go is for the sweeps
// to say.
func (d *daemon) closeBegun() {
	history := journal.History{Path: d.journal.Path()}
	begun, err := history.UnfinishedSince(time.Now().Add(-begunWithin))
	if err != nil {
		d.log.Warn("journal cannot be read", "err", err)
	}
	boot, earlier := scan.BootID(), 0
	var stopped []inventory.ID
	for _, entry := range begun {
		detail := "reaperd was ended in the middle of it; the next sweep looked anew"
		if entry.BootID == boot {
			for _, p := range entry.Tree {
				stopped = append(stopped, inventory.ID{PID: p.PID, Start: p.Start})
			}
			d.log.Warn("an act was begun and its outcome never written; the next sweep looks anew",
				"id", entry.ID, "target", entry.TargetID, "name", entry.Name, "rule", entry.Rule, "at", entry.Time)
		} else {
			detail = "the host was started again before its outcome was written"
			earlier++
		}
		if err := d.journal.Abandon(entry, detail); err != nil {
			d.log.Warn("journal cannot be written", "err", err)
		}
	}
	if earlier > 0 {
		d.log.Info("acts from before the last boot have no outcome; reaperd history shows them", "acts", earlier)
	}
	d.letGoOn(stopped)
}

// letGoOn continues what stands still of these processes.
func (d *daemon) letGoOn(stopped []inventory.ID) {
	if len(stopped) == 0 {
		return
	}
	continued, err := d.host.Reaper(nil).Continue(stopped)
	if len(continued) > 0 || err != nil {
		d.log.Warn("continued what was left stopped", "processes", continued, "err", err)
	}
}

// serve opens port and socket. The default port taken is a warning, one that was
// asked for an error.
func (d *daemon) serve(ctx context.Context) error {
	d.server = serve.New(serve.Options{
		Listen: d.listen, Explicit: d.explicit, Log: d.log, Metrics: d.metrics, Alive: d.alive, Ready: d.records,
	})
	if d.listen != "" {
		port, err := d.server.Listen(ctx)
		switch {
		case errors.Is(err, serve.ErrPortTaken):
			d.log.Warn("the default port is taken: no metrics and health by HTTP", "listen", d.listen)
		case err != nil:
			return failed("name another with --listen, or --listen '' for none", "%w", err)
		default:
			d.background.Go(func() { d.serveOn(ctx, port) })
		}
	}
	socket, err := d.server.ListenUnix(ctx, filepath.Join(string(d.dir), socketName))
	if err != nil {
		d.log.Warn("no socket: reaperd status will not see this daemon", "err", err)
		return nil
	}
	d.background.Go(func() { d.serveOn(ctx, socket) })
	return nil
}

func (d *daemon) serveOn(ctx context.Context, endpoint *serve.Endpoint) {
	if err := endpoint.Serve(ctx); err != nil && ctx.Err() == nil {
		d.log.Error("stopped serving", "address", endpoint.Addr(), "err", err)
	}
}

// sweepOn runs the loop under the first policy, and under each that replaces it.
func (d *daemon) sweepOn(ctx context.Context, first *policy.Policy, reloads <-chan *policy.Policy) error {
	replace := make(chan *sweep.Sweeper)
	d.background.Go(func() { d.replaceOn(ctx, reloads, replace) })
	d.background.Go(func() { d.wakeOnEngines(ctx) })
	teller := &teller{log: d.log, metrics: d.metrics, daemon: d, eventsUp: d.host.EventsUp}
	loop := sweep.Loop{
		Wakes: d.wakes, Replace: replace, NewID: newID, Paused: teller.paused,
		Watch: d.watcher.Watch, Publish: func(round sweep.Round) { teller.publish(round); d.learn(round) }, Alive: d.beat, AliveEvery: aliveEvery(),
	}
	loop.Run(ctx, d.sweeperOf(first))
	return nil
}

// sweeperOf is the sweeper of a policy. All share one host, one journal and the
// same pins.
func (d *daemon) sweeperOf(p *policy.Policy) *sweep.Sweeper {
	h := d.host.Under(p)
	return &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: p, Pinned: h.Pinned, Spared: d.sparedUnder(p), Fresh: h, Reaper: h.Reaper(d.journal),
	}
}

// sparedUnder tells why an act that a policy asked for is not begun any more.
func (d *daemon) sparedUnder(p *policy.Policy) func(*graph.Target) (string, bool) {
	return func(t *graph.Target) (string, bool) {
		switch next := d.next.Load(); {
		case next != nil && next != p:
			return "another policy holds since", true
		case d.besideSystem():
			return "a system daemon runs since", true
		}
		return d.host.PinnedNow(t)
	}
}

// learn takes from a sweep what the daemon goes by until the next.
func (d *daemon) learn(round sweep.Round) {
	if round.View.Graph != nil {
		strangers := map[string]bool{}
		for i := range round.View.Verdicts {
			if v := &round.View.Verdicts[i]; !v.Reported() {
				strangers[v.Target.ID] = true
			}
		}
		d.strangers.Store(&strangers)
	}
	d.tellJournal(d.journalAfter(round))
	if d.besideSystem() != d.beside.Load() {
		select {
		case d.recheck <- struct{}{}:
		default:
		}
	}
}

// describe is the first record: the whole effective configuration, as far as a
// policy is there.
func (d *daemon) describe(p *policy.Policy) {
	if p == nil {
		d.log.Warn("reaperd runs without a policy: nothing is acted on until the file is mended",
			append([]any{"version", version().Version}, d.places()...)...)
		return
	}
	var next []string
	for _, at := range p.NextSweeps(time.Now(), 3) {
		next = append(next, at.Format("2006-01-02 15:04:05 MST"))
	}
	d.log.Info("reaperd runs", append([]any{"version", version().Version, "mode", p.Mode, "policy", p.Sources[0].Name, "sha256", p.Hash,
		"schedule", p.Schedule.Spec, "next", next, "rules", len(p.Rules)}, d.places()...)...)
}

// places are where the daemon is met, whatever the policy says.
func (d *daemon) places() []any {
	return []any{"listen", d.listen, "journal", journal.File(journalPath(d.state)), "state", string(d.dir), "uid", os.Geteuid()}
}

// silentFor is for how long nothing may be heard of the loop before /healthz calls
// it dead: three of its longest waits.
const silentFor = 90 * time.Second

// beat tells that the loop goes on.
func (d *daemon) beat() {
	d.beaten.Store(new(time.Now()))
	d.notify(systemd.SdNotifyWatchdog)
}

// alive answers /healthz.
func (d *daemon) alive() (ok bool, why string) {
	if silent := time.Since(*d.beaten.Load()); silent > silentFor {
		return false, fmt.Sprintf("nothing was heard of the loop for %s: a look at the host hangs", human.Span(silent))
	}
	return true, ""
}

// notify tells the service manager, where there is one.
func (d *daemon) notify(what string) {
	if _, err := systemd.SdNotify(false, what); err != nil {
		d.log.Debug("notify service manager", "err", err)
	}
}

// wake starts a sweep. One wake-up that waits is as good as many.
func (d *daemon) wake(trigger sweep.Trigger) {
	select {
	case d.wakes <- trigger:
	default:
	}
}

func (d *daemon) wakeOnExits(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-d.watcher.Ended():
			if !open {
				return
			}
			d.wake(sweep.TriggerExit)
		}
	}
}

// wakeOnEngines starts a sweep when a container was created, started or ended,
// unless the last look knew it for nothing of ours: a stranger's health check runs
// every few seconds.
func (d *daemon) wakeOnEngines(ctx context.Context) {
	for event := range d.host.Events(ctx) {
		if strangers := d.strangers.Load(); strangers != nil && (*strangers)[event.ID] {
			continue
		}
		d.log.Debug("engine", "action", event.Action, "container", event.ID)
		d.wake(sweep.TriggerDocker)
	}
}

// wakeOnHand starts a sweep when somebody pins, unpins, pauses or resumes, and
// when a pin or the pause runs out.
func (d *daemon) wakeOnHand(ctx context.Context) {
	watch := newFileWatch(d.dir.HandFiles())
	defer watch.close()
	if watch.problem != nil {
		d.log.Debug("the state directory cannot be watched; sweeps find what was pinned or paused", "err", watch.problem)
	}
	changes := watch.changes(ctx)
	for {
		over := time.NewTimer(d.runsOut(time.Now()))
		select {
		case <-ctx.Done():
			over.Stop()
			return
		case <-changes:
		case <-over.C:
		}
		over.Stop()
		d.wake(sweep.TriggerSignal)
	}
}

// handLooks is how often it is looked whether a pin or the pause has run out,
// where none says when.
const handLooks = time.Hour

// runsOut is how long it is until the next pin, or the pause, runs out.
func (d *daemon) runsOut(now time.Time) time.Duration {
	wait := handLooks
	sooner := func(until time.Time) {
		if left := until.Sub(now); !until.IsZero() && left > 0 {
			wait = min(wait, left+time.Millisecond)
		}
	}
	if pause, paused, err := d.dir.Paused(now); err == nil && paused {
		sooner(pause.Until)
	}
	if pinned, err := d.dir.Pins(scan.BootID(), now); err == nil {
		for _, pin := range pinned {
			sooner(pin.Until)
		}
	}
	return wait
}

// modeOf is the mode in effect: the flag's, else the policy's; a user's daemon
// beside a system one only reports.
func (d *daemon) modeOf(p *policy.Policy) *policy.Policy {
	if d.besideSystem() {
		d.beside.Store(true)
		d.log.Warn("a system daemon runs on this host: this one only reports; --mode enforce overrides that")
		return p.WithMode(policy.ModeReport, "a system daemon runs")
	}
	if d.beside.Swap(false) {
		d.log.Info("the system daemon has ended: this one goes by its policy again")
	}
	if d.mode != "" {
		return p.WithMode(policy.Mode(d.mode), "--mode")
	}
	return p
}

// besideSystem reports whether this is a user's daemon beside a system one. It
// may be asked from several goroutines.
func (d *daemon) besideSystem() bool {
	if os.Geteuid() == 0 || d.mode != "" {
		return false
	}
	_, runs := state.SystemDaemon()
	return runs
}

// originOf is where a policy comes from, for the metrics.
func (d *daemon) originOf(p *policy.Policy) serve.Origin {
	switch source := p.Sources[0].Name; {
	case source == policy.Builtin:
		return serve.OriginBuiltin
	case d.policies != "":
		return serve.OriginFile
	case source == systemPolicy:
		return serve.OriginSystem
	}
	return serve.OriginUser
}
