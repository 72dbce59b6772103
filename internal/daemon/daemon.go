package daemon

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
)

// Options are the flags of `reaperd run`.
type Options struct {
	Policies string      // the policy's file; empty: the first that is found
	Mode     policy.Mode // over the policy's own; empty: the policy's
	Journal  string      // the journal's file
	State    state.Dir
	// Listen is the address of metrics and health; "" is none. Asked means that
	// somebody named it: if it is taken, that is an error.
	Listen string
	Asked  bool
	Build  account.Build
	Log    *slog.Logger
}

// service is a running daemon.
type service struct {
	Options
	*mind
	rules   *rules
	record  *record
	memory  *memory
	pinned  *pinned
	acts    acts
	reaped  []graph.Reaped // below live owners, before the daemon started
	pulse   *pulse
	metrics *serve.Metrics
	watcher *scan.Watcher
	listens string    // the address of the port; "" if there is none
	since   time.Time // when it started

	background sync.WaitGroup
}

// Run sweeps until ctx ends, or root's daemon decides here. Acts under way are then finished.
func Run(ctx context.Context, o Options) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // to the end: a hangup while it starts or ends must not kill it
	tune()
	if stepsAside(ctx, o) {
		return nil
	}
	if err := beside(ctx, o.State); err != nil {
		return err
	}
	held, err := lock(o.State)
	if err != nil {
		return err
	}
	defer held.Close()
	s := newService(o)
	defer s.pulse.guard(ctx)()
	ctx, stop := context.WithCancel(ctx)
	defer waitAtMost(endBackground, s.background.Wait)
	defer stop()
	s.background.Go(func() { s.awaitHost(ctx, stop) })
	return s.run(ctx, hangups)
}

func newService(o Options) *service {
	s := &service{
		Options: o, pulse: newPulse(o.Log), mind: newMind(newWakes(o.Log)), since: time.Now(),
		memory: &memory{log: o.Log, state: o.State}, pinned: &pinned{dir: o.State, log: o.Log}, metrics: serve.NewMetrics(o.Build),
	}
	s.record = newRecord(o.Journal, o.Log, s.wakes.wake, o.State.IsFull)
	s.rules = newRules(o, s.metrics)
	s.rules.notify, s.rules.wake = s.pulse.notify, s.wakes.wake
	return s
}

// tune makes the Go runtime use little, unless the environment says otherwise.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1) // a look is short; waking more threads for it costs more than it takes
	}
}

func (s *service) run(ctx context.Context, hangups <-chan os.Signal) error {
	first := s.rules.load()
	s.record.open()
	defer waitAtMost(endBackground, s.close)
	lacks, err := s.serve(ctx)
	if err != nil {
		return err
	}
	s.describe(first)
	for _, tell := range lacks {
		tell()
	}
	if err := s.open(); err != nil {
		return err
	}
	s.watch(ctx, hangups)
	s.pulse.notify(systemd.SdNotifyReady) // without a policy too: up, and /readyz says that it is not ready
	stopping := sync.OnceFunc(func() { s.pulse.notify(systemd.SdNotifyStopping) })
	defer context.AfterFunc(ctx, stopping)() // at once: what has begun may take its grace
	if first == nil {
		s.halt()
		if first = s.awaitPolicy(ctx); first != nil {
			s.describe(first)
		}
	}
	if first != nil {
		s.sweepOn(ctx, first)
	}
	stopping()
	s.Log.Info("ended")
	return nil
}

// open opens journal and host, and continues what an earlier daemon has left stopped there.
func (s *service) open() error {
	before := s.record.since(time.Now().Add(-actsFor))
	s.reaped = reapedIn(before)
	s.acts.add(outcomesOf(before)...)
	opened, err := host.Open(host.Options{Policy: policyfile.Shipped(), Log: s.Log, Saved: s.State.SavedConfiguration(), Guarded: true, Selective: true})
	if err != nil {
		return human.Failed("reaperd doctor", "%w", err)
	}
	s.see(opened)
	s.record.closeBegun(s.host.Reaper(nil).Continue, s.host.Runs)
	s.memory.recall(scan.BootID())
	s.host.Recall(slices.AppendSeq(slices.Clone(s.memory.before.ByShape), maps.Keys(s.memory.before.Began)))
	s.watcher = scan.NewWatcher()
	if err := s.watcher.Err(); err != nil {
		s.Log.Warn("exits cannot be watched; the schedule alone starts sweeps", "err", err)
	}
	return nil
}

// watch starts what waits for changes, with or without a policy.
func (s *service) watch(ctx context.Context, hangups <-chan os.Signal) {
	s.background.Go(func() { s.rules.watch(ctx, hangups) })
	s.background.Go(func() { s.wakes.onExits(ctx, s.watcher.Exited()) })
}

func (s *service) close() {
	if s.watcher != nil {
		s.watcher.Close()
	}
	if s.host != nil {
		s.host.Close()
	}
	s.record.close()
}

// awaitPolicy waits for the first valid policy; the faults of the present file are
// logged. It returns nil if ctx ends first.
func (s *service) awaitPolicy(ctx context.Context) *policy.Policy {
	alive := time.NewTicker(aliveEvery())
	defer alive.Stop()
	for {
		select {
		case p := <-s.rules.loaded:
			return p
		case <-s.wakes.triggers: // the file may have other faults by now
			s.halt()
		case <-alive.C:
			s.pulse.beat()
		case <-ctx.Done():
			return nil
		}
	}
}

// sweepOn runs the loop, first under this policy and then under each that replaces
// it.
func (s *service) sweepOn(ctx context.Context, first *policy.Policy) {
	replace := make(chan *sweep.Sweeper)
	s.background.Go(func() { s.replaceOn(ctx, first, replace) })
	s.background.Go(func() { s.wakes.onEngines(s.host.Events(ctx)) })
	publisher := s.newPublisher()
	loop := sweep.Loop{
		Wakes: s.wakes.triggers, Orders: s.orders, Replace: replace, Watch: s.watcher.Watch, Reaped: s.reaped,
		Paused:  func() bool { return isPaused(s.State) },
		Publish: func(round sweep.Round) { s.publish(publisher, round) },
		Alive:   s.pulse.beat, AliveEvery: aliveEvery(),
	}
	defer close(s.ended)
	loop.Run(ctx, s.sweeperOf(first))
}

// isPaused asks the state directory. If it cannot be read, that counts as a pause.
func isPaused(dir state.Dir) bool {
	_, paused, err := dir.Paused(time.Now())
	return paused || err != nil
}

// replaceOn hands every policy that was read again to the loop. before is the first one.
func (s *service) replaceOn(ctx context.Context, before *policy.Policy, replace chan<- *sweep.Sweeper) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-s.rules.loaded:
			s.Log.Info("policy read again", append([]any{"changed", p.Hash != before.Hash}, effective(p)...)...)
			before = p
			select {
			case replace <- s.sweeperOf(p):
			case <-ctx.Done():
				return
			}
		}
	}
}

// sweeperOf is the sweeper of a policy. All share one host and one journal.
func (s *service) sweeperOf(p *policy.Policy) *sweep.Sweeper {
	h := s.host.Under(p)
	return &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: p, Pinned: s.pinned.at, KeptNow: s.keptUnder(p), Attribute: s.memory.attribute, Fresh: h,
		ByShape: s.memory.before.ByShape, Began: s.memory.before.Began, Reaper: h.Reaper(s.record.journal),
	}
}

// keptUnder says why an act that a policy asked for must not begin any more.
func (s *service) keptUnder(p *policy.Policy) func(*graph.Target) (string, bool) {
	return func(t *graph.Target) (string, bool) {
		if why, kept := s.rules.overtaken(p); kept {
			return why, true
		}
		return s.pinned.now(t)
	}
}

// publish shows a round to whoever asks, and keeps what later sweeps need of it.
func (s *service) publish(p *publisher, round sweep.Round) {
	now := time.Now()
	wishes, _ := s.State.Wishes(scan.BootID(), now) // what cannot be read is told by the pins of the look
	p.publish(round, wishes)
	s.acts.add(round.Told()...)
	s.post(round, s.tells(round, wishes))
	s.metrics.Tell()
	s.wakes.onEnd(wishes, now)
	if round.View.Graph != nil {
		s.wakes.learn(round.View.Verdicts)
	}
	s.memory.learn(round.View.Graph)
	s.record.learn(round)
}

// describe logs the whole effective configuration.
func (s *service) describe(p *policy.Policy) {
	places := []any{"listen", s.listens, "journal", journal.File(s.Journal), "state", string(s.State), "uid", os.Geteuid()}
	if p == nil {
		s.Log.Warn("reaperd runs without a policy: nothing is acted on until the file is mended",
			append([]any{"version", s.Build.Version}, places...)...)
		return
	}
	s.Log.Info("reaperd runs", append(append([]any{"version", s.Build.Version}, effective(p)...), places...)...)
}

// effective are the parts of a policy that the log has.
func effective(p *policy.Policy) []any {
	var next []string
	for _, at := range p.NextSweeps(time.Now(), 3) {
		next = append(next, at.Format(time.RFC3339))
	}
	return []any{"mode", p.Mode, "policy", p.Sources[0].Name, "sha256", p.Hash, "schedule", p.Schedule.Spec, "next", next, "rules", len(p.Rules)}
}
