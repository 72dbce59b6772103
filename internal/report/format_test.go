package report

import (
	"testing"
	"time"
)

func TestBytesText(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 9_949: "9.9 kB", 9_951: "10 kB", 49_000_000: "49 MB", 610_400_000: "610 MB",
		999_499_999: "999 MB", 999_600_000: "1.0 GB", 4_400_000_000: "4.4 GB", 82_000_000_000: "82 GB", 1 << 63: "9.2 EB",
	} {
		if got := bytesText(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDurationTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 900 * time.Millisecond: "0s", 45 * time.Second: "45s", 8*time.Minute + 42*time.Second: "8m 42s",
		2 * time.Minute: "2m", 2*time.Hour + 3*time.Minute + 5*time.Second: "2h 3m", 11 * time.Hour: "11h",
		4 * day: "4d", 4*day + time.Minute: "4d", 2*day + 18*time.Hour: "2d 18h",
	} {
		if got := durationText(d); got != want {
			t.Errorf("durationText(%s) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{time.Second: "1s", 2 * time.Minute: "2m", 150 * time.Second: "2m30s", time.Hour: "1h", 90 * time.Minute: "1h30m"} {
		if got := flagText(d); got != want {
			t.Errorf("flagText(%s) = %q, want %q", d, got, want)
		}
	}
	for want, ages := range map[string][2]time.Duration{
		"11h to 4d": {11 * time.Hour, 4*day + time.Hour}, "3h 40m": {3*time.Hour + 40*time.Minute, 3*time.Hour + 40*time.Minute}, "2h": {2 * time.Hour, 150 * time.Minute},
	} {
		if got := ageRange(ages[0], ages[1]); got != want {
			t.Errorf("ageRange(%v) = %q, want %q", ages, got, want)
		}
	}
}

func TestCountsReadWell(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{count(0, "server"), "0 servers"}, {count(1, "server"), "1 server"}, {count(1475, "fd"), "1,475 fds"},
		{count(2, "process"), "2 processes"}, {count(2, "copy"), "2 copies"}, {number(1234567), "1,234,567"},
		{list(nil), ""}, {list([]string{"a"}), "a"}, {list([]string{"a", "b", "c"}), "a, b and c"},
		{percentText(4.14), "4.1%"}, {percentText(4312), "4,312%"}, {percentText(-0.2), "0.0%"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestMomentsShowTheirDay(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	now := noon.In(berlin)
	for _, test := range []struct {
		from, to time.Time
		want     string
	}{
		{now.Add(-time.Hour), now.Add(-time.Hour), "Thu 26 09:40"},
		{now.Add(-time.Hour), now.Add(-30 * time.Minute), "Thu 26 09:40–10:10"},
		{now.Add(-25 * time.Hour), now.Add(-time.Hour), "Wed 25 09:40–Thu 26 09:40"},
		{now.Add(-60 * day), now.Add(-60 * day), "27 Sep 10:40"},
		{now.Add(-800 * day), now.Add(-800 * day), "2024-09-17"},
	} {
		if got := timeRange(test.from, test.to, now, "–"); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestPathsGetShorter(t *testing.T) {
	g := glyphsFor(true)
	long := command{"node", "~/src/dollhouse/mcp-server/dist/index.js", "--port", "80"}
	for width, want := range map[int]string{
		80: "node ~/src/dollhouse/mcp-server/dist/index.js --port 80",
		50: "node …/mcp-server/dist/index.js --port 80",
		30: "node …/dist/index.js --port 80",
		20: "node …/dist/index.j…",
	} {
		if got := long.fit(width, g); got != want {
			t.Errorf("fit(%d) = %q, want %q", width, got, want)
		}
	}
	for arg, want := range map[string]string{
		"/home/dev/x": "~/x", "/home/dev": "~", "/home/developer/x": "/home/developer/x", "/Users/dev/x": "~/x",
		"--dir=/home/dev/x": "--dir=~/x", "a=/home/dev": "a=/home/dev", "/srv/home/dev": "/srv/home/dev",
	} {
		if got := tilde(arg, homeOf("dev")); got != want {
			t.Errorf("tilde(%q) = %q, want %q", arg, got, want)
		}
	}
	if got := tilde("/root/x", homeOf("root")); got != "~/x" {
		t.Errorf("root's home is %q", got)
	}
}
