package top

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/account"
)

// scripted is a decider that tells one account, or follows until it is told to break off.
type scripted struct {
	account.Asker
	by     string
	breaks chan struct{}
	fails  map[string]error // pins that fail, by word
}

func (s *scripted) told() *account.Account {
	return &account.Account{Decider: account.Decider{Kind: s.by}}
}

func (s *scripted) Account(context.Context, bool) (*account.Account, error) { return s.told(), nil }

func (s *scripted) Follow(ctx context.Context, tell func(*account.Account)) error {
	tell(s.told())
	select {
	case <-s.breaks:
		return errors.New("broken pipe")
	case <-ctx.Done():
		return nil
	}
}

func (s *scripted) Pin(_ context.Context, word string, _ time.Time, _ string) ([]account.Pin, error) {
	if err := s.fails[word]; err != nil {
		return nil, err
	}
	return []account.Pin{{Called: "fetch", Target: word}}, nil
}

// TestWhoeverAnswersIsWatched follows a daemon, looks by itself once that hangs or has ended, and follows it again
// once it answers.
func TestWhoeverAnswersIsWatched(t *testing.T) {
	daemon := Decider{&scripted{by: account.ByDaemon}, func() {}, true}
	alone := Decider{&scripted{by: account.ByCommand}, func() {}, false}
	breaks := &scripted{by: account.ByDaemon, breaks: make(chan struct{}, 1)}
	breaks.breaks <- struct{}{}
	for _, c := range []struct {
		name  string
		first Decider
		then  func(time.Duration) (Decider, error)
		want  []string
	}{
		{"a daemon that stays", daemon, func(time.Duration) (Decider, error) { return daemon, nil }, []string{"daemon"}},
		{"a daemon that hangs, and answers again", daemon, func(at time.Duration) (Decider, error) {
			if at > 12*time.Second {
				return daemon, nil
			}
			return alone, nil
		}, []string{"daemon", "command", "command", "daemon"}},
		{"a daemon whose answer breaks off", Decider{breaks, func() {}, true}, func(time.Duration) (Decider, error) { return daemon, nil }, []string{"daemon", "daemon"}},
		{"none", alone, func(time.Duration) (Decider, error) { return alone, nil }, []string{"command", "command", "command", "command"}},
		{"what cannot be told", alone, func(time.Duration) (Decider, error) { return Decider{}, errors.New("no policy") }, []string{"command", "no policy", "no policy", "no policy"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, asked := time.Now(), 0
			var mu sync.Mutex
			h := Host{Every: 5 * time.Second, Ask: func(context.Context) (Decider, error) {
				mu.Lock()
				defer mu.Unlock()
				if asked++; asked == 1 {
					return c.first, nil
				}
				return c.then(time.Since(began))
			}}
			ctx, cancel := context.WithTimeout(t.Context(), 16*time.Second)
			defer cancel()
			var got []string
			h.watch(ctx, func(part func()) { go part() }, func(seen Seen) {
				if seen.Err != nil {
					got = append(got, seen.Err.Error())
					return
				}
				got = append(got, seen.Account.Decider.Kind)
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		})
	}
}

// TestAPinThatFailsHidesNoOther: what has gone cannot be pinned, and what is behind it is.
func TestAPinThatFailsHidesNoOther(t *testing.T) {
	gone := errors.New("8:1: no such thing")
	s := &scripted{fails: map[string]error{"8:1": gone}}
	text, err := pinned(t.Context(), Decider{Asker: s}, []string{"7:1", "8:1", "9:1"})
	if text != "Pinned fetch 7 and fetch 9." || !errors.Is(err, gone) {
		t.Errorf("%q, %v", text, err)
	}
}

// TestNoOrderGoesPastADaemonThatHangs: it is the one that decides.
func TestNoOrderGoesPastADaemonThatHangs(t *testing.T) {
	hangs := errors.New("the daemon does not answer")
	asked := &scripted{by: account.ByCommand}
	h := Host{
		Ask:   func(context.Context) (Decider, error) { return Decider{asked, func() {}, false}, nil },
		Order: func(context.Context) (Decider, error) { return Decider{}, hangs },
	}
	for _, deed := range []Deed{Pin, Unpin, Pause, Resume, Plan, Act} {
		came := h.do(t.Context(), Effect{Do: deed, Words: []string{"7:1"}}, func(Seen) { t.Error("it looked") })
		if !errors.Is(came.Err, hangs) {
			t.Errorf("%s: %v", deed, fmt.Sprint(came.Err))
		}
	}
}
