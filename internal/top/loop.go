package top

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// display is the terminal; [Terminal] is the real one.
type display interface {
	Messages() <-chan Message
	Draw(frame Frame, whole bool)
	Suspend() error
	Resume() error
}

// leave limits how long the program waits for its goroutines when it ends.
const leave = 2 * time.Second

// Run shows a host until the reader quits or ctx ends. Then it returns ctx's error.
func Run(ctx context.Context, on *Terminal, host Host, model Model) error {
	signals := jobSignals()
	defer signals.end()
	l := newLoop(on, host, model)
	l.signals, l.stop = signals.arrived, signals.stopHere
	return l.run(ctx)
}

// loop is one run.
type loop struct {
	on    display
	host  Host
	model Model

	signals  <-chan os.Signal // of job control; may be nil
	stop     func()           // stops this program until it is continued
	messages chan Message     // from the goroutines of the loop
	giveUp   func()           // ends the plan that is awaited; nil before the first

	shown Frame
	whole bool         // the contents of the terminal are not known
	turns atomic.Int64 // how often the loop woke
}

func newLoop(on display, host Host, model Model) *loop {
	return &loop{on: on, host: host, model: model, messages: make(chan Message), whole: true}
}

// lost is the message that the terminal is gone.
type lost struct{ err error }

// broken is the message that a goroutine of the loop has panicked.
type broken struct {
	value any
	stack []byte
}

func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer waitFor(&work, leave)
	defer cancel()
	start := func(part func()) { l.start(ctx, &work, part) }
	start(func() { l.host.watch(ctx, start, func(seen Seen) { l.send(ctx, seen) }) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		l.draw()
		l.sleepUntil(timer, l.model.Wakes())
		message, err := l.next(ctx, timer)
		if err != nil {
			return err
		}
		l.turns.Add(1)
		var effect Effect
		l.model, effect = l.model.Update(message, time.Now())
		if effect.Do == Quit {
			return nil
		}
		l.perform(ctx, &work, effect)
	}
}

// next waits for a message.
func (l *loop) next(ctx context.Context, timer *time.Timer) (message Message, err error) {
	select {
	case message = <-l.messages:
	case message = <-l.on.Messages():
	case now := <-timer.C:
		message = Moment(now)
	case signal := <-l.signals:
		l.suspend(signal == syscall.SIGTSTP)
		message = Moment(time.Now())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch message := message.(type) {
	case lost:
		return nil, fmt.Errorf("read the terminal: %w", message.err)
	case broken:
		panic(fmt.Sprintf("%v\n\n%s", message.value, message.stack))
	}
	return message, nil
}

// draw draws the frame if it has changed.
func (l *loop) draw() {
	frame := l.model.Frame()
	if !l.whole && frame.Equal(l.shown) {
		return
	}
	l.on.Draw(frame, l.whole)
	l.shown, l.whole = frame, false
}

// sleepUntil sets the timer; zero turns it off.
func (l *loop) sleepUntil(timer *time.Timer, at time.Time) {
	timer.Stop()
	if !at.IsZero() {
		timer.Reset(max(time.Until(at), 0))
	}
}

func (l *loop) perform(ctx context.Context, work *sync.WaitGroup, effect Effect) {
	switch effect.Do {
	case Suspend:
		l.suspend(true)
	case Redraw:
		l.whole = true
	case GiveUp:
		l.giveUp()
	case Plan:
		doing, end := context.WithCancel(ctx)
		l.giveUp = end
		l.start(ctx, work, func() {
			defer end()
			l.do(ctx, doing, effect)
		})
	case Look, Explain, History, Pin, Unpin, Pause, Resume, Act:
		l.start(ctx, work, func() { l.do(ctx, ctx, effect) })
	case Nothing, Quit:
	}
}

// start runs part in a goroutine. A panic in part panics in the loop.
func (l *loop) start(ctx context.Context, work *sync.WaitGroup, part func()) {
	work.Go(func() {
		defer func() {
			if value := recover(); value != nil {
				l.send(ctx, broken{value, debug.Stack()})
			}
		}()
		part()
	})
}

func (l *loop) send(ctx context.Context, message Message) {
	select {
	case l.messages <- message:
	case <-ctx.Done():
	}
}

// do performs an effect until doing ends, and sends its result.
func (l *loop) do(ctx, doing context.Context, effect Effect) {
	came := l.host.do(doing, effect, func(seen Seen) { l.send(ctx, seen) })
	came.GivenUp = came.Err != nil && doing.Err() != nil
	l.send(ctx, came)
}

// suspend gives the terminal back, stops the program if stop is set, and takes the
// terminal again when the program continues.
func (l *loop) suspend(stop bool) {
	_ = l.on.Suspend() // if this fails, the terminal is taken again all the same
	if stop && l.stop != nil {
		l.stop()
	}
	_ = l.on.Resume() // if this fails, the next read reports it
	l.whole = true
}

// waitFor waits for goroutines, but not for longer than most: one that hangs in a system
// call ends with the program.
func waitFor(work *sync.WaitGroup, most time.Duration) {
	done := make(chan struct{})
	go func() {
		work.Wait()
		close(done)
	}()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
