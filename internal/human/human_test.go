package human

import (
	"testing"
	"time"
)

func TestBytesHaveADigitBehindThePointBelowTen(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 9_949: "9.9 kB", 9_951: "10 kB", 49_000_000: "49 MB", 610_400_000: "610 MB",
		999_499_999: "999 MB", 999_600_000: "1.0 GB", 4_400_000_000: "4.4 GB", 82_000_000_000: "82 GB", 1 << 63: "9.2 EB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 900 * time.Millisecond: "0s", 45 * time.Second: "45s", 8*time.Minute + 42*time.Second: "8m 42s",
		2 * time.Minute: "2m", 2*time.Hour + 3*time.Minute + 5*time.Second: "2h 3m", 11 * time.Hour: "11h",
		4 * day: "4d", 4*day + time.Minute: "4d", 2*day + 18*time.Hour: "2d 18h",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%s) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{time.Second: "1s", 2 * time.Minute: "2m", 150 * time.Second: "2m30s", time.Hour: "1h", 90 * time.Minute: "1h30m"} {
		if got := Exact(d); got != want {
			t.Errorf("Exact(%s) = %q, want %q", d, got, want)
		}
	}
	for want, ages := range map[string][2]time.Duration{
		"11h to 4d": {11 * time.Hour, 4*day + time.Hour}, "3h 40m": {3*time.Hour + 40*time.Minute, 3*time.Hour + 40*time.Minute}, "2h 30m": {2 * time.Hour, 150 * time.Minute}, "11m 43s": {11*time.Minute + 40*time.Second, 11*time.Minute + 43*time.Second},
	} {
		if got := Ages(ages[0], ages[1]); got != want {
			t.Errorf("Ages(%v) = %q, want %q", ages, got, want)
		}
	}
}

func TestWhatWasMeasured(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 400 * time.Microsecond: "0s", 120 * time.Millisecond: "120ms", 999_700 * time.Microsecond: "1s",
		time.Second: "1s", 1234 * time.Millisecond: "1.2s", 9_960 * time.Millisecond: "10s", 10 * time.Second: "10s", time.Hour: "1h", 150 * time.Second: "2m 30s",
	} {
		if got := Took(d); got != want {
			t.Errorf("Took(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestCountsReadWell(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Capital(""), ""}, {Capital("nobody"), "Nobody"}, {Capital("2 are left"), "2 are left"},
		{Servers(0, 0), "no servers"}, {Servers(1, 0), "1 server"}, {Servers(0, 2), "2 containers"}, {Servers(1475, 1), "1,475 servers and 1 container"},
		{Count(0, "server"), "0 servers"}, {Count(1, "server"), "1 server"}, {Count(1475, "fd"), "1,475 fds"},
		{Count(2, "process"), "2 processes"}, {Count(2, "copy"), "2 copies"}, {Count(2, "day"), "2 days"}, {Count(3, "match"), "3 matches"},
		{Count(1, "child"), "1 child"}, {Count(100, "dead child"), "100 dead children"}, {Plural(2, "live client"), "live clients"},
		{Number(1234567), "1,234,567"}, {Number(999), "999"}, {Number(-100), "-100"}, {Number(-1000), "-1,000"},
		{Are(1), "is"}, {Are(0), "are"}, {Verb(2, "lives", "live"), "live"},
		{List(nil), ""}, {List([]string{"a"}), "a"}, {List([]string{"a", "b", "c"}), "a, b and c"},
		{Percent(4.14), "4.1%"}, {Percent(4312), "4,312%"}, {Percent(-0.2), "0.0%"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestMomentsShowTheirDay(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	now := time.Date(2026, 11, 26, 10, 40, 0, 0, berlin)
	for _, test := range []struct {
		at   time.Time
		want string
	}{
		{now.Add(-time.Hour), "09:40"},
		{now.Add(-25 * time.Hour), "Wed 25 09:40"},
		{now.Add(-60 * day), "27 Sep 10:40"},
		{now.Add(-800 * day), "2024-09-17"},
	} {
		if got := Clock(test.at, now); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestParseDurationTakesDaysAndWeeks(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "2w": 336 * time.Hour, "0s": 0, "-5s": -5 * time.Second,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "x", "30", "1d-5h", "-1d", "1.5d", "1d1d", "1d2w", "99999999d", "7d x"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for _, text := range []string{"99999d", "99999999999999999999d", "9999w", "36500d1s", "900000h"} {
		if got, err := ParseDuration(text); err == nil || err.Error() != `duration "`+text+`": want at most 36500d` {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

func TestAWrongDurationIsToldWithWhatIsWanted(t *testing.T) {
	for text, want := range map[string]string{
		"soon":     `duration "soon": want a number with a unit, such as 30s, 8h or 7d`,
		"99999d":   `duration "99999d": want at most 36500d`,
		"tomorrow": `duration "tomorrow": want a number with a unit, such as 30s, 8h or 7d`,
		"1.5d":     `duration "1.5d": want whole numbers of weeks and days`,
	} {
		if _, err := ParseDuration(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestAStepIsTheLeastThatShows: who shows a growing span draws it as often as its text changes.
func TestAStepIsTheLeastThatShows(t *testing.T) {
	for _, d := range []time.Duration{0, time.Second, 59 * time.Second, time.Minute, 59*time.Minute + 59*time.Second, time.Hour, 23*time.Hour + 59*time.Minute, 24 * time.Hour, 300 * time.Hour} {
		step := Step(d)
		next := d.Truncate(step) + step
		if Span(d) == Span(next) || Span(d) != Span(next-time.Second) {
			t.Errorf("%s: %s, then %s after %s", d, Span(d), Span(next), step)
		}
	}
}

func TestATimeToGoIsOverByThen(t *testing.T) {
	for left, want := range map[time.Duration]string{
		0: "0s", -time.Minute: "0s", time.Millisecond: "1s", time.Second: "1s", 28*time.Second + 1: "29s", 59*time.Second + 500*time.Millisecond: "1m", 2*time.Minute + 3*time.Second: "2m 3s",
	} {
		if got := ToGo(left); got != want {
			t.Errorf("%s: %q, want %q", left, got, want)
		}
	}
}
