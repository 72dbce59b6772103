//go:build linux

package daemon

import "testing"

func TestSumAddsTheSamplesOfOneMetricOnly(t *testing.T) {
	const text = `# HELP x_total things
# TYPE x_total counter
x_total{a="1",b="2"} 3
x_total{a="2",b="2"} 4
x_totals 100
x_total_created{a="1"} 100
y 1.5e+01
`
	for _, row := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"x_total", nil, 7}, {"x_total", []string{`a="1"`}, 3}, {"x_total", []string{`a="3"`}, 0}, {"y", nil, 15}, {"z", nil, 0},
	} {
		if got := sum(text, row.name, row.labels); got != row.want {
			t.Errorf("%s%v: got %v, want %v", row.name, row.labels, got, row.want)
		}
	}
}

func TestFieldReadsANumberOfAStatusFile(t *testing.T) {
	const status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t7\n"
	if rss, threads, none := field(status, "VmRSS:"), field(status, "Threads:"), field(status, "VmSwap:"); rss != 1024 || threads != 7 || none != -1 {
		t.Errorf("got %d, %d, %d", rss, threads, none)
	}
}
