package human

import "time"

// Moment writes an exact moment: "2026-11-26 09:40:00".
func Moment(at time.Time) string { return at.Format(time.DateTime) }

// nearNow writes a moment near now: with the weekday and the day of the month for the last
// four weeks, with the month up to a year, with the year before that.
func nearNow(at, now time.Time) string {
	switch age := now.Sub(at); {
	case age < 4*week:
		return at.Format("Mon 02 15:04")
	case age < 360*day:
		return at.Format("02 Jan 15:04")
	}
	return at.Format(time.DateOnly)
}

// Clock writes a moment near now as a clock shows it: "02:32", of another day with the day.
func Clock(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return nearNow(at, now)
}
