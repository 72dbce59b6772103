package human

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// unit is a unit of time with its letter.
type unit struct {
	length time.Duration
	letter string
}

// units are the units of a written duration, the largest first.
func units() [4]unit {
	return [...]unit{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
}

// Span writes a duration in its two largest units: "2h 3m", "4d", "45s". A duration below
// a second, or a negative one, is "0s".
func Span(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	all := units()
	for i, u := range all {
		if d < u.length {
			continue
		}
		text := strconv.Itoa(int(d/u.length)) + u.letter
		if i+1 == len(all) {
			return text
		}
		next := all[i+1]
		if rest := d % u.length / next.length; rest > 0 {
			text += " " + strconv.Itoa(int(rest)) + next.letter
		}
		return text
	}
	return "0s"
}

// ToGo writes the time that is still to go to something, as Span does: rounded up, so that it is never "0s" before
// its moment has come.
func ToGo(d time.Duration) string { return Span(RoundedUp(d)) }

// RoundedUp is a time in whole seconds that is over by then.
func RoundedUp(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// Step is the smaller of the two units in which Span writes a duration: what it writes of one that grows
// changes with each of these.
func Step(d time.Duration) time.Duration {
	all := units()
	for i, u := range all[:len(all)-1] {
		if d >= u.length {
			return all[i+1].length
		}
	}
	return time.Second
}

// Coarse writes a duration in its largest unit alone: "11h".
func Coarse(d time.Duration) string {
	first, _, _ := strings.Cut(Span(d), " ")
	return first
}

// Exact writes a duration as flags and files accept it, without units that are zero:
// "2m30s", "1h".
func Exact(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Took writes a measured duration: "120ms", "1.2s"; from ten seconds on, as Span.
func Took(d time.Duration) string {
	if short := max(0, d).Round(time.Millisecond); short < time.Second {
		return short.String()
	}
	if short := d.Round(time.Second / 10); short < 10*time.Second {
		return short.String()
	}
	return Span(d.Round(time.Second))
}

// Ages writes the ages of the youngest and the oldest of several things: "11h to 4d". If
// both are of one largest unit, it is the age of the oldest, as exact as that of one thing.
func Ages(youngest, oldest time.Duration) string {
	low, high := Coarse(youngest), Coarse(oldest)
	if low == high {
		return Span(oldest)
	}
	return low + " to " + high
}

// longest is the longest duration that ParseDuration accepts: 100 years.
const longest = 36500 * day

// ParseDuration reads the forms of time.ParseDuration, with weeks and days in front: 7d,
// 1d12h. It accepts up to 100 years.
func ParseDuration(text string) (time.Duration, error) {
	var whole time.Duration
	rest := text
	for _, u := range [...]unit{{week, "w"}, {day, "d"}} {
		number, behind, found := strings.Cut(rest, u.letter)
		if !found {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && n > uint64((longest-whole)/u.length):
			return 0, fmt.Errorf("duration %q: want at most %dd", text, longest/day)
		case err != nil && isNumber(number):
			return 0, fmt.Errorf("duration %q: want whole numbers of weeks and days", text)
		case err != nil:
			return 0, errNoDuration(text)
		}
		whole += time.Duration(n) * u.length
		rest = behind
	}
	if rest == "" && whole > 0 {
		return whole, nil
	}
	d, err := time.ParseDuration(rest)
	switch {
	case err != nil || rest != text && d < 0:
		return 0, errNoDuration(text)
	case d > longest-whole:
		return 0, fmt.Errorf("duration %q: want at most %dd", text, longest/day)
	}
	return whole + d, nil
}

func errNoDuration(text string) error {
	return fmt.Errorf("duration %q: want a number with a unit, such as 30s, 8h or 7d", text)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
