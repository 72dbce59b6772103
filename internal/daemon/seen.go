package daemon

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// seen is one look, and what it came to. It no longer changes.
type seen struct {
	look     account.Look
	began    time.Time
	took     time.Duration  // the look
	first    bool           // nobody has looked before
	policy   *policy.Policy // nil where there is none, and so no look
	programs graph.Catalogue
	underWay policy.UnderWay
	whole    func() *account.Account // of everything, made when it is first asked for
	parts    *parts
}

// parts are what readers may see of one look.
type parts struct {
	mu sync.Mutex
	of map[string]*account.Account
}

// mostParts is how many are kept.
const mostParts = 64

// account is what a reader may see of a look. Readers who may see the same get the same.
func (s *seen) account(r account.Reader) *account.Account {
	key := strconv.Itoa(r.UID)
	for _, source := range s.snapshot().Sources {
		if source.Endpoint != "" && r.Sees(inventory.Fact[int]{}, source.Endpoint) {
			key += " " + source.Endpoint
		}
	}
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	part := s.parts.of[key]
	if part == nil {
		part = s.whole().For(r)
		if len(s.parts.of) >= mostParts {
			clear(s.parts.of)
		}
		s.parts.of[key] = part
	}
	return part
}

// newSeen is a look with its account, which costs something only if somebody asks for it.
func newSeen(s seen) *seen {
	s.whole = sync.OnceValue(func() *account.Account { return account.Of(s.look) })
	s.parts = &parts{of: map[string]*account.Account{}}
	return &s
}

// failed is a look after which another failed, as the daemon tells then.
func (s *seen) failed(err error) *seen {
	if s == nil || s.look.Decider.Daemon == nil {
		return s
	}
	after, of := *s, *s.look.Decider.Daemon
	of.LookFault = err.Error()
	after.look.Decider.Daemon = &of
	return newSeen(after)
}

func (s *seen) snapshot() *inventory.Snapshot { return s.look.Graph.Snapshot }

// isFresh reports a look that a question need not wait for a newer one for: it is younger than a
// second, or than ten times what it took, so that questions never keep more than a tenth of the
// machine busy with looks.
func (s *seen) isFresh(now time.Time) bool {
	return now.Sub(s.snapshot().TakenAt) < max(freshFor, 10*s.took)
}

// isAfter reports a look at what is so after a moment: it began later. Of the first look it is enough that it
// ended later.
func (s *seen) isAfter(at time.Time) bool {
	return s.began.After(at) || s.first && s.snapshot().TakenAt.After(at)
}

// freshFor is for how long a look is as good as a new one.
const freshFor = time.Second

// board has the newest look. Whoever waits for the next one is told by a channel that closes.
type board struct {
	mu     sync.Mutex
	newest *seen // nil before the first
	err    error // why the last look failed, at that time
	at     time.Time
	halted error // why no look comes; nil if looks do
	next   chan struct{}
}

func newBoard() *board { return &board{next: make(chan struct{})} }

// post shows a look, or why there was none, with the one before if there is one.
func (b *board) post(s *seen, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err, b.at, b.halted = err, time.Now(), nil; s != nil {
		b.newest = s
	}
	close(b.next)
	b.next = make(chan struct{})
}

// halt shows what there is to tell where no look comes, and why none does, until the next one is shown.
func (b *board) halt(s *seen, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newest, b.halted = s, why
	close(b.next)
	b.next = make(chan struct{})
}

// read returns the newest look, and what closes with the next.
func (b *board) read() (newest *seen, next <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest, b.next
}

// failedAfter is why a look failed after a moment, or why none comes; nil if neither is so.
func (b *board) failedAfter(at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.halted == nil && b.at.After(at) {
		return b.err
	}
	return b.halted
}

// await waits for a look after a moment ([seen.isAfter]). An error comes with the look before.
func (b *board) await(ctx context.Context, after time.Time) (*seen, error) {
	for {
		newest, next := b.read()
		if newest != nil && newest.isAfter(after) {
			return newest, nil
		}
		if err := b.failedAfter(after); err != nil {
			return newest, err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return newest, ctx.Err()
		}
	}
}
