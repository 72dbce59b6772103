package history

import (
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
)

// Period is the time that a person asks for, as typed; empty is no bound.
type Period struct{ Since, Until, At string }

// Of is a query within the period.
func (p Period) Of(q Query, now time.Time) (Query, error) {
	var at time.Time
	for _, flag := range []struct {
		name, text string
		into       *time.Time
		future     bool
	}{{"--since", p.Since, &q.From, false}, {"--until", p.Until, &q.To, true}, {"--at", p.At, &at, false}} {
		if flag.text == "" {
			continue
		}
		when, err := human.ParseWhen(flag.text, now)
		if err != nil {
			return q, advice.Misused(human.WhenHint, "%s %q: %w", flag.name, flag.text, err)
		}
		if when.After(now) && !flag.future {
			return q, advice.Misused(`a time of today is written 14:02, one of the day before "yesterday 14:02"`, "%s %q: %s has not come yet", flag.name, flag.text, human.Moment(when))
		}
		*flag.into = when
	}
	if !at.IsZero() {
		return q.aroundMinute(at), nil
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return q, advice.Misused("", "--until %q: is not after --since %q", p.Until, p.Since)
	}
	return q, nil
}
