package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// bytesText is a size in decimal units, with a digit behind the point below ten.
func bytesText(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + " B"
	}
	value, unit := float64(n), 0
	for units := "kMGTPE"; value >= 999.5 && unit < len(units); unit++ {
		value /= 1000
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %cB", value, "BkMGTPE"[unit])
	}
	return fmt.Sprintf("%.0f %cB", value, "BkMGTPE"[unit])
}

// durationUnits are the units of a duration, the largest first.
var durationUnits = [...]struct {
	length time.Duration
	letter string
}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}

// durationText is a duration in its two largest units, such as "2h 3m" or "4d".
func durationText(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	for i, unit := range durationUnits {
		if d < unit.length {
			continue
		}
		text := strconv.Itoa(int(d/unit.length)) + unit.letter
		if i+1 == len(durationUnits) {
			return text
		}
		next := durationUnits[i+1]
		if rest := d % unit.length / next.length; rest > 0 {
			text += " " + strconv.Itoa(int(rest)) + next.letter
		}
		return text
	}
	return "0s"
}

// coarseText is a duration in its largest unit alone, such as "11h".
func coarseText(d time.Duration) string {
	first, _, _ := strings.Cut(durationText(d), " ")
	return first
}

// flagText is a duration as a flag takes it, exact, without zero units: "2m30s".
func flagText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ageRange is how old the youngest and the oldest are: "11h to 4d".
func ageRange(youngest, oldest time.Duration) string {
	if exact := durationText(youngest); exact == durationText(oldest) {
		return exact
	}
	low, high := coarseText(youngest), coarseText(oldest)
	if low == high {
		return low
	}
	return low + " to " + high
}

// number is a count with thousands apart: "1,475".
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// count is a number with its noun, singular for one: "1 server", "0 servers".
func count(n int, noun string) string { return number(n) + " " + plural(n, noun) }

// plural is the noun as n of them are called.
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}

// are is the verb that goes with n of something.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// list joins words as a sentence does: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// percentText is a share of one core.
func percentText(percent float64) string {
	if percent >= 999.95 {
		return number(int(math.Round(percent))) + "%"
	}
	return strconv.FormatFloat(max(0, percent), 'f', 1, 64) + "%"
}

// apartText is the time between two looks.
func apartText(d time.Duration) string {
	if d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return durationText(d)
}

// dayTime is a moment near now: the weekday and the day of the month for the
// last four weeks, the month up to a year, the year before that.
func dayTime(at, now time.Time) string {
	switch age := now.Sub(at); {
	case age < 28*24*time.Hour:
		return at.Format("Mon 02 15:04")
	case age < 360*24*time.Hour:
		return at.Format("02 Jan 15:04")
	}
	return at.Format("2006-01-02")
}

// timeRange is from when to when, the day once: "Mon 23 14:00–14:20".
func timeRange(from, to, now time.Time, dash string) string {
	first, last := dayTime(from, now), dayTime(to, now)
	if first == last {
		return first
	}
	if from.YearDay() == to.YearDay() && strings.Contains(last, ":") {
		return first + dash + to.Format("15:04")
	}
	return first + dash + last
}
