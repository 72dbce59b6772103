package screen

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/top"
)

// World is the host that top shows and acts on.
type World interface {
	// Next waits for the next look. Only one goroutine may call it.
	Next(ctx context.Context) top.Seen
	// Hurry makes Next return at once: what a daemon has seen last, or a new look.
	Hurry()
	// Look makes Next return a new look soon, whoever looks.
	Look()
	// Do performs an effect and returns its result. It asks before it acts on a plan.
	Do(ctx context.Context, effect top.Effect, ask func(top.Question) (yes bool)) top.Said
}

// display is the terminal; [Terminal] is the real one.
type display interface {
	Messages() <-chan top.Message
	Draw(frame top.Frame, whole bool)
	Suspend() error
	Resume() error
}

// leave limits how long the program waits for its goroutines when it ends.
const leave = 2 * time.Second

// Run shows the world until the reader quits or ctx ends. Then it returns ctx's error.
func Run(ctx context.Context, screen *Terminal, world World, model top.Model) error {
	signals := jobSignals()
	defer signals.end()
	l := newLoop(screen, world, model)
	l.signals, l.stop = signals.arrived, signals.stopHere
	return l.run(ctx)
}

// loop is one run.
type loop struct {
	screen display
	world  World
	model  top.Model

	signals  <-chan os.Signal // of job control; may be nil
	stop     func()           // stops this program until it is continued
	messages chan top.Message // from the goroutines of the loop
	answers  chan bool        // to the last question
	giveUp   func()           // ends the present stop; nil before the first
	over     <-chan struct{}  // closed when that stop has ended

	shown top.Frame
	whole bool         // the contents of the terminal are not known
	turns atomic.Int64 // how often the loop woke
}

func newLoop(screen display, world World, model top.Model) *loop {
	return &loop{screen: screen, world: world, model: model, messages: make(chan top.Message), answers: make(chan bool), whole: true}
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
	l.start(ctx, &work, func() { l.watch(ctx) })
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
		var effect top.Effect
		l.model, effect = l.model.Update(message, time.Now())
		if effect.Do == top.Quit {
			return nil
		}
		l.perform(ctx, &work, effect)
	}
}

// next waits for a message.
func (l *loop) next(ctx context.Context, timer *time.Timer) (message top.Message, err error) {
	select {
	case message = <-l.messages:
	case message = <-l.screen.Messages():
	case now := <-timer.C:
		message = top.Moment(now)
	case signal := <-l.signals:
		l.suspend(signal == syscall.SIGTSTP)
		message = top.Moment(time.Now())
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
	l.screen.Draw(frame, l.whole)
	l.shown, l.whole = frame, false
}

// sleepUntil sets the timer; zero turns it off.
func (l *loop) sleepUntil(timer *time.Timer, at time.Time) {
	timer.Stop()
	if !at.IsZero() {
		timer.Reset(max(time.Until(at), 0))
	}
}

func (l *loop) perform(ctx context.Context, work *sync.WaitGroup, effect top.Effect) {
	switch effect.Do {
	case top.Suspend:
		l.suspend(true)
	case top.Redraw:
		l.whole = true
	case top.Look:
		l.start(ctx, work, l.world.Look)
	case top.Yes, top.No:
		select {
		case l.answers <- effect.Do == top.Yes:
		case <-l.over: // the reader gave up while it asked
		case <-ctx.Done():
		}
	case top.Pin, top.Unpin:
		l.start(ctx, work, func() { l.do(ctx, ctx, effect) })
	case top.Stop:
		stop, end := context.WithCancel(ctx)
		l.giveUp, l.over = end, stop.Done()
		l.start(ctx, work, func() {
			defer end()
			l.do(ctx, stop, effect)
		})
	case top.GiveUp:
		l.giveUp()
	case top.Nothing, top.Quit:
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

func (l *loop) send(ctx context.Context, message top.Message) {
	select {
	case l.messages <- message:
	case <-ctx.Done():
	}
}

func (l *loop) watch(ctx context.Context) {
	for ctx.Err() == nil {
		l.send(ctx, l.world.Next(ctx))
	}
}

// do performs an effect until doing ends, and sends its result.
func (l *loop) do(ctx, doing context.Context, effect top.Effect) {
	said := l.world.Do(doing, effect, func(question top.Question) bool { return l.ask(doing, question) })
	said.GivenUp = said.Err != nil && doing.Err() != nil
	l.send(ctx, said)
	l.world.Hurry()
}

// ask shows a question and waits for the answer; no if ctx ends.
func (l *loop) ask(ctx context.Context, question top.Question) bool {
	l.send(ctx, question)
	select {
	case yes := <-l.answers:
		return yes
	case <-ctx.Done():
		return false
	}
}

// suspend gives the terminal back, stops the program if stop is set, and takes the
// terminal again when the program continues.
func (l *loop) suspend(stop bool) {
	_ = l.screen.Suspend() // if this fails, the terminal is taken again all the same
	if stop && l.stop != nil {
		l.stop()
	}
	_ = l.screen.Resume() // if this fails, the next read reports it
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
