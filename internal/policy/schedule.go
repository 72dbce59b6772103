package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule says when to sweep: five cron fields in local time, or a descriptor.
type Schedule struct {
	Spec   string
	parsed cron.Schedule
}

// Next is the first time after from; zero for an empty schedule.
func (s Schedule) Next(from time.Time) time.Time {
	if s.parsed == nil {
		return time.Time{}
	}
	return s.parsed.Next(from)
}

// IsInterval reports a schedule that names no times of day: @every 30s counts from when a daemon starts.
func (s Schedule) IsInterval() bool {
	_, is := s.parsed.(cron.ConstantDelaySchedule)
	return is
}

// ParseSchedule reads a cron spec. It refuses what the cron parser accepts and nobody
// means: an interval of nothing, a day that never comes. Zones are looked up as
// package time does.
func ParseSchedule(spec string) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	switch {
	case spec == "":
		return Schedule{}, errors.New("is empty")
	case strings.Contains(spec, "TZ= "):
		return Schedule{}, errors.New("names no time zone")
	}
	if err := checkInterval(spec); err != nil {
		return Schedule{}, err
	}
	parsed, err := parseCron(spec)
	if err != nil {
		return Schedule{}, err
	}
	someday := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	if parsed.Next(someday).IsZero() {
		return Schedule{}, errors.New("never comes")
	}
	return Schedule{Spec: spec, parsed: parsed}, nil
}

// parseCron reads a spec. The parser panics on a zone with nothing behind it.
func parseCron(spec string) (schedule cron.Schedule, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("has a time zone and no times behind it")
		}
	}()
	if schedule, err = cron.ParseStandard(spec); err != nil {
		err = errors.New(plainCron(err))
	}
	return schedule, err
}

// checkInterval refuses an @every of less than a second, which the parser would
// silently round up.
func checkInterval(spec string) error {
	_, interval, ok := strings.Cut(spec, "@every ")
	if !ok {
		return nil
	}
	every, err := time.ParseDuration(interval)
	switch {
	case err != nil:
		return fmt.Errorf("has no interval behind @every: %s", interval)
	case every < time.Second:
		return errors.New("sweeps more often than once a second")
	}
	return nil
}

// plainCron is the parser's message without names of Go functions.
func plainCron(err error) string {
	text := err.Error()
	if rest, ok := strings.CutPrefix(text, "failed to parse int from "); ok {
		number, _, _ := strings.Cut(rest, ":")
		return "does not parse: " + number + " is no number"
	}
	return "does not parse: " + text
}
