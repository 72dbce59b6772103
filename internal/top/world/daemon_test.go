package world

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/oneshot"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/top"
)

// daemonPart plays a daemon that answers and sends looks.
type daemonPart struct {
	fails  error // the answer to whoever asks; nil: it answers
	next   time.Time
	looked time.Time // when it looked last; zero: never
	asked  int
	looks  chan struct{} // nil: it closes each connection at once
	joined int
}

func (d *daemonPart) tree(context.Context, string) (overview.Tree, error) {
	d.asked++
	return overview.Tree{Hostname: "devbox", At: d.looked, Next: d.next}, d.fails
}

func (d *daemonPart) listen(ctx context.Context, _ string, heard func()) error {
	d.joined++
	for {
		select {
		case _, more := <-d.looks:
			if !more {
				return io.EOF
			}
			heard()
		case <-ctx.Done():
			return nil
		}
	}
}

// asks runs a test beside a daemon in a bubble of its own time.
func asks(t *testing.T, test func(t *testing.T, d *daemonPart, next func(ctx context.Context) (top.Seen, bool), hurry chan struct{})) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemonPart{looked: time.Now(), looks: make(chan struct{})}
		asked := &daemon{tree: d.tree, listen: d.listen}
		hurry := make(chan struct{}, 1)
		test(t, d, func(ctx context.Context) (top.Seen, bool) { return asked.next(ctx, hurry) }, hurry)
	})
}

func TestADaemonIsAskedOnceForEachOfItsLooks(t *testing.T) {
	asks(t, func(t *testing.T, d *daemonPart, next func(context.Context) (top.Seen, bool), hurry chan struct{}) {
		for range 3 {
			if seen, told := next(t.Context()); !told || seen.From != top.Daemon || seen.Tree.Hostname != "devbox" {
				t.Fatalf("got %v, %v", seen, told)
			}
			go func() { d.looks <- struct{}{} }()
			synctest.Wait()
		}
		hurry <- struct{}{}
		next(t.Context())
		next(t.Context())
		if d.asked != 5 || d.joined != 1 {
			t.Errorf("asked %d times, joined %d times", d.asked, d.joined)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		if seen, told := next(ctx); !told || !errors.Is(seen.Err, context.DeadlineExceeded) || d.asked != 5 {
			t.Errorf("in a day without a look it was asked %d times and told %v, %v", d.asked-5, seen.Err, told)
		}
		close(d.looks)
		synctest.Wait()
	})
}

func TestADaemonThatHangsUpIsListenedToAgain(t *testing.T) {
	asks(t, func(t *testing.T, d *daemonPart, next func(context.Context) (top.Seen, bool), _ chan struct{}) {
		next(t.Context())
		close(d.looks) // it closes the connection again and again
		from := time.Now()
		for range 10 {
			if _, told := next(t.Context()); !told {
				t.Fatal("it is taken for gone")
			}
		}
		synctest.Wait()
		if took := time.Since(from); took < 9*listenAgain || d.joined != 11 {
			t.Errorf("listened %d times in %s", d.joined, took)
		}
		synctest.Wait()
		d.fails = serve.ErrNotRunning
		if _, told := next(t.Context()); told {
			t.Error("nobody answers, and it is told")
		}
		d.fails = nil
		if _, told := next(t.Context()); !told {
			t.Error("it came back, and is not heard")
		}
		synctest.Wait()
	})
}

// TestADaemonThatStopsToAnswerIsFoundOut: its connection stays open, and nothing comes.
func TestADaemonThatStopsToAnswerIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := &daemonPart{looked: time.Now(), looks: make(chan struct{}), next: time.Now().Add(30 * time.Second)}
		asked := &daemon{tree: part.tree, listen: part.listen}
		asked.next(t.Context(), nil)
		if _, told := asked.next(t.Context(), nil); !told || asked.hangs || !time.Now().Equal(part.next.Add(lateAfter)) {
			t.Errorf("a busy daemon whose look is late is asked at %s and told %v, hangs %v", time.Now(), told, asked.hangs)
		}
		part.fails = serve.ErrSilent
		if _, told := asked.next(t.Context(), nil); told || !asked.hangs {
			t.Errorf("one that does not answer is told %v, hangs %v", told, asked.hangs)
		}
		synctest.Wait()
		part.fails = nil // it goes on
		if _, told := asked.next(t.Context(), nil); !told || asked.hangs {
			t.Errorf("one that goes on is told %v, hangs %v", told, asked.hangs)
		}
		if synctest.Wait(); part.joined != 2 {
			t.Errorf("listened %d times", part.joined)
		}
	})
}

func TestWithoutADaemonNobodyTells(t *testing.T) {
	asks(t, func(t *testing.T, d *daemonPart, next func(context.Context) (top.Seen, bool), _ chan struct{}) {
		d.fails = serve.ErrNotRunning
		if _, told := next(t.Context()); told || d.joined != 0 {
			t.Errorf("told %v, listened %d times", told, d.joined)
		}
	})
}

// TestADaemonThatIsGoneIsToldAtOnce: its countdowns would go on until top has looked by itself.
func TestADaemonThatIsGoneIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := &daemonPart{looked: time.Now(), looks: make(chan struct{})}
		w := &World{Options: Options{State: state.Dir(t.TempDir())}, daemon: &daemon{tree: part.tree, listen: part.listen}, hurry: make(chan struct{}, 1)}
		if seen := w.Next(t.Context()); seen.From != top.Daemon {
			t.Fatalf("a look from %v", seen.From)
		}
		part.fails = serve.ErrNotRunning
		close(part.looks)
		from := time.Now()
		if seen := w.Next(t.Context()); seen.From != top.NoDaemon || seen.Tree.Hostname != "devbox" || seen.Err != nil || time.Since(from) > 0 {
			t.Errorf("%s after its end: from %v, of %q, %v", time.Since(from), seen.From, seen.Tree.Hostname, seen.Err)
		}
		if len(w.hurry) != 1 {
			t.Error("it does not look by itself at once")
		}
	})
}

// TestADaemonThatHasNeverLookedTellsNothing, not even that nothing leaks: top looks by itself, and says so.
func TestADaemonThatHasNeverLookedTellsNothing(t *testing.T) {
	asks(t, func(t *testing.T, d *daemonPart, next func(context.Context) (top.Seen, bool), _ chan struct{}) {
		d.looked = time.Time{}
		if _, told := next(t.Context()); told || d.joined != 0 {
			t.Errorf("told %v, listened %d times", told, d.joined)
		}
		d.looked = time.Now()
		if _, told := next(t.Context()); !told {
			t.Error("once it has looked, it is not heard")
		}
		close(d.looks)
	})
	dir := state.Dir(t.TempDir())
	lock, err := dir.Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	w := &World{Options: Options{State: dir}, daemon: &daemon{tree: (&daemonPart{}).tree}}
	if _, told := w.daemon.ask(t.Context()); told || w.besides() != top.BlindDaemon {
		t.Errorf("told %v, from %v", told, w.besides())
	}
}

func TestHowAnErrorIsTold(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{advice.Misused("reaperd pins lists them", "no such pin"), "no such pin (reaperd pins lists them)"},
		{advice.Failed("", "no journal"), "no journal"},
		{io.EOF, "EOF"},
	} {
		if got := hinted(row.err).Error(); got != row.want {
			t.Errorf("%v is told as %q, want %q", row.err, got, row.want)
		}
	}
}

func TestARefusalTellsAReaderOfTopWhatHelps(t *testing.T) {
	plan := oneshot.Order{}.ShowPlan()
	for _, row := range []struct {
		err  error
		want string
	}{
		{advice.Misused("reaperd sweep --mode enforce", "%w", &oneshot.ModeError{Why: "the policy says mode: report"}),
			"the policy says mode: report. Quit with q and start reaperd top --mode enforce: there x acts."},
		{advice.Failed(plan, "paused; reaperd resume ends it"), "paused; reaperd resume ends it"},
		{advice.Failed("make room on the disk; "+plan, "no room"), "no room (make room on the disk)"},
		{io.EOF, "EOF"},
	} {
		w := &World{Options: Options{State: state.Dir(t.TempDir())}}
		if got := hinted(w.remedied(row.err, oneshot.Order{})).Error(); got != row.want {
			t.Errorf("%v is told as %q, want %q", row.err, got, row.want)
		}
	}
}

func TestALookComesWithTheModeOfThisTop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nextends: builtin\nmode: report\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &World{Options: Options{Policies: file, State: state.Dir(t.TempDir()), Log: slog.New(slog.DiscardHandler)}}
	if seen := w.withOwn(t.Context(), top.Seen{Tree: overview.Tree{Mode: policy.ModeEnforce}}); seen.Mode != policy.ModeReport {
		t.Errorf("got mode %q", seen.Mode)
	}
}

// TestThePlanNamesTheCommandWithTheFlagsOfThisTop: typed without them it would be refused, or go
// by another policy.
func TestThePlanNamesTheCommandWithTheFlagsOfThisTop(t *testing.T) {
	effect := top.Effect{Targets: []string{"10:1"}, Ends: policy.Switches{Now: true}}
	for want, options := range map[string]Options{
		"As by reaperd sweep --now 10:":                                  {},
		"As by reaperd sweep --mode enforce --now 10:":                   {Mode: policy.ModeEnforce},
		"As by reaperd sweep --mode enforce --policies p.yaml --now 10:": {Mode: policy.ModeEnforce, Policies: "p.yaml"},
	} {
		options.Width = func() int { return 200 }
		w := &World{Options: options}
		if got := w.switchLines(effect); !slices.Equal(got, []string{want, ""}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
