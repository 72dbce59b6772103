package daemon

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestADaemonThatHangsIsEnded(t *testing.T) {
	for _, row := range []struct {
		name   string
		silent func(since time.Duration) time.Duration // by how long the watch runs
		told   time.Duration                           // when it is told to end; 0 is never
		over   time.Duration                           // when it has ended
		ends   bool
	}{
		{"a loop that is heard of", func(time.Duration) time.Duration { return 20 * time.Second }, 0, time.Hour, false},
		{"a loop that is not heard of any more", func(since time.Duration) time.Duration { return since }, 0, time.Hour, true},
		{"a program that was stopped for an hour and goes on", func(since time.Duration) time.Duration {
			if since <= hangLooks {
				return time.Hour
			}
			return 0
		}, 0, time.Hour, false},
		{"told to end, and it does", func(time.Duration) time.Duration { return 0 }, time.Minute, time.Minute + 20*time.Second, false},
		{"told to end, and something hangs", func(time.Duration) time.Duration { return 0 }, time.Minute, time.Hour, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				told, tell := context.WithCancel(t.Context())
				defer tell()
				over, end := context.WithTimeout(context.Background(), row.over)
				defer end()
				if row.told > 0 {
					time.AfterFunc(row.told, tell)
				}
				why := watchForHang(told, over, func() time.Duration { return row.silent(time.Since(began)) })
				if (why != "") != row.ends {
					t.Errorf("got %q after %s", why, time.Since(began))
				}
			})
		})
	}
}

func TestALoopThatIsSilentForLongIsNotAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPulse(slog.New(slog.DiscardHandler))
		if alive, why := p.alive(); !alive {
			t.Errorf("at the start: %s", why)
		}
		time.Sleep(silentFor + time.Second)
		if alive, why := p.alive(); alive || why == "" {
			t.Errorf("silent for %s: alive", p.silent())
		}
		p.beat()
		if alive, why := p.alive(); !alive {
			t.Errorf("after a beat: %s", why)
		}
	})
}

func TestWhatRunsBesideIsWaitedForAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct {
			says        string
			takes, want time.Duration
		}{
			{"it ends", time.Second, time.Second},
			{"it hangs", time.Hour, endBackground},
		} {
			began := time.Now()
			waitAtMost(endBackground, func() { time.Sleep(row.takes) })
			if took := time.Since(began); took != row.want {
				t.Errorf("%s: waited %s, want %s", row.says, took, row.want)
			}
		}
		time.Sleep(time.Hour) // what hangs ends before the bubble
	})
}
